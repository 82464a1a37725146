"""Values as the text of a Terraform configuration."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from local.provider.engine.schema import Block
from local.provider.engine.values import Values
from tests.local.probes.probe import Expression


def resource(address: str, block: Block, config: Values) -> str:
    """The block of a resource, or of a data source, whose address begins with `data.`."""
    *kind, type_name, name = address.split(".")
    head = f'{"data" if kind else "resource"} "{type_name}" "{name}"'
    return "\n".join([f"{head} {{", *_body(block, config, "  "), "}", ""])


def _body(block: Block, config: Mapping[str, Any], indent: str) -> Iterator[str]:
    for name, value in config.items():
        nested = block.blocks.get(name)
        if value is None:
            continue
        if nested is None:
            yield f"{indent}{name} = {_value(value)}"
            continue
        for item in value if isinstance(value, list) else [value]:
            yield f"{indent}{name} {{"
            yield from _body(nested.body, item, f"{indent}  ")
            yield f"{indent}}}"


def _value(value: Any) -> str:
    if isinstance(value, Expression):
        return value
    if isinstance(value, dict):
        pairs = ", ".join(f"{_value(key)} = {_value(item)}" for key, item in value.items())
        return f"{{ {pairs} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("${", "$${").replace("%{", "%%{")
    return json.dumps(value)
