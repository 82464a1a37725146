"""The Terraform modules as data: their inputs, outputs, rules and test runs, read from their source."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import hcl2
from hcl2 import SerializationOptions

REPOSITORY = Path(__file__).resolve().parents[2]
MODULES = REPOSITORY / "modules"
_RULE = re.compile(r"^\s*(validation|precondition|postcondition) \{$")
_OPTIONS = SerializationOptions(with_comments=False)


def read_hcl(file: Path) -> dict[str, Any]:
    """The blocks of one file by type; strings keep their quotes, expressions stand in `${…}`."""
    with file.open(encoding="utf-8") as text:
        parsed: dict[str, Any] = hcl2.load(text, serialization_options=_OPTIONS)
    return parsed


def bare(text: str) -> str:
    """A quoted name or a `${…}` expression without its wrapping."""
    if text.startswith('"'):
        return text[1:-1].replace('\\"', '"')
    return text.removeprefix("${").removesuffix("}") if text.startswith("${") else text


@dataclass(frozen=True)
class Input:
    """A variable: `default` is its HCL text, None when a value has to be given."""

    name: str
    type: str
    default: str | None
    description: str


@dataclass(frozen=True, order=True)
class Rule:
    """A validation, pre- or postcondition by the place where it starts; `file` is relative to its module."""

    file: str
    line: int


@dataclass(frozen=True)
class Run:
    """A run block of a test file; `refuses` are the objects expected to fail."""

    file: str
    name: str
    refuses: tuple[str, ...]


def _default(block: Mapping[str, Any]) -> str | None:
    if "default" not in block:
        return None
    value = block["default"]
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case dict() if not value:
            return "{}"
        case _:
            return str(value)


@dataclass(frozen=True)
class Module:
    """One folder under `modules/` that Terraform can call."""

    path: Path

    @classmethod
    def all(cls) -> list[Self]:
        """Every module, by name."""
        return [cls(versions.parent) for versions in sorted(MODULES.glob("*/versions.tf"))]

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.name

    @cached_property
    def inputs(self) -> list[Input]:
        """The variables, in the order of the source."""
        return [
            Input(
                name=name,
                type=bare(block["type"]),
                default=_default(block),
                description=bare(block.get("description", "")),
            )
            for name, block in self._named_blocks("variable")
        ]

    @cached_property
    def outputs(self) -> dict[str, str]:
        """The outputs' descriptions by name, in the order of the source."""
        return {name: bare(block.get("description", "")) for name, block in self._named_blocks("output")}

    @cached_property
    def rules(self) -> list[Rule]:
        """Where each rule of the module's own source starts."""
        return [
            Rule(file.name, number)
            for file in self._sources()
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
            if _RULE.match(line)
        ]

    @cached_property
    def examples(self) -> dict[str, Path]:
        """The folders under `examples/`, by name."""
        return {file.parent.name: file.parent for file in sorted(self.path.glob("examples/*/main.tf"))}

    @cached_property
    def runs(self) -> list[Run]:
        """The run blocks of the module's tests."""
        return [
            Run(
                file=f"tests/{file.name}",
                name=bare(name),
                refuses=tuple(bare(item) for item in block.get("expect_failures", [])),
            )
            for file in sorted(self.path.glob("tests/*.tftest.hcl"))
            for entry in read_hcl(file).get("run", [])
            for name, block in entry.items()
        ]

    def resources(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Type, name and body of each managed resource."""
        for file in self._sources():
            for entry in read_hcl(file).get("resource", []):
                for kind, named in entry.items():
                    for name, body in named.items():
                        yield bare(kind), bare(name), body

    def _sources(self) -> list[Path]:
        return sorted(self.path.glob("*.tf"))

    def _named_blocks(self, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
        for file in self._sources():
            for entry in read_hcl(file).get(kind, []):
                for name, block in entry.items():
                    yield bare(name), block
