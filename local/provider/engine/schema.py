"""The schema file as objects, and as the protocol's messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, cast

from tf.gen import tfplugin_pb2 as pb

from local.provider.engine.values import UNKNOWN, Values, number
from local.provider.schema import SCHEMA_FILE

Nesting = Literal["list", "set", "single"]


@dataclass(frozen=True)
class Attribute:
    """One argument or attribute; `type` is Terraform's JSON notation of a type."""

    type: Any
    required: bool = False
    optional: bool = False
    computed: bool = False
    sensitive: bool = False

    @property
    def collection(self) -> str | None:
        """`list`, `set`, `map` or `object`; None for a primitive."""
        return cast(str, self.type[0]) if isinstance(self.type, list) else None


@dataclass(frozen=True)
class Block:
    """A body: its attributes and its nested blocks."""

    attributes: Mapping[str, Attribute]
    blocks: Mapping[str, NestedBlock]

    def null(self) -> Values:
        """The body with nothing set."""
        return {
            **dict.fromkeys(self.attributes),
            **{name: block.empty() for name, block in self.blocks.items()},
        }

    def paths(self, prefix: str = "") -> Iterator[str]:
        """Every dotted path of an attribute or a block."""
        for name in self.attributes:
            yield prefix + name
        for name, block in self.blocks.items():
            yield prefix + name
            yield from block.body.paths(f"{prefix}{name}.")


@dataclass(frozen=True)
class NestedBlock:
    """A nested block: how many, in what kind of collection; `maximum` 0 is without bound."""

    nesting: Nesting
    body: Block
    minimum: int = 0
    maximum: int = 0

    def empty(self) -> Any:
        """The value of a block that is not written."""
        return None if self.nesting == "single" else []


@dataclass(frozen=True)
class ProviderSchema:
    """All that the file holds; `version` is that of the provider it was generated from."""

    version: str
    provider: Block
    resources: Mapping[str, Block]
    data_sources: Mapping[str, Block]


def _block(document: Mapping[str, Any]) -> Block:
    return Block(
        attributes={name: Attribute(**flags) for name, flags in document["attributes"].items()},
        blocks={
            name: NestedBlock(nested["nesting"], _block(nested), nested.get("min", 0), nested.get("max", 0))
            for name, nested in document["blocks"].items()
        },
    )


@cache
def load() -> ProviderSchema:
    """The schema, read once."""
    document = json.loads(SCHEMA_FILE.read_text())
    return ProviderSchema(
        version=document["provider_version"],
        provider=_block(document["provider"]),
        resources={name: _block(body) for name, body in document["resources"].items()},
        data_sources={name: _block(body) for name, body in document["data_sources"].items()},
    )


_NESTING = {
    "list": pb.Schema.NestedBlock.LIST,
    "set": pb.Schema.NestedBlock.SET,
    "single": pb.Schema.NestedBlock.SINGLE,
}


def _block_message(block: Block) -> Any:
    return pb.Schema.Block(
        attributes=[
            pb.Schema.Attribute(
                name=name,
                type=json.dumps(attribute.type).encode(),
                required=attribute.required,
                optional=attribute.optional,
                computed=attribute.computed,
                sensitive=attribute.sensitive,
            )
            for name, attribute in block.attributes.items()
        ],
        block_types=[
            pb.Schema.NestedBlock(
                type_name=name,
                block=_block_message(nested.body),
                nesting=_NESTING[nested.nesting],
                min_items=0 if nested.nesting == "single" else nested.minimum,
                max_items=0 if nested.nesting == "single" else nested.maximum,
            )
            for name, nested in block.blocks.items()
        ],
    )


@cache
def message() -> Any:
    """The answer to GetProviderSchema."""
    schema = load()
    return pb.GetProviderSchema.Response(
        provider=pb.Schema(block=_block_message(schema.provider)),
        resource_schemas={
            name: pb.Schema(block=_block_message(body)) for name, body in schema.resources.items()
        },
        data_source_schemas={
            name: pb.Schema(block=_block_message(body)) for name, body in schema.data_sources.items()
        },
    )


def conform(values: Mapping[str, Any] | None, block: Block) -> Values:
    """`values` with exactly the names of `block`: absent ones null or empty, numbers as Python holds them."""
    values = values or {}
    return {
        **{name: _conform(values.get(name), attribute.type) for name, attribute in block.attributes.items()},
        **{name: _conform_nested(values.get(name), nested) for name, nested in block.blocks.items()},
    }


def _conform_nested(value: Any, nested: NestedBlock) -> Any:
    if value is UNKNOWN:
        return UNKNOWN
    if nested.nesting == "single":
        return None if value is None else conform(value, nested.body)
    return [conform(item, nested.body) if item is not UNKNOWN else UNKNOWN for item in value or []]


def _conform(value: Any, kind: Any) -> Any:
    if value is None or value is UNKNOWN:
        return value
    if isinstance(kind, list):
        return _conform_collection(value, kind[0], kind[1])
    if kind == "number":
        return number(value)
    return str(value) if kind == "string" else value


def _conform_collection(value: Any, collection: str, element: Any) -> Any:
    if collection == "map":
        return {key: _conform(item, element) for key, item in value.items()}
    if collection == "object":
        return {name: _conform(value.get(name), inner) for name, inner in element.items()}
    return [_conform(item, element) for item in value]
