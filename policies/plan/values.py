"""Values of a plan are of three kinds: known, unknown until the apply, absent.

A known value is plain JSON. An unknown one is `UNKNOWN`. An absent one is `None`, as is an explicit null: to
Terraform the two are the same. Reading an unknown value through a `Block` raises `Undecided`, so that a rule
can say what it wants of a value and never takes "not known yet" for an answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias


class Unknown(Enum):
    """The type of `UNKNOWN`."""

    UNKNOWN = "known after apply"


UNKNOWN: Final = Unknown.UNKNOWN
Node: TypeAlias = "bool | int | float | str | Unknown | list[Node] | dict[str, Node] | None"


class Undecided(Exception):  # noqa: N818 - an answer of a rule, not a fault
    """A rule cannot answer. The message says what it would have to know."""


def merge(after: Node, unknown: object) -> Node:
    """`change.after` with `UNKNOWN` wherever `change.after_unknown` says so."""
    if unknown is True:
        return UNKNOWN
    if isinstance(after, dict):
        marks = unknown if isinstance(unknown, dict) else {}
        if not marks:
            return after
        merged = {
            name: merge(value, marks[name]) if name in marks else value for name, value in after.items()
        }
        for name, mark in marks.items():
            if name not in after and mark is True:
                merged[name] = UNKNOWN
        return merged
    if isinstance(after, list) and isinstance(unknown, list) and unknown:
        padded = [*unknown, *[None] * (len(after) - len(unknown))]
        return [merge(value, mark) for value, mark in zip(after, padded, strict=False)]
    return after


@dataclass(frozen=True, slots=True)
class Block:
    """A resource's values or a nested block. `path` names it in messages (`target[0].retry_policy[0]`)."""

    fields: Mapping[str, Node]
    path: str = ""

    def raw(self, name: str) -> Node:
        """The value as it is: `UNKNOWN` when unknown, None when absent."""
        return self.fields.get(name)

    def unknown(self, name: str) -> bool:
        """Whether the value is unknown until the apply."""
        return self.fields.get(name) is UNKNOWN

    def text(self, name: str) -> str | None:
        """A string, or None when absent. Raises Undecided when unknown or of another type."""
        value = self._known(name)
        if value is None or isinstance(value, str):
            return value
        raise self._mistyped(name, "a string")

    def number(self, name: str, default: float | None = None) -> float | None:
        """A number, or `default` when absent. Raises Undecided when unknown or of another type."""
        value = self._known(name)
        if value is None:
            return default
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value
        raise self._mistyped(name, "a number")

    def flag(self, name: str, default: bool = False) -> bool:
        """A boolean, or `default` when absent. Raises Undecided when unknown or of another type."""
        value = self._known(name)
        if value is None:
            return default
        if isinstance(value, bool):
            return value
        raise self._mistyped(name, "true or false")

    def texts(self, name: str) -> list[str]:
        """A list of strings, empty when absent. Raises Undecided when it or one of its items is unknown."""
        texts = []
        for item in self.items(name):
            if item is UNKNOWN:
                raise Undecided(f"an item of {self._at(name)} is known after the apply only")
            if not isinstance(item, str):
                raise self._mistyped(name, "a list of strings")
            texts.append(item)
        return texts

    def items(self, name: str) -> list[Node]:
        """A list, empty when absent; its items may be unknown. Raises Undecided when the list itself is."""
        value = self._known(name)
        if value is None:
            return []
        if isinstance(value, list):
            return value
        raise self._mistyped(name, "a list")

    def blocks(self, name: str) -> list[Block]:
        """Nested blocks, none when absent. Raises Undecided when it is unknown whether there are any."""
        value = self._known(name)
        if value is None:
            return []
        if isinstance(value, dict):
            return [Block(value, self._at(name))]
        if not isinstance(value, list):
            raise self._mistyped(name, "a block")
        found = []
        for index, item in enumerate(value):
            if item is UNKNOWN:
                raise Undecided(f"{self._at(name)}[{index}] is known after the apply only")
            if not isinstance(item, dict):
                raise self._mistyped(name, "a block")
            found.append(Block(item, f"{self._at(name)}[{index}]"))
        return found

    def block(self, name: str) -> Block | None:
        """The first nested block of a name, or None. Raises Undecided as `blocks` does."""
        return next(iter(self.blocks(name)), None)

    def mapping(self, name: str) -> Block:
        """A map, empty when absent. Raises Undecided when unknown or of another type."""
        value = self._known(name)
        if value is None:
            return Block({}, self._at(name))
        if isinstance(value, dict):
            return Block(value, self._at(name))
        raise self._mistyped(name, "a map")

    def names(self) -> Iterator[str]:
        """The names of what the block holds, nulls left out."""
        return (name for name, value in self.fields.items() if value is not None)

    def _known(self, name: str) -> bool | int | float | str | list[Node] | dict[str, Node] | None:
        value = self.fields.get(name)
        if value is UNKNOWN:
            raise Undecided(f"{self._at(name)} is known after the apply only")
        return value

    def _mistyped(self, name: str, wanted: str) -> Undecided:
        return Undecided(f"{self._at(name)} is not {wanted}, which the provider's schema wants")

    def _at(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name
