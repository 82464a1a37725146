"""Speak the plugin protocol with the servicer directly: what Terraform would send, without Terraform."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tf.gen import tfplugin_pb2 as pb

from local.provider.data_sources import DATA_SOURCES
from local.provider.engine.schema import Block, NestedBlock, conform, load
from local.provider.engine.servicer import Servicer
from local.provider.engine.values import Values, decode, encode
from local.provider.resources import RESOURCES

ENDPOINT = (
    "http://127.0.0.1:9"  # the discard port: a call that reaches for it fails, and nothing else listens
)


@dataclass(frozen=True)
class Connection:
    """A gRPC context as far as the servicer looks at it."""

    name: str = "ipv4:127.0.0.1:50000"

    def peer(self) -> str:
        """Who calls."""
        return self.name


class Plugin:
    """The provider, called in this process."""

    def __init__(self, connection: str = "ipv4:127.0.0.1:50000", servicer: Servicer | None = None) -> None:
        self.servicer = servicer or Servicer(RESOURCES, DATA_SOURCES, {})
        self._context = Connection(connection)
        self.details: list[str] = []

    def configure(self, **config: Any) -> list[str]:
        """ConfigureProvider; returns the summaries of what it complains about."""
        wire = _wire(full(load().provider, config))
        return _summaries(
            self.servicer.ConfigureProvider(pb.ConfigureProvider.Request(config=wire), self._context)
        )

    def configured(self, **config: Any) -> Plugin:
        """Configure with a loopback endpoint for every service, and return the plugin."""
        endpoints = dict.fromkeys(load().provider.blocks["endpoints"].body.attributes, ENDPOINT)
        assert self.configure(**{"region": "ap-northeast-1", "endpoints": [endpoints], **config}) == []
        return self

    def validate(self, type_name: str, config: Values) -> list[str]:
        """ValidateResourceConfig; `details` has what comes with the summaries."""
        request = pb.ValidateResourceConfig.Request(
            type_name=type_name, config=_wire(full(load().resources[type_name], config))
        )
        answer = self.servicer.ValidateResourceConfig(request, self._context)
        self.details = [item.detail for item in answer.diagnostics]
        return _summaries(answer)

    def plan(self, type_name: str, config: Values, prior: Values | None = None) -> Plan:
        """PlanResourceChange, with the proposed state that Terraform would work out."""
        block = load().resources[type_name]
        written = full(block, config)
        before = None if prior is None else full(block, prior)
        request = pb.PlanResourceChange.Request(
            type_name=type_name,
            config=_wire(written),
            prior_state=_wire(before),
            proposed_new_state=_wire(_proposed(block, written, before)),
        )
        answer = self.servicer.PlanResourceChange(request, self._context)
        return Plan(
            decode(answer.planned_state.msgpack) or {},
            [path.steps[0].attribute_name for path in answer.requires_replace],
            _summaries(answer),
            [item.detail for item in answer.diagnostics],
        )

    def read_data(self, type_name: str, config: Values) -> Values:
        """ReadDataSource; fails the test on a complaint."""
        request = pb.ReadDataSource.Request(
            type_name=type_name, config=_wire(full(load().data_sources[type_name], config))
        )
        answer = self.servicer.ReadDataSource(request, self._context)
        assert not answer.diagnostics, answer.diagnostics
        state: Values = decode(answer.state.msgpack)
        return state


@dataclass(frozen=True)
class Plan:
    """An answer to PlanResourceChange."""

    planned: Values
    replaces: list[str]
    problems: list[str]
    details: list[str]


def full(block: Block, values: Values) -> Values:
    """`values` with everything else null; raises AssertionError for a name that the schema does not have."""
    unknown = set(values) - set(block.attributes) - set(block.blocks)
    assert not unknown, unknown
    return conform(values, block)


def _proposed(block: Block, config: Values, prior: Values | None) -> Values:
    """What is written, and for computed attributes that are not written what was there before."""
    proposed: Values = {}
    for name, attribute in block.attributes.items():
        kept = prior[name] if prior and attribute.computed and config[name] is None else None
        proposed[name] = config[name] if kept is None else kept
    for name, nested in block.blocks.items():
        proposed[name] = _proposed_nested(nested, config[name], prior and prior[name])
    return proposed


def _proposed_nested(nested: NestedBlock, config: Any, prior: Any) -> Any:
    if nested.nesting == "list" and isinstance(config, list) and isinstance(prior, list):
        before: list[Any] = [*prior, *[None] * len(config)]
        return [_proposed(nested.body, item, before[index]) for index, item in enumerate(config)]
    return config


def _wire(values: Any) -> Any:
    return pb.DynamicValue(msgpack=encode(values))


def _summaries(answer: Any) -> list[str]:
    return [item.summary for item in answer.diagnostics]
