"""A plan of as many resources as wanted: copies of the modules of a real one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def grown(document: Mapping[str, Any], resources: int, prefix: str) -> dict[str, Any]:
    """The plan's root modules, copied until there are `resources`; `prefix` is what their names begin with.

    Copies have names and addresses of their own, so that they refer to themselves. Raises ValueError when the
    plan has no modules, or nothing has that prefix.
    """
    configuration = document["configuration"]["root_module"]
    calls = configuration.get("module_calls", {})
    changes = [change for change in document["resource_changes"] if change.get("module_address")]
    if not calls or not changes:
        raise ValueError("the plan has no resources in modules")
    text = json.dumps({"changes": changes, "calls": calls})
    if prefix not in text:
        raise ValueError(f'nothing in the plan is named "{prefix}…"; name what its resources begin with')
    copied_changes: list[Any] = []
    copied_calls: dict[str, Any] = {}
    number = 0
    while len(copied_changes) < resources:
        copy = text.replace(prefix, f"{prefix}-{number}")
        for name in calls:
            copy = copy.replace(f"module.{name}.", f"module.{name}{number}.")
            copy = copy.replace(f"module.{name}[", f"module.{name}{number}[")
            copy = copy.replace(f'"module.{name}"', f'"module.{name}{number}"')
        made = json.loads(copy)
        copied_changes += made["changes"][: resources - len(copied_changes)]
        copied_calls |= {f"{name}{number}": call for name, call in made["calls"].items()}
        number += 1
    return {
        "format_version": document["format_version"],
        "resource_changes": copied_changes,
        "configuration": {"root_module": {**configuration, "module_calls": copied_calls}},
    }
