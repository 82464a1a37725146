"""PlanResourceChange: what the genuine provider would say, from the schema and the declaration."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from local.provider.engine.aws import Aws
from local.provider.engine.errors import Problem, not_implemented
from local.provider.engine.resource import Resource
from local.provider.engine.schema import Block, NestedBlock
from local.provider.engine.state import settle
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
    _mark_computed(planned, prior, block)
    for name in resource.computed_blocks:
        if not config[name]:
            planned[name] = UNKNOWN if prior is None else prior[name]
    if "region" in block.attributes:
        planned["region"] = config["region"] or aws.region
    if "tags_all" in block.attributes:
        planned["tags_all"] = (
            UNKNOWN if planned["tags"] is UNKNOWN else {**aws.default_tags, **(planned["tags"] or {})}
        )
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
                    _mark_computed(
                        item, _counterpart(item, index, prior and prior[name], nested), nested.body
                    )


def _counterpart(item: Values, index: int, prior: Any, nested: NestedBlock) -> Values | None:
    if isinstance(prior, dict):
        return prior
    if not isinstance(prior, list):
        return None
    if nested.nesting == "set":
        return item if item in prior else None
    return prior[index] if index < len(prior) else None
