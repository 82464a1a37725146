"""Plans written by hand: changes, and the configuration that says where their values come from."""

from __future__ import annotations

import re
from typing import Any

from policies.plan import Plan
from tests.policies.support.judging import plan_of

ADDRESS = re.compile(r"^(?:(module\..+)\.)?([a-z_]+)\.([a-z_]+)(?:\[[^.]*\])?$")


def resource(address: str, values: Any = None, unknown: Any = None, *, index: Any = None) -> dict[str, Any]:
    """A created resource whose module and name are those of its address."""
    parts = ADDRESS.match(address)
    assert parts is not None
    module, kind, name = parts.groups()
    made: dict[str, Any] = {
        "address": address,
        "mode": "managed",
        "type": kind,
        "name": name,
        "change": {"actions": ["create"], "after": values or {}, "after_unknown": unknown or {}},
    }
    if module:
        made["module_address"] = module
    if index is not None:
        made["index"] = index
    return made


def block(label: str, expressions: Any = None, **more: Any) -> dict[str, Any]:
    """A resource block of the configuration."""
    return {"address": label, "mode": "managed", "expressions": expressions or {}, **more}


def refs(*names: str) -> dict[str, Any]:
    """An expression that refers to these."""
    return {"references": list(names)}


def document(changes: list[Any], root: Any) -> dict[str, Any]:
    """A plan of these changes, whose root module is `root`."""
    return {"format_version": "1.2", "resource_changes": changes, "configuration": {"root_module": root}}


def plan(changes: list[Any], root: Any) -> Plan:
    """The same as the gate reads it."""
    return plan_of(document(changes, root))
