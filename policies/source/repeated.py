"""Blocks of which it is unknown how many there are.

tfparse leaves out a resource or module whose `for_each` or `count` it cannot evaluate, as it does one that
there is none of. Each such argument is written once more, as a local, whose value tells the two apart; what
is left out for want of a value stands in the model as one resource of which nothing is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from policies.plan import UNKNOWN, Node
from policies.plan.locate import shown
from policies.plan.resource import Place

PROBE = "policies_repeated_"
_OPENING = re.compile(
    r'^\s*(?:resource\s+"(?P<type>[^"]+)"\s+|(?P<module>module)\s+)"(?P<name>[^"]+)"\s*\{\s*$'
)
_REPETITION = re.compile(r"^\s*(?:for_each|count)\s*=\s*(?P<expression>.+)$")
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))
_SOURCE = re.compile(r'^\s*source\s*=\s*"(?P<folder>\.{1,2}/[^"]*)"')


class NothingKnown(Mapping[str, Node]):
    """The values of a block of which nothing is known."""

    def __getitem__(self, name: str) -> Node:
        return UNKNOWN

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


@dataclass(frozen=True)
class Block:
    """A resource or module block. `repetition`: the expression of its `for_each` or `count`, if it has one;
    `called`: the folder of a local module."""

    type: str
    name: str
    place: Place
    repetition: str | None
    called: Path | None

    @property
    def is_module(self) -> bool:
        """Whether it calls a module."""
        return self.type == "module"


def blocks(folder: Path) -> list[Block]:
    """The resource and module blocks of a folder."""
    return [block for file in sorted(folder.glob("*.tf")) for block in _blocks(file)]


def _blocks(file: Path) -> Iterator[Block]:
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    for index, line in enumerate(lines):
        opening = _OPENING.match(line)
        if opening is None:
            continue
        repetition, folder = None, None
        for at in _arguments(lines, index + 1):
            repeated, source = _REPETITION.match(lines[at]), _SOURCE.match(lines[at])
            if repeated is not None:
                repetition = _expression(repeated["expression"], lines[at + 1 :])
            elif source is not None and opening["module"]:
                folder = (file.parent / source["folder"]).resolve()
        yield Block(
            type=opening["type"] or "module",
            name=opening["name"],
            place=Place(shown(file), index + 1),
            repetition=repetition,
            called=folder,
        )


def _arguments(lines: Sequence[str], start: int) -> Iterator[int]:
    """The lines of a block that begin an argument of its own, and none of a block inside it."""
    depth = 1
    for at in range(start, len(lines)):
        if depth == 1:
            yield at
        depth += sum(lines[at].count(opened) - lines[at].count(closed) for opened, closed in _BRACKETS)
        if depth < 1:
            return


def _expression(first: str, following: Sequence[str]) -> str:
    """The whole expression, which goes on until its brackets are closed."""
    text = first
    for line in following:
        if all(text.count(opened) <= text.count(closed) for opened, closed in _BRACKETS):
            break
        text += f"\n{line}"
    return text


def probes(found: Sequence[Block], start: int) -> tuple[str, dict[str, Block]]:
    """Locals with the repetitions of blocks, and the block of each by the local's name; names count from
    `start`."""
    named = {
        f"{PROBE}{start + place}": block
        for place, block in enumerate(block for block in found if block.repetition is not None)
    }
    written = "\n".join(f"  {name} = ({block.repetition}\n  )" for name, block in named.items())
    return (f"\nlocals {{\n{written}\n}}\n" if named else ""), named


def unknown_blocks(block: Block) -> Iterator[tuple[tuple[str, ...], Block]]:
    """The resources of a block that may be there, each with the names of the modules on the way."""
    if not block.is_module:
        yield (), block
    elif block.called is not None and block.called.is_dir():
        for inner in blocks(block.called):
            for path, resource in unknown_blocks(inner):
                yield (block.name, *path), resource
