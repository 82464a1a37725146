"""The `configuration` part of a plan: what each module's expressions refer to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from policies.plan.resource import ModuleStep
from policies.plan.values import Node


def _object(value: object) -> Mapping[str, Node]:
    return value if isinstance(value, dict) else {}


def _strings(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


@dataclass(frozen=True, slots=True)
class ResourceConfiguration:
    """A resource block: `expressions`, and what `for_each`, `count` and `depends_on` refer to."""

    expressions: Mapping[str, Node]
    repetition: list[str]
    depends_on: list[str]

    def references(self, *path: str | int) -> list[str]:
        """What the expression at a path refers to, nested blocks included."""
        node: Node = dict(self.expressions)
        for step in path:
            if isinstance(node, dict) and isinstance(step, str):
                node = node.get(step)
            elif isinstance(node, list) and isinstance(step, int):
                # A dynamic block stands once here, and as often as it was expanded among the values.
                node = node[min(step, len(node) - 1)] if node else None
            elif isinstance(node, list) and isinstance(step, str) and node:
                node = _object(node[0]).get(step)
            else:
                return []
        return list(_references(node))

    def constant(self, name: str) -> Node:
        """The literal that an argument is, or None."""
        return _object(self.expressions.get(name)).get("constant_value")


def _references(node: Node) -> Iterator[str]:
    pending = [node]
    while pending:
        item = pending.pop()
        if isinstance(item, list):
            pending.extend(item)
        elif isinstance(item, dict):
            listed = item.get("references")
            if isinstance(listed, list):
                yield from _strings(listed)
            pending.extend(
                value for name, value in item.items() if name not in ("references", "constant_value")
            )


@dataclass(frozen=True, slots=True)
class ModuleCall:
    """A `module` block: its arguments, what repeats it, what it waits for."""

    arguments: Mapping[str, Node]
    repetition: list[str]
    depends_on: list[str]
    source: str


@dataclass(frozen=True, slots=True)
class ModuleConfiguration:
    """A module as written once, whatever the number of its instances."""

    resources: Mapping[str, ResourceConfiguration]
    outputs: Mapping[str, list[str]]
    calls: Mapping[str, ModuleCall]
    children: dict[str, ModuleConfiguration] = field(default_factory=dict)

    @classmethod
    def read(cls, node: object) -> ModuleConfiguration:
        """From `configuration.root_module` or a call's `module`; what is not as documented is left out."""
        module = _object(node)
        resources = {}
        listed = module.get("resources")
        for item in listed if isinstance(listed, list) else []:
            block = _object(item)
            address = block.get("address")
            if isinstance(address, str):
                resources[address] = ResourceConfiguration(
                    _object(block.get("expressions")), _repetition(block), _strings(block.get("depends_on"))
                )
        calls, children = {}, {}
        for name, call in _object(module.get("module_calls")).items():
            block = _object(call)
            source = block.get("source")
            calls[name] = ModuleCall(
                _object(block.get("expressions")),
                _repetition(block),
                _strings(block.get("depends_on")),
                source if isinstance(source, str) else "",
            )
            children[name] = cls.read(block.get("module"))
        outputs = {
            name: [
                *_references(_object(output).get("expression")),
                *_strings(_object(output).get("depends_on")),
            ]
            for name, output in _object(module.get("outputs")).items()
        }
        return cls(resources, outputs, calls, children)

    def descend(self, path: Iterable[ModuleStep]) -> ModuleConfiguration | None:
        """The configuration of a module instance below this one, or None when there is none."""
        module: ModuleConfiguration | None = self
        for step in path:
            module = module.children.get(step.name) if module else None
        return module


def _repetition(block: Mapping[str, Node]) -> list[str]:
    return [*_references(block.get("for_each_expression")), *_references(block.get("count_expression"))]


def argument_references(call: ModuleCall, name: str) -> list[str] | None:
    """What an argument refers to; None when it is not given."""
    if name not in call.arguments:
        return None
    return list(_references(call.arguments[name]))
