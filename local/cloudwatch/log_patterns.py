"""Filter patterns of CloudWatch Logs: terms, and conditions on the fields of JSON lines.

Source: Amazon CloudWatch Logs User Guide, "Filter pattern syntax for metric filters, subscription filters".
What is not served here (space-delimited patterns, regular expressions) is refused, never taken for a match.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from local.cloudwatch.refusal import RefusedError

Matcher = Callable[[str], bool]
_Condition = Callable[[Any], bool]

_MAXIMUM_LENGTH = 1024
_TERM = re.compile(r'(?P<sign>[?-]?)(?:"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+))')
_TOKEN = re.compile(
    r'\s*(?:(?P<text>"(?:[^"\\]|\\.)*")|(?P<field>\$(?:\.[A-Za-z0-9_-]+|\[\d+\])+)'
    r"|(?P<sign>&&|\|\||!=|<=|>=|[=<>()])|(?P<word>[A-Za-z0-9_.*+-]+))"
)
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_ABSENT = object()
_ORDERS: dict[str, Callable[[float, float], bool]] = {
    "=": lambda value, wanted: value == wanted,
    "!=": lambda value, wanted: value != wanted,
    "<": lambda value, wanted: value < wanted,
    ">": lambda value, wanted: value > wanted,
    "<=": lambda value, wanted: value <= wanted,
    ">=": lambda value, wanted: value >= wanted,
}
_CONSTANTS = {"NULL": None, "TRUE": True, "FALSE": False}


@lru_cache(maxsize=256)
def compile_pattern(pattern: str) -> Matcher:
    """Return what tells whether a line matches. Raises RefusedError for a pattern that is not understood."""
    text = pattern.strip()
    if len(text) > _MAXIMUM_LENGTH:
        raise _refusal(text, f"has more than {_MAXIMUM_LENGTH} characters")
    if text.startswith("{"):
        if not text.endswith("}"):
            raise _refusal(text, "has no closing }")
        condition = _Parser(text).parse()
        return lambda line: _holds(condition, line)
    if text.startswith(("[", "%")):
        raise _refusal(text, "is space-delimited or a regular expression, which is not served here")
    return _terms(text)


def _refusal(text: str, why: str) -> RefusedError:
    return RefusedError(f"Invalid filter pattern {text}: it {why}", "InvalidParameterException")


def _terms(text: str) -> Matcher:
    terms: dict[str, list[str]] = {"": [], "?": [], "-": []}
    for match in _TERM.finditer(text):
        terms[match["sign"]].append(match["phrase"] if match["phrase"] is not None else match["word"])
    required, optional, excluded = terms[""], terms["?"], terms["-"]

    def matches(line: str) -> bool:
        found = all(term in line for term in required) and not any(term in line for term in excluded)
        return found and (bool(required) or not optional or any(term in line for term in optional))

    return matches


def _holds(condition: _Condition, line: str) -> bool:
    if not line.lstrip().startswith("{"):
        return False
    try:
        document = json.loads(line)
    except json.JSONDecodeError:
        return False  # no JSON, no field
    return condition(document)


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        body, self._tokens, at = text[1:-1], [], 0
        while body[at:].strip():
            match = _TOKEN.match(body, at)
            if match is None:
                raise _refusal(text, f"holds '{body[at:].strip()[:10]}', which is not understood")
            self._tokens.append((str(match.lastgroup), match[match.lastgroup or 0]))
            at = match.end()
        self._at = 0

    def _peek(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else ""

    def _take(self) -> tuple[str, str]:
        if self._at >= len(self._tokens):
            raise _refusal(self._text, "ends too early")
        self._at += 1
        return self._tokens[self._at - 1]

    def parse(self) -> _Condition:
        condition = self._any()
        if self._at < len(self._tokens):
            raise _refusal(self._text, f"has '{self._peek()}' where it should end")
        return condition

    def _any(self) -> _Condition:
        parts = [self._all()]
        while self._peek() == "||":
            self._take()
            parts.append(self._all())
        return lambda document: any(part(document) for part in parts)

    def _all(self) -> _Condition:
        parts = [self._one()]
        while self._peek() == "&&":
            self._take()
            parts.append(self._one())
        return lambda document: all(part(document) for part in parts)

    def _one(self) -> _Condition:
        group, field = self._take()
        if field == "(":
            condition = self._any()
            if self._take()[1] != ")":
                raise _refusal(self._text, "lacks a )")
            return condition
        if group != "field":
            raise _refusal(self._text, f"has '{field}' where a field such as $.level should be")
        path = _path(field)
        _, sign = self._take()
        if sign == "NOT" and self._take()[1] == "EXISTS":
            return lambda document: _value(document, path) is _ABSENT
        kind, wanted = self._take()
        if sign == "IS" and wanted in _CONSTANTS:
            return lambda document: _value(document, path) is _CONSTANTS[wanted]
        if sign not in _ORDERS or kind not in ("text", "word"):
            raise _refusal(self._text, f"compares {field} with {sign} {wanted}, which is not understood")
        return self._comparison(path, sign, json.loads(wanted) if kind == "text" else wanted, kind)

    def _comparison(self, path: list[str | int], sign: str, wanted: str, kind: str) -> _Condition:
        if kind == "word" and _NUMBER.fullmatch(wanted):
            number, order = float(wanted), _ORDERS[sign]
            return lambda document: _is_number(value := _value(document, path)) and order(value, number)
        if sign not in ("=", "!="):
            raise _refusal(self._text, f"orders by {wanted}, which is no number")
        wildcard = wanted.replace("[", "[[]").replace("?", "[?]")  # of fnmatch's signs only * counts
        equal = sign == "="
        return lambda document: (
            isinstance(value := _value(document, path), str) and fnmatchcase(value, wildcard) == equal
        )


def _path(field: str) -> list[str | int]:
    steps = re.findall(r"\.([A-Za-z0-9_-]+)|\[(\d+)\]", field)
    return [name or int(index) for name, index in steps]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _value(document: Any, path: list[str | int]) -> Any:
    for step in path:
        try:
            document = document[step]
        except (KeyError, IndexError, TypeError):
            return _ABSENT
    return document
