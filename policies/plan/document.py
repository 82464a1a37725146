"""Reading `terraform show -json`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from policies.plan.addresses import module_path
from policies.plan.configuration import ModuleConfiguration
from policies.plan.model import Plan
from policies.plan.references import References
from policies.plan.resource import Leaving, Resource
from policies.plan.values import UNKNOWN, Block, merge

T = TypeVar("T")


class PlanError(Exception):
    """A file that cannot be judged; the message is one line and says what to write instead."""


# Actions after which the object that there was is still there.
_STAYING = frozenset({"no-op", "read", "update"})
_HOW = "Write one with: terraform show -json FILE.tfplan"


def read_plan(file: Path, context: list[Resource] | None = None) -> Plan:
    """A plan; `context` are resources that only serve to resolve references. Raises PlanError."""

    def read(node: Mapping[str, Any]) -> Plan:
        plan = plan_of(str(file), node, context or [])
        if not plan.leaving and not any(resource.judged for resource in plan.resources):
            raise PlanError(
                f"{file}: the plan holds no resources, so nothing can be judged. Plan the root that holds"
                " them"
            )
        return plan

    return _guarded(file, read)


def read_context(file: Path) -> list[Resource]:
    """The resources of a plan or state, for references only. Raises PlanError."""

    def read(node: Mapping[str, Any]) -> list[Resource]:
        if "resource_changes" in node:
            resources = list(_changed(str(file), node))
        else:
            values = node.get("values")
            if not isinstance(values, dict):
                raise PlanError(
                    f"{file}: neither a plan nor a state in JSON. {_HOW} (or terraform show -json, for the"
                    " state)"
                )
            resources = list(_stated(values.get("root_module")))
        return [_unjudged(resource) for resource in resources]

    return _guarded(file, read)


def _guarded(file: Path, read: Callable[[Mapping[str, Any]], T]) -> T:
    try:
        text = file.read_bytes()
    except IsADirectoryError as error:
        raise PlanError(f"{file}: a folder, not a plan; judge its HCL with --source. {_HOW}") from error
    except OSError as error:
        raise PlanError(f"{file}: cannot be read ({error.strerror})") from error
    if text[:2] == b"PK":
        raise PlanError(f"{file}: a plan in Terraform's own format, not JSON. {_HOW}")
    try:
        node = json.loads(text)
        if not isinstance(node, dict):
            raise PlanError(f"{file}: JSON, but not a plan: it is no object. {_HOW}")
        return read(node)
    except json.JSONDecodeError as error:
        raise PlanError(
            f"{file}: not JSON (line {error.lineno}, column {error.colno}: {error.msg}). {_HOW}"
        ) from error
    except ValueError as error:
        raise PlanError(f"{file}: not JSON that can be read ({type(error).__name__}). {_HOW}") from error
    except RecursionError as error:
        raise PlanError(f"{file}: nested more deeply than any plan is. {_HOW}") from error


def plan_of(name: str, node: Mapping[str, Any], context: Sequence[Resource] = ()) -> Plan:
    """A plan from what `terraform show -json` says of it; `name` is for messages. Raises PlanError."""
    if "resource_changes" not in node and "format_version" not in node:
        raise PlanError(f"{name}: JSON, but not a plan: it has no resource_changes. {_HOW}")
    if (
        isinstance(node.get("values"), dict)
        and "planned_values" not in node
        and "resource_changes" not in node
    ):
        raise PlanError(f"{name}: a state, not a plan; hand it over with --context beside a plan. {_HOW}")
    if node.get("errored") is True:
        raise PlanError(f"{name}: the plan ended in errors and is not whole. Mend them and plan again")
    resources = list(_changed(name, node))
    configuration = node.get("configuration")
    root = ModuleConfiguration.read(
        configuration.get("root_module") if isinstance(configuration, dict) else None
    )
    resources = [*(_as_written(resource, root) for resource in resources), *context]
    return Plan(name, resources, References(root, resources), list(_leaving(node)), list(_former(node)))


def _as_written(resource: Resource, root: ModuleConfiguration) -> Resource:
    """The resource without what is unknown only because it is not written: the provider fills it in."""
    module = root.descend(resource.module)
    block = module.resources.get(resource.label) if module else None
    if block is None:
        return resource
    fields = resource.values.fields
    kept = {
        name: value for name, value in fields.items() if value is not UNKNOWN or name in block.expressions
    }
    return replace(resource, values=Block(kept)) if len(kept) < len(fields) else resource


def _changed(name: str, node: Mapping[str, Any]) -> Iterator[Resource]:
    changes = node.get("resource_changes", [])
    if not isinstance(changes, list):
        raise PlanError(f"{name}: resource_changes is not a list; this is no plan. {_HOW}")
    for index, item in enumerate(changes):
        resource = _resource(item)
        if resource is None:
            raise PlanError(f"{name}: resource_changes[{index}] is not as Terraform writes it. {_HOW}")
        change = item.get("change")
        if not isinstance(change, dict):
            raise PlanError(f"{name}: resource_changes[{index}] has no change. {_HOW}")
        actions = change.get("actions")
        if not isinstance(actions, list) or not all(isinstance(action, str) for action in actions):
            raise PlanError(f"{name}: resource_changes[{index}].change has no list of actions. {_HOW}")
        after = change.get("after")
        if after is None and change.get("after_unknown") is not True and not change.get("after_unknown"):
            continue  # it will not exist
        if after is not None and not isinstance(after, dict):
            raise PlanError(f"{name}: resource_changes[{index}].change.after is no object. {_HOW}")
        values = merge(after or {}, change.get("after_unknown"))
        yield resource(values if isinstance(values, dict) else {})


def _leaving(node: Mapping[str, Any]) -> Iterator[Resource]:
    """The objects that a plan deletes or replaces. What it only forgets (`removed`, destroy = false) stays.

    A deposed object is what a replacement that broke off has left behind: it counts only where its successor
    does not exist yet, for it is then the one that is in use.
    """
    changes = node.get("resource_changes", [])
    kept = {
        item["address"]
        for item in changes
        if item.get("deposed") is None and _STAYING.issuperset(item["change"]["actions"])
    }
    for item in changes:
        actions, before = item["change"]["actions"], item["change"].get("before")
        if "delete" not in actions or (item.get("deposed") is not None and item["address"] in kept):
            continue
        gone = _resource(item)(before if isinstance(before, dict) else {})
        yield replace(gone, leaving=Leaving.DELETED if actions == ["delete"] else Leaving.REPLACED)


def _former(node: Mapping[str, Any]) -> Iterator[Resource]:
    """The objects that a plan updates, with the values that they have now."""
    for item in node.get("resource_changes", []):
        before = item["change"].get("before")
        if item["change"]["actions"] == ["update"] and isinstance(before, dict):
            yield _resource(item)(before)


def _resource(item: Any) -> Any:
    """A constructor that wants the values only, or None when the parts of the address are not right."""
    if not isinstance(item, dict):
        return None
    address, kind, name, mode = (item.get(part) for part in ("address", "type", "name", "mode"))
    key = item.get("index")
    if not (isinstance(address, str) and isinstance(kind, str) and isinstance(name, str)):
        return None
    if mode not in ("managed", "data") or isinstance(key, bool) or not isinstance(key, str | int | None):
        return None
    written = item.get("module_address", "")
    module = module_path(written) if isinstance(written, str) else None
    if module is None:
        return None

    def build(values: Mapping[str, Any]) -> Resource:
        return Resource(
            sys.intern(address),
            module,
            mode,
            sys.intern(kind),
            name,
            key,
            Block(values),
            judged=mode == "managed",
        )

    return build


def _stated(module: Any) -> Iterator[Resource]:
    if not isinstance(module, dict):
        return
    listed = module.get("resources", [])
    for item in listed if isinstance(listed, list) else []:
        if not isinstance(item, dict):
            continue
        written = module.get("address")
        resource = _resource({**item, "module_address": written if isinstance(written, str) else ""})
        values = item.get("values")
        if resource is not None and isinstance(values, dict):
            yield resource(values)
    children = module.get("child_modules", [])
    for child in children if isinstance(children, list) else []:
        yield from _stated(child)


def _unjudged(resource: Resource) -> Resource:
    return Resource(
        f"(context) {resource.address}",
        (),
        resource.mode,
        resource.type,
        f"(context) {resource.name}",
        resource.key,
        resource.values,
        judged=False,
    )
