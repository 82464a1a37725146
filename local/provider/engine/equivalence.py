"""Texts that mean the same."""

from __future__ import annotations

import json
from typing import Any


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
