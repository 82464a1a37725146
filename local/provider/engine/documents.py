"""JSON documents in the form in which the genuine provider plans them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

# What Go's encoder escapes, so that a document can stand inside HTML.
_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
# From here on Go writes a number with an exponent.
_EXPONENT = 1e21


def go_json(document: Any, indent: int | None = None) -> str:
    """JSON as Go's encoder writes it: compact or indented, with what HTML could mistake escaped."""
    separators = (",", ": ") if indent else (",", ":")
    text = json.dumps(document, indent=indent, separators=separators, ensure_ascii=False)
    return "".join(_ESCAPES.get(character, character) for character in text)


def compact_document(text: str) -> str:
    """A document without spaces, its keys in order; a text that is no JSON as it is."""
    document = _parse(text)
    return text if document is None else go_json(document)


def compact_role_policy(text: str) -> str:
    """The same with the version first, which IAM wants of a policy that is part of a role."""
    document = _parse(text)
    if not isinstance(document, Mapping) or document.get("Version") != "2012-10-17":
        return compact_document(text)
    return go_json({"Version": document["Version"], **document})


def compact_pattern(text: str) -> str:
    """An event pattern: the same with `<`, `>` and `&` as they are."""
    compact = compact_document(text)
    for character in "<>&":
        compact = compact.replace(_ESCAPES[character], character)
    return compact


def _parse(text: str) -> Any:
    """The document with its keys in order; None for what is no JSON."""
    try:
        return _ordered(json.loads(text, parse_float=_number, parse_int=_number))
    except ValueError:
        return None


def _ordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _ordered(value[key]) for key in sorted(value)}
    return [_ordered(item) for item in value] if isinstance(value, list) else value


def _number(digits: str) -> int | float:
    """A number as Go holds it: a fraction that is none is written as a whole number."""
    number = float(digits)
    return int(number) if number.is_integer() and abs(number) < _EXPONENT else number
