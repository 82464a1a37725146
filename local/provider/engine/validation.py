"""Checks of single values, and their run over a configuration."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from local.provider.engine.errors import Problem
from local.provider.engine.resource import Validator
from local.provider.engine.values import UNKNOWN, Values, at


def check(type_name: str, validators: Mapping[str, Validator], config: Values) -> Iterator[Problem]:
    """A Problem for each known value that its validator refuses."""
    for path, validator in validators.items():
        for found in at(config, path):
            for value in found if isinstance(found, list) else [found]:
                if value is None or value is UNKNOWN:
                    continue
                complaint = validator(value)
                if complaint:
                    yield Problem(f"{type_name}: invalid {path}", f"{path} {complaint}.", path.split(".")[0])


def check_conflicts(groups: tuple[tuple[str, ...], ...], config: Values) -> Iterator[Problem]:
    """A Problem for each group of which more than one argument is written.

    A value that is not known yet may turn out to be null: it waits, as in the genuine provider.
    """
    for names in groups:
        written = [name for name in names if config[name] not in (None, [], {}, UNKNOWN)]
        if len(written) > 1:
            yield Problem(f"{' and '.join(written)} exclude each other", "Write one of them.", written[-1])


def one_of(*allowed: str) -> Validator:
    """The value is one of `allowed`."""
    return lambda value: None if value in allowed else f"must be one of {', '.join(allowed)}, not {value!r}"


def between(low: float, high: float) -> Validator:
    """The number is from `low` to `high`, both included."""
    return lambda value: None if low <= value <= high else f"must be from {low} to {high}, not {value}"


def length(low: int, high: int) -> Validator:
    """The string has from `low` to `high` characters."""
    return lambda value: (
        None if low <= len(value) <= high else f"must have from {low} to {high} characters, not {len(value)}"
    )


def matches(pattern: str, meaning: str) -> Validator:
    """The whole string matches `pattern`; `meaning` completes the sentence "must ..."."""
    compiled = re.compile(pattern)
    return lambda value: None if compiled.fullmatch(value) else f"must {meaning}, not {value!r}"


def arn(value: str) -> str | None:
    """The string is an ARN."""
    return (
        None
        if re.fullmatch(r"arn:[^:]+:[^:]*:[^:]*:[^:]*:.+", value, re.S)
        else f"must be an ARN, not {value!r}"
    )


def json_text(value: str) -> str | None:
    """The string holds JSON."""
    try:
        json.loads(value)
    except ValueError as error:
        return f"must be valid JSON: {error}"
    return None


def same_json(left: str, right: str) -> bool:
    """True when two strings hold the same JSON."""
    try:
        return bool(json.loads(left) == json.loads(right))
    except ValueError:
        return left == right


def same_policy(left: str, right: str) -> bool:
    """True when two policies grant the same: a list of one is its element, and lists have no order."""
    try:
        return bool(_policy(json.loads(left)) == _policy(json.loads(right)))
    except ValueError:
        return left == right


def _policy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _policy(item) for key, item in value.items()}
    if isinstance(value, list):
        items = sorted((_policy(item) for item in value), key=lambda item: json.dumps(item, sort_keys=True))
        return items[0] if len(items) == 1 else items
    if isinstance(value, bool):
        return str(value).lower()
    return value
