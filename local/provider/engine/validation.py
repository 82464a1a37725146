"""The run of a table of rules over a configuration, in the way of the SDK that the genuine provider uses.

An argument with a value that is not wholly known is left alone, with all that is in it: Terraform asks again
while planning, when more is known.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from local.provider.engine.errors import Problem
from local.provider.engine.rules import CollectionRule, Relation, Rule, Table, ValueRule
from local.provider.engine.schema import Attribute, Block, NestedBlock
from local.provider.engine.values import UNKNOWN, Values, wholly_known


@dataclass(frozen=True)
class Planned:
    """What was planned for one resource: `values`, from `config` and what there was; None for a creation."""

    prior: Values | None
    config: Values
    values: Values


PlanRule = Callable[[Planned], Iterable[Problem]]


@dataclass(frozen=True)
class Rules:
    """The rules of one type.

    `fractions` are the paths of the numbers that need not be whole. A type of the plugin framework, not of
    the SDK, checks `each_value` that is known, whatever is beside it.
    """

    table: Table
    fractions: Collection[str] = frozenset()
    each_value: bool = False

    def at(self, path: str) -> Sequence[Rule]:
        """The rules of an argument."""
        found = self.table.get(path, ())
        return (found,) if isinstance(found, ValueRule | CollectionRule | Relation) else found


def check(type_name: str, rules: Rules, config: Values, block: Block) -> Iterator[Problem]:
    """A Problem for each argument that its rules refuse, for the first of its reasons."""
    for path, complaint in _body(rules, config, block, ""):
        yield Problem(f"{type_name}: invalid {path}", f"{path} {complaint}.", path.split(".")[0])


def _body(rules: Rules, values: Values, block: Block, prefix: str) -> Iterator[tuple[str, str]]:
    body = {name: None if value == [] and name in block.blocks else value for name, value in values.items()}
    for name, value in body.items():
        path = prefix + name
        complaint = _relations(rules.at(path), name, body)
        if complaint is not None:
            yield path, complaint
        elif value is not None and (wholly_known(value) or (rules.each_value and value is not UNKNOWN)):
            nested = block.blocks.get(name)
            if nested is None:
                yield from _attribute(rules, value, block.attributes[name], path)
            else:
                yield from _blocks(rules, value, nested, path)


def _relations(rules: Sequence[Rule], name: str, body: Values) -> str | None:
    value = body[name]
    for rule in rules:
        if not isinstance(rule, Relation):
            continue
        if rule.asked == "always" or (value is not None and (rule.asked == "written" or wholly_known(value))):
            complaint = rule.complaint(name, body)
            if complaint:
                return complaint
    return None


def _collection(rules: Sequence[Rule], value: Any) -> str | None:
    found = (rule.complaint(value) for rule in rules if isinstance(rule, CollectionRule))
    return next((complaint for complaint in found if complaint), None)


def _blocks(rules: Rules, value: Any, nested: NestedBlock, path: str) -> Iterator[tuple[str, str]]:
    items = value if isinstance(value, list) else [value]
    if complaint := _collection(rules.at(path), items):
        yield path, complaint
        return
    for item in items:
        if item is not UNKNOWN:
            yield from _body(rules, item, nested.body, f"{path}.")


def _attribute(rules: Rules, value: Any, attribute: Attribute, path: str) -> Iterator[tuple[str, str]]:
    found = rules.at(path)
    if complaint := _collection(found, value):
        yield path, complaint
        return
    numbers = attribute.type == "number" or (
        isinstance(attribute.type, list) and attribute.type[-1] == "number"
    )
    for item in _elements(value):
        if item is None or item is UNKNOWN:
            continue
        if numbers and isinstance(item, float) and path not in rules.fractions:
            yield path, f"must be a whole number, not {item}"
            continue
        complaints = (rule.complaint(item) for rule in found if isinstance(rule, ValueRule))
        first = next((complaint for complaint in complaints if complaint), None)
        if first:
            yield path, first


def _elements(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else [value]
