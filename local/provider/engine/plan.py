"""PlanResourceChange: what the genuine provider would say, from the schema and the declaration."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from local.provider.engine.aws import Aws
from local.provider.engine.errors import Problem, not_implemented
from local.provider.engine.legacy import shape
from local.provider.engine.resource import Resource
from local.provider.engine.schema import Block
from local.provider.engine.state import counterpart, settle
from local.provider.engine.values import UNKNOWN, Values, at

ENGINE_ARGUMENTS = frozenset({"id", "region", "tags", "tags_all", "timeouts"})


def unimplemented(resource: Resource, config: Values, block: Block) -> Iterator[Problem]:
    """A refusal for each argument that the configuration sets and the declaration does not carry out."""
    yield from _unimplemented(resource, config, block, "", inside=False)


def _unimplemented(
    resource: Resource, values: Values, block: Block, prefix: str, *, inside: bool
) -> Iterator[Problem]:
    for name in (*block.attributes, *block.blocks):
        value = values.get(name)
        path = prefix + name
        if value is None or value in ([], {}) or (not prefix and name in ENGINE_ARGUMENTS):
            continue
        if path in resource.refused:
            yield not_implemented(resource.type, path)
            continue
        listed = inside or path in resource.arguments
        nested = block.blocks.get(name)
        if nested is None or value is UNKNOWN:
            if not listed:
                yield not_implemented(resource.type, path)
            continue
        if not listed and not any(argument.startswith(f"{path}.") for argument in resource.arguments):
            yield not_implemented(resource.type, path)
            continue
        for item in value if isinstance(value, list) else [value]:
            if item is not UNKNOWN:
                yield from _unimplemented(resource, item, nested.body, f"{path}.", inside=listed)


@dataclass(frozen=True)
class Change:
    """What Terraform asks to plan, each conformed to the type's schema; no prior state is a creation."""

    prior: Values | None
    proposed: Values
    config: Values


def plan(resource: Resource, block: Block, aws: Aws, change: Change) -> tuple[Values, list[str]]:
    """The planned state, and the paths that force a replacement.

    Raises Problem for what the stand-in does not implement or the genuine provider refuses while planning.
    """
    prior, config = change.prior, change.config
    for problem in unimplemented(resource, config, block):
        raise problem
    planned = copy.deepcopy(change.proposed)
    for path, value in resource.defaults.items():
        _set_default(planned, path.split("."), value)
    if not resource.framework:
        planned = shape(planned, prior, block)
    for path, normal in resource.normal.items():
        _normalise(planned, path.split("."), normal)
    _mark_computed(planned, prior, block)
    for path in resource.computed_blocks:
        _leave_block(planned, prior, path.split("."))
    if "region" in block.attributes:
        planned["region"] = config["region"] or aws.region
    if "tags_all" in block.attributes:
        planned["tags_all"] = _all_tags(aws, prior, planned["tags"])
    if prior is not None:
        planned = settle(planned, prior, block, resource.equivalent)
    resource.plan(aws, prior, planned, config)
    if prior is None:
        return planned, []
    changed = [
        path
        for path in sorted(resource.force_new | {"region"})
        if list(at(prior, path)) != list(at(planned, path))
    ]
    return planned, changed


def _set_default(values: Any, steps: list[str], default: Any) -> None:
    for item in values if isinstance(values, list) else [values]:
        if not isinstance(item, dict):
            continue
        if len(steps) > 1:
            _set_default(item.get(steps[0]), steps[1:], default)
        elif item.get(steps[0]) is None:
            item[steps[0]] = copy.deepcopy(default)


def _normalise(values: Any, steps: list[str], normal: Callable[[str], str]) -> None:
    for item in values if isinstance(values, list) else [values]:
        if not isinstance(item, dict):
            continue
        if len(steps) > 1:
            _normalise(item.get(steps[0]), steps[1:], normal)
        elif isinstance(item.get(steps[0]), str):
            item[steps[0]] = normal(item[steps[0]])


def _leave_block(values: Any, prior: Any, steps: list[str]) -> None:
    """A block that is not written is the service's: unknown where it is new, else as it is."""
    name = steps[0]
    for index, item in enumerate(values if isinstance(values, list) else [values]):
        if not isinstance(item, dict):
            continue
        before = prior[index] if isinstance(prior, list) and index < len(prior) else prior or None
        before = before if isinstance(before, dict) else None
        if len(steps) > 1:
            _leave_block(item[name], before and before[name], steps[1:])
        elif not item[name]:
            item[name] = UNKNOWN if before is None else before[name]


def _all_tags(aws: Aws, prior: Values | None, tags: Any) -> Any:
    """All tags, with the provider's: a change to none, or to one without a value, is unknown."""
    if tags is UNKNOWN:
        return UNKNOWN
    everything = {**aws.default_tags, **(tags or {})}
    if prior is not None and everything == (prior["tags_all"] or {}):
        return prior["tags_all"]
    return everything if everything and "" not in everything.values() else UNKNOWN


def _mark_computed(planned: Values, prior: Values | None, block: Block) -> None:
    """Unknown for every computed attribute that a new body leaves open; an old one keeps what it had."""
    if prior is None:
        for name, attribute in block.attributes.items():
            if attribute.computed and planned[name] is None:
                planned[name] = UNKNOWN
    for name, nested in block.blocks.items():
        items = planned[name]
        if isinstance(items, dict):
            items = [items]
        if isinstance(items, list):
            for index, item in enumerate(items):
                if item is not UNKNOWN:
                    _mark_computed(item, counterpart(item, index, prior and prior[name], nested), nested.body)
