"""A copy of a root module and its local modules, in which more can be evaluated without a provider.

Two things stay unknown to an evaluator that knows no AWS, although they are no secret: the account, region
and partition that ARNs are built from, and that a queue's id is its URL. The copy has stand-ins for the
first, and the id for the second.

A third is that tfparse leaves out a dynamic block whose for_each it cannot evaluate, as it does one that is
empty. Beside each dynamic block the copy has its for_each as an attribute, whose value tells the two apart.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from policies.source.repeated import Block, blocks, probes

ACCOUNT = "000000000000"
REGION = "us-east-1"
_STAND_INS = {
    "aws_caller_identity": f'account_id = "{ACCOUNT}"',
    "aws_region": f'region = "{REGION}"',
    "aws_partition": 'partition = "aws"',
}
_EMPTY_DATA = re.compile(r'(data\s+"(aws_caller_identity|aws_region|aws_partition)"\s+"[^"]+"\s*)\{(\s*)\}')
_QUEUE_URL = re.compile(r"(\baws_sqs_queue\.[A-Za-z0-9_-]+(?:\[[^\]\n]*\])?)\.url\b")
_LOCAL_MODULE = re.compile(r'^\s*source\s*=\s*"(\.{1,2}/[^"]*)"', re.MULTILINE)
_DYNAMIC = re.compile(r'^\s*dynamic\s+"([^"]+)"\s*\{\s*$')
_FOR_EACH = re.compile(r"^\s*for_each\s*=\s*(.+)$")
PROBE = "policies_each_"
_LARGEST_FILE = 1 << 20
_REPETITIONS = "policies_repeated.tf"


@dataclass
class Prepared:
    """The copied root, the files with variables to evaluate it with, and the lines that only the copy has."""

    root: Path
    variable_files: list[str] = field(default_factory=list)
    added: dict[Path, list[int]] = field(default_factory=dict)
    repeated: dict[str, Block] = field(default_factory=dict)
    """Blocks with `for_each` or `count`, by the local that has its value."""

    def original_line(self, filename: str, line: int) -> int:
        """The line of the original; `filename` as tfparse gives it, relative to the root."""
        return line - bisect_left(self.added.get((self.root / filename).resolve(), []), line)


@contextmanager
def prepared(root: Path, variables: Mapping[str, Any]) -> Iterator[Prepared]:
    """Yield the copy, which ends with the block."""
    folders = sorted(_folders(root.resolve()))
    common = Path(os.path.commonpath(folders))
    with tempfile.TemporaryDirectory(prefix="policies-") as temporary:
        base = Path(temporary).resolve()
        result = Prepared(base / root.resolve().relative_to(common))
        for folder in folders:
            copy = base / folder.relative_to(common)
            copy.mkdir(parents=True, exist_ok=True)
            _copy(folder, copy, result)
            written, named = probes(blocks(folder), len(result.repeated))
            (copy / _REPETITIONS).write_text(written, encoding="utf-8")
            result.repeated |= named
        if variables:
            values = result.root / "policies.tfvars.json"
            values.write_text(json.dumps(variables), encoding="utf-8")
            result.variable_files.append(values.name)
        yield result


def _folders(root: Path) -> set[Path]:
    """The root and every local module that it calls, directly or not."""
    found: set[Path] = set()
    pending = [root]
    while pending:
        folder = pending.pop()
        if folder in found or not folder.is_dir():
            continue
        found.add(folder)
        for file in folder.glob("*.tf"):
            text = file.read_text(encoding="utf-8", errors="replace")
            pending += [(folder / source).resolve() for source in _LOCAL_MODULE.findall(text)]
    return found


def _copy(folder: Path, copy: Path, result: Prepared) -> None:
    for file in folder.iterdir():
        if not file.is_file() or file.stat().st_size > _LARGEST_FILE:
            continue
        if file.suffix == ".tf":
            text = file.read_text(encoding="utf-8", errors="replace")
            text = _QUEUE_URL.sub(r"\1.id", _EMPTY_DATA.sub(_filled, text))
            lines, result.added[copy / file.name] = _with_probes(text.splitlines())
            (copy / file.name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        else:
            (copy / file.name).write_bytes(file.read_bytes())


def _filled(block: re.Match[str]) -> str:
    return f"{block[1]}{{ {_STAND_INS[block[2]]} }}" + "\n" * block[3].count("\n")


def _with_probes(lines: list[str]) -> tuple[list[str], list[int]]:
    """The lines with an attribute before each dynamic block, and the numbers of those that were added."""
    written: list[str] = []
    added = []
    for index, line in enumerate(lines):
        block = _DYNAMIC.match(line)
        if block is not None:
            following = _FOR_EACH.match(lines[index + 1]) if index + 1 < len(lines) else None
            expression = following[1] if following and _whole(following[1]) else "null"
            written.append(f"{PROBE}{block[1]}_{index} = {expression}")
            added.append(len(written))
        written.append(line)
    return written, added


def _whole(expression: str) -> bool:
    """Whether an expression ends with its line."""
    return all(expression.count(opened) == expression.count(closed) for opened, closed in ("()", "[]", "{}"))
