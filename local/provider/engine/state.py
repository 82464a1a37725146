"""Bringing what a service says into the form that the state and the configuration have."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from local.provider.engine.resource import Equivalence
from local.provider.engine.schema import Attribute, Block, NestedBlock
from local.provider.engine.values import UNKNOWN, Values, is_zero


def settle(new: Values, old: Values | None, block: Block, equivalent: Mapping[str, Equivalence]) -> Values:
    """`new`, keeping the form that `old` has wherever the two mean the same.

    Same meaning: both zero (an SDK-based provider cannot tell null from an empty or false value), equal as
    sets, or equivalent by the function that `equivalent` names for their path. What has no old form and is
    zero becomes null.
    """
    return _settle_body(new, old or {}, block, equivalent, "")


def _settle_body(
    new: Values, old: Values, block: Block, equivalent: Mapping[str, Equivalence], prefix: str
) -> Values:
    settled: Values = {}
    for name, attribute in block.attributes.items():
        settled[name] = _settle(new[name], old.get(name), attribute, equivalent.get(prefix + name))
    for name, nested in block.blocks.items():
        settled[name] = _settle_nested(new[name], old.get(name), nested, equivalent, f"{prefix}{name}.")
    return settled


def _settle(new: Any, old: Any, attribute: Attribute, same: Equivalence | None) -> Any:
    if new is UNKNOWN or old is UNKNOWN:
        return new
    if not attribute.computed and not attribute.required and is_zero(new) and is_zero(old):
        return old
    if new is None or old is None:
        return new
    if same is not None and same(new, old):
        return old
    if attribute.collection == "set" and _sorted(new) == _sorted(old):
        return old
    return new


def _settle_nested(
    new: Any, old: Any, nested: NestedBlock, equivalent: Mapping[str, Equivalence], prefix: str
) -> Any:
    if new is UNKNOWN or old is UNKNOWN or new is None:
        return new
    if nested.nesting == "single":
        return _settle_body(new, old or {}, nested.body, equivalent, prefix)
    old = old or []
    if nested.nesting == "list":
        return [
            _settle_body(item, old[index] if index < len(old) else {}, nested.body, equivalent, prefix)
            if item is not UNKNOWN
            else UNKNOWN
            for index, item in enumerate(new)
        ]
    remaining = list(old)
    settled = []
    for item in new:
        match = item
        for candidate in remaining:
            if _settle_body(item, candidate, nested.body, equivalent, prefix) == candidate:
                remaining.remove(candidate)
                match = candidate
                break
        else:
            match = _settle_body(item, {}, nested.body, equivalent, prefix)
        settled.append(match)
    return settled


def counterpart(item: Values, index: int, prior: Any, nested: NestedBlock) -> Values | None:
    """The body in `prior`, a block's former value, that `item` of the block succeeds; None for a new one."""
    if isinstance(prior, dict):
        return prior
    if not isinstance(prior, list):
        return None
    if nested.nesting == "set":
        return item if item in prior else None
    return prior[index] if index < len(prior) else None


def _sorted(values: list[Any]) -> list[str]:
    return sorted(json.dumps(value, sort_keys=True, default=repr) for value in values)


def split_tags(
    observed: Mapping[str, str], state: Mapping[str, Any], default_tags: Mapping[str, str]
) -> Values:
    """`tags` and `tags_all` for the tags that a service reports.

    `tags` is what the configuration is compared with: without those that the provider's default tags account
    for, unless the resource repeats them. Tags of AWS itself (`aws:`) belong to neither.
    """
    everything = {key: value for key, value in observed.items() if not key.startswith("aws:")}
    own = state.get("tags") or {}
    tags = {key: value for key, value in everything.items() if key in own or default_tags.get(key) != value}
    return {"tags": tags or (state.get("tags") if not own else None), "tags_all": everything}
