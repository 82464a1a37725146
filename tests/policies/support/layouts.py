"""Stacks rendered as plans: flat, in modules, repeated, with known or unknown references."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.policies.support.stack import (
    ARN_PREFIXES,
    KNOWN_ATTRIBUTES,
    Json,
    Opaque,
    Policy,
    Ref,
    Res,
    document_blocks,
    identity,
    opaque_in,
    refs_in,
    resolved,
)

PROVIDER = "registry.terraform.io/hashicorp/aws"
COMPUTED = ("arn", "id")
ELSEWHERE = "local.elsewhere"


@dataclass(frozen=True)
class Layout:
    """How a stack is spread over modules and instances.

    `module` names the module of a resource ("" for the root); `resource_keys` and `module_keys` say which of
    the two carries the instances `a` and `b`.
    """

    name: str
    module: Callable[[Res], str] = lambda _: ""
    resource_keys: bool = False
    module_keys: bool = False

    @property
    def repeated(self) -> bool:
        return self.resource_keys or self.module_keys

    def address(self, label: str, key: str | None, module: str) -> str:
        """The address of an instance."""
        prefix = (
            f"module.{module}" + (f'["{key}"]' if self.module_keys and key else "") + "." if module else ""
        )
        return f"{prefix}{label}" + (f'["{key}"]' if self.resource_keys and key else "")


def own_module(resource: Res) -> str:
    return resource.label.replace(".", "_")


FLAT = Layout("flat")
LAYOUTS = (
    FLAT,
    Layout("module", module=lambda _: "job"),
    Layout("for_each", resource_keys=True),
    Layout("module-for_each", module=lambda _: "job", module_keys=True),
    Layout("module-each", module=own_module),
)


def render(
    stacks: Sequence[tuple[str | None, Sequence[Res]]], layout: Layout = FLAT, *, known: bool = True
) -> Any:
    """A plan of the stacks, each with the key of its instances. `known`: whether references are."""
    modules: dict[str, Any] = {}
    changes: list[Any] = []
    for key, stack in stacks:
        for resource in stack:
            _add(resource, key, layout, known, modules, changes)
    root = modules.setdefault("", _module())
    for name, module in modules.items():
        if name:
            root["module_calls"][name] = {
                "source": f"./modules/{name}",
                "expressions": module.pop("arguments"),
                "module": module,
                **({"for_each_expression": {"references": ["local.jobs"]}} if layout.module_keys else {}),
            }
    root.pop("arguments", None)
    return {
        "format_version": "1.2",
        "terraform_version": "1.11.4",
        "planned_values": {"root_module": _planned(changes)},
        "resource_changes": changes,
        "configuration": {"provider_config": {}, "root_module": root},
    }


def _planned(changes: list[Any]) -> dict[str, Any]:
    """The same resources once more, by module, without what is unknown: other tools read this part."""
    root: dict[str, Any] = {"resources": [], "child_modules": []}
    modules: dict[str, Any] = {"": root}
    for change in changes:
        if change["mode"] == "data":
            continue
        address = change.get("module_address", "")
        if address not in modules:
            modules[address] = {"address": address, "resources": []}
            root["child_modules"].append(modules[address])
        if change["change"]["after"] is None:
            continue
        about = {name: change[name] for name in ("address", "mode", "type", "name", "provider_name")}
        modules[address]["resources"].append({**about, "values": change["change"]["after"]})
    return root


def _module() -> dict[str, Any]:
    return {"resources": [], "module_calls": {}, "outputs": {}, "arguments": {}}


def _add(
    resource: Res, key: str | None, layout: Layout, known: bool, modules: dict[str, Any], changes: list[Any]
) -> None:
    name = layout.module(resource)
    module = modules.setdefault(name, _module())
    arguments = dict(resource.values)
    for attribute, value in resource.values.items():
        if isinstance(value, Policy) and not _readable(value, known):
            arguments[attribute] = _document(resource, attribute, value, key, layout, known, modules, changes)
    block = _block(module, resource.label, resource.type, resource.name, layout)
    for attribute, value in arguments.items():
        expression = _expression(value, resource, layout, modules)
        _merge(block["expressions"], attribute, expression)
    block["depends_on"] = [other.label for other in resource.depends_on if layout.module(other) == name]
    for other in resource.depends_on:
        if layout.module(other) != name:
            # Across modules an output carries the order.
            _merge(
                block["expressions"], "description", _reference(Ref(other, "id"), resource, layout, modules)
            )
    after, unknown = _values(arguments, known, collapses=True)
    for attribute in COMPUTED:
        if attribute not in after:
            unknown[attribute] = True
    changes.append(_change(resource, key, layout, name, after, unknown, "managed"))


def _document(
    resource: Res,
    attribute: str,
    policy: Policy,
    key: str | None,
    layout: Layout,
    known: bool,
    modules: dict[str, Any],
    changes: list[Any],
) -> Any:
    """Add the `aws_iam_policy_document` that an unreadable policy comes from; returns what refers to it."""
    name = layout.module(resource)
    data = Res("aws_iam_policy_document", f"{resource.type}_{resource.name}_{attribute}", {})
    label = f"data.{data.label}"
    block = _block(modules[name], label, data.type, data.name, layout)
    blocks = document_blocks(policy)
    _merge(block["expressions"], "statement", _expression(blocks, resource, layout, modules))
    after, unknown = _values({"statement": blocks, "version": policy.version}, known, collapses=False)
    unknown["json"] = True
    changes.append(_change(data, key, layout, name, after, unknown, "data"))
    return _FromData(label)


@dataclass(frozen=True)
class _FromData:
    label: str


def _readable(policy: Policy, known: bool) -> bool:
    return not opaque_in(policy) and (known or not any(_hidden(ref) for ref in refs_in(policy)))


def _hidden(ref: Ref) -> bool:
    return ref.attribute not in KNOWN_ATTRIBUTES


def _block(module: dict[str, Any], label: str, kind: str, name: str, layout: Layout) -> dict[str, Any]:
    for block in module["resources"]:
        if block["address"] == label:
            found: dict[str, Any] = block
            return found
    block = {
        "address": label,
        "mode": "data" if label.startswith("data.") else "managed",
        "type": kind,
        "name": name,
    }
    block["expressions"] = {}
    if layout.resource_keys:
        block["for_each_expression"] = {"references": ["local.jobs"]}
    module["resources"].append(block)
    return block


def _merge(expressions: dict[str, Any], attribute: str, expression: Any) -> None:
    """Two instances share one expression: references of either count."""
    before = expressions.get(attribute)
    if isinstance(before, dict) and isinstance(expression, dict):
        references = sorted({*before.get("references", []), *expression.get("references", [])})
        # What cannot be followed for one instance cannot be for the other.
        references = [ELSEWHERE] if ELSEWHERE in references else references
        expressions[attribute] = {"references": references} if references else expression
    elif before is None or isinstance(expression, list):
        expressions[attribute] = expression


def _expression(value: Any, resource: Res, layout: Layout, modules: dict[str, Any]) -> Any:
    if isinstance(value, _FromData):
        references = (
            [value.label, "each.key"] if layout.resource_keys else [f"{value.label}.json", value.label]
        )
        return {"references": references}
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return [
            {name: _expression(item, resource, layout, modules) for name, item in block.items()}
            for block in value
        ]
    references = sorted(
        {r for ref in refs_in(value) for r in _reference(ref, resource, layout, modules)["references"]}
    )
    if opaque_in(value):
        references = [ELSEWHERE]
    if references:
        return {"references": references}
    return {"constant_value": resolved(value)}


def _reference(ref: Ref, resource: Res, layout: Layout, modules: dict[str, Any]) -> dict[str, list[str]]:
    here, there = layout.module(resource), layout.module(ref.target)
    label = ref.target.label
    if here == there:
        references = [label, "each.key"] if layout.resource_keys else [f"{label}.{ref.attribute}", label]
        if ref.target.index is not None:
            one = f"{label}[{json.dumps(ref.target.index)}]"
            references = [f"{one}.{ref.attribute}", one, label]
        return {"references": references}
    variable = f"{there}_{ref.attribute}"
    output = {"expression": {"references": [f"{label}.{ref.attribute}", label]}}
    modules.setdefault(there, _module())["outputs"][ref.attribute] = output
    modules[here]["arguments"][variable] = {
        "references": [f"module.{there}.{ref.attribute}", f"module.{there}"]
    }
    return {"references": [f"var.{variable}"]}


def _values(arguments: Any, known: bool, *, collapses: bool) -> tuple[Any, Any]:
    """`after` and `after_unknown` of a value; an unknown one is left out of the first, or null in a list.

    `collapses`: as a provider on plugin-sdk v2 plans, a map, list or set with one unknown value is unknown.
    """
    if isinstance(arguments, dict):
        after, unknown = {}, {}
        for name, value in arguments.items():
            if _is_unknown(value, known) or (collapses and _has_unknown(value, known)):
                unknown[name] = True
            else:
                after[name], unknown[name] = _values(value, known, collapses=collapses)
        return after, {name: mark for name, mark in unknown.items() if mark not in (False, {}, [])}
    if isinstance(arguments, list):
        pairs = [
            (None, True) if _is_unknown(item, known) else _values(item, known, collapses=collapses)
            for item in arguments
        ]
        return [after for after, _ in pairs], [unknown for _, unknown in pairs]
    return resolved(arguments), False


def _has_unknown(value: Any, known: bool) -> bool:
    """Whether a collection of plain values, which no block is, holds an unknown one."""
    if isinstance(value, dict):
        return any(_is_unknown(item, known) for item in value.values())
    return isinstance(value, list) and any(_is_unknown(item, known) for item in value)


def _is_unknown(value: Any, known: bool) -> bool:
    if isinstance(value, Opaque | _FromData):
        return True
    if isinstance(value, Ref):
        return not known and _hidden(value)
    if isinstance(value, Json):
        return opaque_in(value) or (not known and any(_hidden(ref) for ref in refs_in(value)))
    return False


def _before(resource: Res) -> dict[str, Any]:
    """The values of an object that exists: nothing of it is unknown."""
    values = resource.values if resource.before is None else resource.before
    own = {"arn": identity(resource, "arn")} if resource.type in ARN_PREFIXES else {}
    return {**own, **resolved(values)}


def _change(
    resource: Res, key: str | None, layout: Layout, module: str, after: Any, unknown: Any, mode: str
) -> dict[str, Any]:
    label = resource.label if mode == "managed" else f"data.{resource.label}"
    address = layout.address(label, key, module)
    actions = list(resource.actions) if mode == "managed" else ["read"]
    exists = mode == "managed" and actions != ["create"]
    gone = actions in (["delete"], ["forget"])
    change: dict[str, Any] = {
        "address": address,
        "mode": mode,
        "type": resource.type,
        "name": resource.name,
        "provider_name": PROVIDER,
        "change": {
            "actions": actions,
            "before": _before(resource) if exists else None,
            "after": None if gone else after,
            "after_unknown": {} if gone else unknown,
        },
    }
    if module:
        change["module_address"] = address.removesuffix("." + layout.address(label, key, "").lstrip("."))
    if layout.resource_keys and key:
        change["index"] = key
    elif resource.index is not None and mode == "managed":
        change["index"] = resource.index
        change["address"] += f"[{json.dumps(resource.index)}]"
    return change
