"""Metric math: the part of it that alarms use.

Source: Amazon CloudWatch User Guide, "Using math expressions with CloudWatch metrics" (syntax, data types,
missing data points). Scalars (S), time series (TS) and arrays of series (TS[]) are told apart when an
expression is read, so what would fail on AWS is refused before it is stored.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from local.cloudwatch.refusal import RefusedError

Series = list[float | None]
Value = float | Series | list[Series]
Kind = Literal["S", "TS", "TS[]"]

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)|(?P<text>\"[^\"]*\"|'[^']*')"
    r"|(?P<word>[A-Za-z_][A-Za-z0-9_]*)|(?P<sign>==|!=|<=|>=|&&|\|\||[-+*/^<>(),\[\]]))"
)
_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<=": operator.le,
    ">=": operator.ge, "<": operator.lt, ">": operator.gt,
}  # fmt: skip
_LOGIC: Mapping[str, Callable[[float, float], bool]] = {
    "AND": lambda left, right: bool(left) and bool(right),
    "OR": lambda left, right: bool(left) or bool(right),
}
_SYNONYMS = {"&&": "AND", "||": "OR"}
_ARITHMETIC: Mapping[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "^": operator.pow,
}  # fmt: skip
# From the loosest to the tightest.
_LEVELS = (("OR",), ("AND",), tuple(_COMPARISONS), ("+", "-"), ("*", "/"), ("^",))
_FUNCTIONS = ("ABS", "AVG", "CEIL", "FILL", "FLOOR", "IF", "MAX", "METRICS", "MIN", "SUM")
_FILLS = ("REPEAT", "LINEAR")


@dataclass(frozen=True)
class Node:
    """A part of an expression: its operator, function or kind of leaf, what it works on, what it gives."""

    name: str
    kind: Kind
    parts: tuple[Node, ...] = ()
    leaf: Any = None

    def ids(self) -> set[str]:
        """The ids of the queries this expression reads."""
        own = set(self.leaf) if self.name == "METRICS" else {self.leaf} if self.name == "id" else set()
        return own.union(*(part.ids() for part in self.parts))


def parse(text: str, kinds: Mapping[str, Kind], metrics: Sequence[str]) -> Node:
    """Read an expression.

    KINDS are the ids it may name and what they hold, METRICS those of them that are metrics. Raises
    RefusedError naming what is not known or does not fit.
    """
    return _Parser(text, kinds, metrics).parse()


class _Parser:
    def __init__(self, text: str, kinds: Mapping[str, Kind], metrics: Sequence[str]) -> None:
        self._text, self._kinds, self._metrics = text, kinds, metrics
        self._tokens = self._split(text)
        self._at = 0

    def _refuse(self, why: str) -> RefusedError:
        return RefusedError(f"Invalid metrics list: expression {self._text}: {why}")

    def _split(self, text: str) -> list[tuple[str, str]]:
        tokens, at = [], 0
        text = text.rstrip()
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise self._refuse(f"'{text[at:].strip()[0]}' at {at} is no metric math")
            tokens.append((str(match.lastgroup), match[match.lastgroup or 0]))
            at = match.end()
        return tokens

    def _peek(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else ""

    def _take(self, expected: str = "") -> tuple[str, str]:
        if self._at >= len(self._tokens) or (expected and self._peek() != expected):
            raise self._refuse(f"'{self._peek() or 'the end'}' where {expected or 'a value'} should be")
        self._at += 1
        return self._tokens[self._at - 1]

    def parse(self) -> Node:
        node = self._binary(0)
        if self._at < len(self._tokens):
            raise self._refuse(f"'{self._peek()}' is one too many")
        return node

    def _binary(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while (sign := _SYNONYMS.get(self._peek(), self._peek())) in _LEVELS[level]:
            self._take()
            right = self._binary(level + 1)
            if "TS[]" in (left.kind, right.kind):
                raise self._refuse(f"{sign} works on single series, not on arrays; write SUM(…) or the like")
            left = Node(sign, "TS" if "TS" in (left.kind, right.kind) else "S", (left, right))
        return left

    def _unary(self) -> Node:
        if self._peek() == "-":
            self._take()
            part = self._unary()
            return Node("negate", part.kind, (part,))
        return self._primary()

    def _primary(self) -> Node:
        group, token = self._take()
        if group == "number":
            return Node("number", "S", leaf=float(token))
        if (group, token) == ("sign", "("):
            node = self._binary(0)
            self._take(")")
            return node
        if (group, token) == ("sign", "["):
            parts = self._list("]")
            if any(part.kind != "TS" for part in parts):
                raise self._refuse("an array holds time series only")
            return Node("array", "TS[]", parts)
        if group != "word":
            raise self._refuse(f"'{token}' where a value should be")
        if self._peek() == "(":
            self._take()
            return self._function(token)
        if token not in self._kinds:
            raise self._refuse(f"there is no metric or expression with the id {token}")
        return Node("id", self._kinds[token], leaf=token)

    def _list(self, end: str) -> tuple[Node, ...]:
        parts = [self._binary(0)]
        while self._peek() == ",":
            self._take()
            parts.append(self._binary(0))
        self._take(end)
        return tuple(parts)

    def _function(self, name: str) -> Node:
        if name not in _FUNCTIONS:
            raise self._refuse(f"function {name} is not known here; known are {', '.join(_FUNCTIONS)}")
        if name == "METRICS":
            return self._all_metrics()
        if name == "FILL":
            return self._fill()
        parts = self._list(")")
        if name == "IF":
            if len(parts) != 3 or any(part.kind == "TS[]" for part in parts):
                raise self._refuse("IF takes a condition, a value and another value, none of them an array")
            return Node("IF", "TS" if any(part.kind == "TS" for part in parts) else "S", parts)
        if len(parts) != 1:
            raise self._refuse(f"{name} takes one argument; write several as an array: {name}([a,b])")
        if name in ("ABS", "CEIL", "FLOOR"):
            return Node(name, parts[0].kind, parts)
        return Node(name, "TS" if parts[0].kind == "TS[]" else "S", parts)

    def _all_metrics(self) -> Node:
        part = ""
        if self._peek() != ")":
            group, token = self._take()
            if group != "text":
                raise self._refuse('METRICS takes nothing, or a text such as METRICS("errors")')
            part = token[1:-1]
        self._take(")")
        return Node("METRICS", "TS[]", leaf=tuple(name for name in self._metrics if part in name))

    def _fill(self) -> Node:
        series = self._binary(0)
        self._take(",")
        with_what = Node(self._take()[1], "S") if self._peek() in _FILLS else self._binary(0)
        self._take(")")
        if series.kind == "S" or with_what.kind == "TS[]":
            raise self._refuse("FILL takes a series and a number, REPEAT or LINEAR")
        return Node("FILL", series.kind, (series, with_what))


def evaluate(node: Node, values: Mapping[str, Series], length: int) -> Value:
    """Return what an expression gives for the series VALUES (by id) of LENGTH points; None is missing."""
    if node.name in ("number", "id", "METRICS"):
        return _leaf(node, values)
    if node.name == "FILL":
        return _filled(node, values, length)
    parts = [evaluate(part, values, length) for part in node.parts]
    value: Value
    if node.name in _SHAPES:
        value = _each(parts[0], _SHAPES[node.name])
    elif node.name in _REDUCTIONS:
        value = _reduced(node, parts[0], length)
    elif node.name == "array":
        value = [_series(part, length) for part in parts]
    elif node.name == "IF":
        value = _chosen(parts, length)
    else:
        value = _combined(node, parts[0], parts[1], length)
    return value


def _leaf(node: Node, values: Mapping[str, Series]) -> Value:
    match node.name:
        case "number":
            return float(node.leaf)
        case "id":
            return values[node.leaf]
    return [values[name] for name in node.leaf]


_SHAPES: Mapping[str, Callable[[float], float]] = {
    "negate": operator.neg,
    "ABS": abs,
    "CEIL": lambda value: float(-(-value // 1)),
    "FLOOR": lambda value: float(value // 1),
}
_REDUCTIONS: Mapping[str, Callable[[list[float]], float]] = {
    "SUM": sum,
    "MIN": min,
    "MAX": max,
    "AVG": lambda found: sum(found) / len(found),
}


def _series(value: Any, length: int) -> Series:
    return [value] * length if isinstance(value, float) else value


def _each(value: Any, function: Callable[[float], float]) -> Any:
    if isinstance(value, list):
        return [_each(part, function) for part in value]
    return None if value is None else function(value)


def _reduced(node: Node, value: Any, length: int) -> Value:
    """An array to one series, point by point over those that are there; a series to one number."""
    reduce = _REDUCTIONS[node.name]
    if isinstance(value, float):
        return value
    if node.kind == "S":
        found = [point for point in value if point is not None]
        return reduce(found) if found else 0.0
    columns = ([series[at] for series in value if series[at] is not None] for at in range(length))
    return [reduce(column) if column else None for column in columns]


def _chosen(parts: list[Value], length: int) -> Value:
    if all(isinstance(part, float) for part in parts):
        return parts[1] if parts[0] else parts[2]
    condition, yes, no = (_series(part, length) for part in parts)
    return [
        None if case is None else (one if case else other)
        for case, one, other in zip(condition, yes, no, strict=True)
    ]


def _filled(node: Node, values: Mapping[str, Series], length: int) -> Value:
    value: Any = evaluate(node.parts[0], values, length)
    how = node.parts[1]
    if how.name in _FILLS:
        fill = _repeated if how.name == "REPEAT" else _interpolated
    else:
        with_what = _series(evaluate(how, values, length), length)

        def fill(series: Series) -> Series:
            return [w if p is None else p for p, w in zip(series, with_what, strict=True)]

    return [fill(series) for series in value] if node.kind == "TS[]" else fill(value)


def _repeated(series: Series) -> Series:
    last: float | None = None
    filled: Series = []
    for point in series:
        last = last if point is None else point
        filled.append(last)
    return filled


def _interpolated(series: Series) -> Series:
    """Gaps between two points become a line; before the first and after the last there is nothing to join."""
    filled = list(series)
    known = [at for at, point in enumerate(series) if point is not None]
    for left, right in pairwise(known):
        start, end = series[left], series[right]
        if start is None or end is None:
            continue
        for at in range(left + 1, right):
            filled[at] = start + (end - start) * (at - left) / (right - left)
    return filled


def _combined(node: Node, left: Value, right: Value, length: int) -> Value:
    both_series = not isinstance(left, float) and not isinstance(right, float)
    if isinstance(left, float) and isinstance(right, float):
        single = _pair(node.name, left, right)
        return 0.0 if single is None else single
    points = zip(_series(left, length), _series(right, length), strict=True)
    if both_series and node.name not in _ARITHMETIC:
        # Of two compared series, the one that lacks the point counts as 0.
        return [
            None if one is None and other is None else _pair(node.name, one or 0.0, other or 0.0)
            for one, other in points
        ]
    return [None if one is None or other is None else _pair(node.name, one, other) for one, other in points]


def _pair(name: str, left: float, right: float) -> float | None:
    if name in _ARITHMETIC:
        try:
            result = _ARITHMETIC[name](left, right)
        except (ZeroDivisionError, OverflowError):
            return None  # there is no such number, hence no data point
        return None if isinstance(result, complex) else float(result)
    return float((_COMPARISONS.get(name) or _LOGIC[name])(left, right))
