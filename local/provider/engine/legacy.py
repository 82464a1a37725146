"""What plugin-sdk v2, through which the genuine provider plans most of its types, makes of a planned value.

It keeps a plan as flat text, which has no place for some of what Terraform tells apart:

- a map, list or set of plain values with one unknown element is unknown as a whole;
- an element of a map that is null is not there; in a list or a set it is an error;
- an empty map or set is one that is not written, where nothing was there before: null, or unknown where the
  service fills it in; so is an empty text that the service may fill in;
- in a block that is a member of a set, a text that is not written is empty, and so is a list or a set.
"""

from __future__ import annotations

from typing import Any

from local.provider.engine.errors import Problem
from local.provider.engine.schema import Attribute, Block
from local.provider.engine.state import counterpart
from local.provider.engine.values import UNKNOWN, Values


def shape(planned: Values, prior: Values | None, block: Block, *, in_set: bool = False) -> Values:
    """`planned` as plugin-sdk v2 plans it; `in_set`: the block is a member of a set, or inside one.

    Raises Problem for a null in a list or a set.
    """
    shaped: Values = {}
    for name, attribute in block.attributes.items():
        value = _collapsed(name, planned[name], attribute)
        shaped[name] = _emptied(value, prior, prior and prior[name], attribute, in_set=in_set)
    for name, nested in block.blocks.items():
        items = planned[name]
        within = in_set or nested.nesting == "set"
        before = prior and prior[name]
        if isinstance(items, dict):
            shaped[name] = shape(items, counterpart(items, 0, before, nested), nested.body, in_set=within)
        elif isinstance(items, list):
            shaped[name] = [
                item
                if item is UNKNOWN
                else shape(item, counterpart(item, index, before, nested), nested.body, in_set=within)
                for index, item in enumerate(items)
            ]
        else:
            shaped[name] = items
    return shaped


def _collapsed(name: str, value: Any, attribute: Attribute) -> Any:
    """A collection of plain values, as flat text holds it."""
    if not isinstance(value, list | dict) or not isinstance(attribute.type[1], str):
        return value
    elements = value.values() if isinstance(value, dict) else value
    if any(element is UNKNOWN for element in elements):
        return UNKNOWN
    if isinstance(value, dict):
        return {key: element for key, element in value.items() if element is not None}
    if any(element is None for element in elements):
        raise Problem("Null value found in list", f"A null is not allowed in {name}.", name)
    return value


def _emptied(value: Any, body: Values | None, prior: Any, attribute: Attribute, *, in_set: bool) -> Any:
    """A value that flat text may not tell from one that is not written; `body` is what had `prior`."""
    kind = attribute.collection or attribute.type
    if value == "" and attribute.computed:
        return prior
    if body is None and kind in ("map", "set") and not value:
        value = None
    if value is None and in_set and not attribute.computed:
        return "" if kind == "string" else [] if kind in ("list", "set") else None
    return value
