"""The type of an input as data: which numbers are in it, and a value that holds a number of one's own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[A-Za-z_][A-Za-z0-9_]*|[-+0-9.]+|[(){}\[\],=:]')
_PLAIN: dict[str, Any] = {"string": "x", "bool": True, "number": 1}
Path = tuple[str, ...]


@dataclass(frozen=True)
class InputType:
    """A type constraint: `kind` is string, number, bool, list, set, map or object."""

    kind: str
    element: InputType | None = None
    members: dict[str, InputType] = field(default_factory=dict)
    optional: bool = False

    @classmethod
    def parse(cls, text: str) -> InputType:
        """Read HCL such as `map(object({a = optional(number, 1)}))`. Raises ValueError for anything else."""
        tokens = _TOKEN.findall(text)
        found, rest = cls._read(tokens)
        if rest:
            raise ValueError(f"{text!r} goes on after its type: {rest}")
        return found

    @classmethod
    def _read(cls, tokens: list[str]) -> tuple[InputType, list[str]]:
        kind, *rest = tokens
        if kind in _PLAIN:
            return cls(kind), rest
        if kind == "optional":
            inner, rest = cls._read(rest[1:])
            depth = 0
            while depth or rest[0] != ")":  # a default
                depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(rest[0], 0)
                rest = rest[1:]
            return cls(inner.kind, inner.element, inner.members, optional=True), rest[1:]
        if kind in ("list", "set", "map"):
            inner, rest = cls._read(rest[1:])
            return cls(kind, inner), rest[1:]
        if kind != "object":
            raise ValueError(f"{kind!r} is no type that an input may have")
        members: dict[str, InputType] = {}
        rest = rest[2:]
        while rest[0] != "}":
            name = rest[0]
            members[name], rest = cls._read(rest[2:])
            rest = rest[1:] if rest[0] == "," else rest
        return cls(kind, members=members), rest[2:]

    def numbers(self) -> Iterator[Path]:
        """Where the numbers are: names of members, `*` for any element."""
        if self.kind == "number":
            yield ()
        elif self.element is not None:
            yield from (("*", *path) for path in self.element.numbers())
        for name, member in self.members.items():
            yield from ((name, *path) for path in member.numbers())

    def holding(self, number: float, path: Path) -> Any:
        """A value with `number` at `path` and no more besides than the type demands."""
        if not path:
            return number
        if self.element is not None:
            inner = self.element.holding(number, path[1:])
            return {"charge": inner} if self.kind == "map" else [inner]
        return {
            name: member.holding(number, path[1:]) if name == path[0] else member.least()
            for name, member in self.members.items()
            if name == path[0] or not member.optional
        }

    def least(self) -> Any:
        """The least value that the type allows."""
        if self.kind in _PLAIN:
            return _PLAIN[self.kind]
        if self.kind == "object":
            return {name: member.least() for name, member in self.members.items() if not member.optional}
        return {} if self.kind == "map" else []


def hcl(value: Any) -> str:
    """A value as HCL: JSON is, for what inputs hold."""
    return json.dumps(value)
