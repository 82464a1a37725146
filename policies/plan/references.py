"""Where a value comes from: references followed through modules, `for_each` and `count`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from policies.plan.addresses import Part, longest, parts
from policies.plan.configuration import ModuleConfiguration, argument_references
from policies.plan.resource import Key, ModulePath, ModuleStep, Resource

_REPEATED = ("each", "count")
_DEAD_ENDS = ("local", "path", "terraform", "self")
# An argument of these names the thing they stand for.
_STAND_INS = {"aws_lambda_alias": "function_name", "aws_kms_alias": "target_key_id"}


@dataclass
class Trail:
    """What following references led to. `lost` when one ended where a plan shows no further (a local)."""

    found: dict[str, Resource] = field(default_factory=dict)
    lost: bool = False
    seen: set[tuple[ModulePath, Key, str]] = field(default_factory=set)


class Follower(Protocol):
    """What a plan asks of references, whether they come from a plan's configuration or from source."""

    def written(self, resource: Resource, *path: str | int) -> list[str]:
        """What the expression of an attribute refers to, as written."""

    def constant(self, resource: Resource, name: str) -> object:
        """The literal that an attribute is written as, or None."""

    def blocks(self, resource: Resource, name: str) -> int:
        """How many nested blocks of a name are written."""

    def sources(self, resource: Resource, *path: str | int) -> Trail:
        """The resources that an attribute's value comes from."""

    def dependencies(self, resource: Resource) -> Trail:
        """What a resource waits for directly."""

    def reach(self, module: ModulePath) -> Trail:
        """All that an expression inside a module instance may come from, whatever locals hide."""


class References(Follower):
    """Follows references inside one plan."""

    def __init__(self, configuration: ModuleConfiguration, resources: Iterable[Resource]) -> None:
        self.root = configuration
        self._instances: dict[tuple[ModulePath, str], dict[Key, Resource]] = {}
        self._modules: dict[tuple[ModulePath, str], dict[ModuleStep, None]] = {}
        self._reaches: dict[ModulePath, Trail] = {}
        self._resources = list(resources)
        for resource in self._resources:
            self._instances.setdefault((resource.module, resource.label), {})[resource.key] = resource
            for depth, step in enumerate(resource.module):
                self._modules.setdefault((resource.module[:depth], step.name), {})[step] = None

    def configuration_of(self, path: Sequence[ModuleStep]) -> ModuleConfiguration | None:
        """The configuration of a module instance, or None when the plan does not hold it."""
        return self.root.descend(path)

    def written(self, resource: Resource, *path: str | int) -> list[str]:
        """What the expression of an attribute refers to, as written."""
        module = self.configuration_of(resource.module)
        block = module.resources.get(resource.label) if module else None
        return block.references(*path) if block else []

    def constant(self, resource: Resource, name: str) -> object:
        """The literal that an attribute is written as, or None."""
        module = self.configuration_of(resource.module)
        block = module.resources.get(resource.label) if module else None
        return block.constant(name) if block else None

    def blocks(self, resource: Resource, name: str) -> int:
        """How many nested blocks of a name are written, dynamic ones aside."""
        module = self.configuration_of(resource.module)
        block = module.resources.get(resource.label) if module else None
        written = block.expressions.get(name) if block else None
        return len(written) if isinstance(written, list) else int(isinstance(written, dict))

    def sources(self, resource: Resource, *path: str | int) -> Trail:
        """The resources that an attribute's value comes from."""
        module = self.configuration_of(resource.module)
        block = module.resources.get(resource.label) if module else None
        trail = Trail(lost=block is None)
        if block is not None:
            self._follow(block.references(*path), resource.module, resource.key, resource, trail)
        return trail

    def dependencies(self, resource: Resource) -> Trail:
        """All that an instance waits for directly: what its expressions and `depends_on` name."""
        trail = Trail()
        module = self.configuration_of(resource.module)
        block = module.resources.get(resource.label) if module else None
        if block is None:
            trail.lost = True
            return trail
        written = [*block.references(), *block.repetition, *block.depends_on]
        self._follow(written, resource.module, resource.key, resource, trail)
        for depth in range(len(resource.module), 0, -1):
            parent = self.configuration_of(resource.module[: depth - 1])
            step = resource.module[depth - 1]
            call = parent.calls.get(step.name) if parent else None
            if call is not None:
                self._follow(call.depends_on, resource.module[: depth - 1], step.key, None, trail)
        return trail

    def reach(self, module: ModulePath) -> Trail:
        """What is inside the module instance and below it, and what its call hands it."""
        if module not in self._reaches:
            trail = self._handed(module) if module else Trail()
            inside = (r for r in self._resources if r.module[: len(module)] == module)
            trail.found.update((resource.address, resource) for resource in inside)
            self._reaches[module] = trail
        return self._reaches[module]

    def _handed(self, module: ModulePath) -> Trail:
        """What a module's arguments lead to; all that its caller reaches, where a local hides that."""
        parent, step = module[:-1], module[-1]
        caller = self.configuration_of(parent)
        call = caller.calls.get(step.name) if caller else None
        if call is None:
            return Trail(lost=True)
        trail = Trail()
        written = list(call.repetition)
        for name in call.arguments:
            written += argument_references(call, name) or []
        self._follow(written, parent, step.key, None, trail)
        if not trail.lost:
            return trail
        beyond = self.reach(parent)
        return Trail({**beyond.found, **trail.found}, beyond.lost)

    def _follow(
        self, written: list[str], path: ModulePath, key: Key, owner: Resource | None, trail: Trail
    ) -> None:
        """`path`, `key`: the module instance an expression stands in, and its `each.key` or `count.index`."""
        kept = longest(tuple(written))
        repeated = any(reference.partition(".")[0] in _REPEATED for reference in kept)
        for reference in kept:
            mark = (path, key, reference)
            if mark in trail.seen:
                continue
            trail.seen.add(mark)
            names = parts(reference)
            if not names:
                trail.lost = True
            elif names[0].name == "var":
                self._follow_variable(names, path, trail)
            elif names[0].name == "module":
                self._follow_output(names, path, key if repeated else None, trail)
            elif names[0].name == "each":
                self._follow_repetition(names, path, key, owner, trail)
            elif names[0].name in _DEAD_ENDS:
                trail.lost = True
            elif names[0].name != "count":
                self._reach(names, path, key if repeated else None, trail)

    def _follow_variable(self, names: tuple[Part, ...], path: ModulePath, trail: Trail) -> None:
        if not path or len(names) < 2:
            return  # a variable of the root is a value, not a resource
        parent, step = path[:-1], path[-1]
        module = self.configuration_of(parent)
        call = module.calls.get(step.name) if module else None
        if call is None:
            trail.lost = True
            return
        written = argument_references(call, names[1].name)
        if written is not None:
            repeated = any(reference.partition(".")[0] == "each" for reference in written)
            self._follow([*written, *(call.repetition if repeated else [])], parent, step.key, None, trail)

    def _follow_output(self, names: tuple[Part, ...], path: ModulePath, key: Key, trail: Trail) -> None:
        if len(names) < 2:
            return
        known = self._modules.get((path, names[1].name), {})
        wanted = ModuleStep(names[1].name, names[1].key if names[1].key is not None else key)
        steps = [wanted] if wanted in known else list(known)
        for step in steps:
            child = self.configuration_of([*path, step])
            if child is None:
                trail.lost = True
                continue
            outputs = [names[2].name] if len(names) > 2 else list(child.outputs)
            for output in outputs:
                self._follow(child.outputs.get(output, []), (*path, step), None, None, trail)

    def _follow_repetition(
        self, names: tuple[Part, ...], path: ModulePath, key: Key, owner: Resource | None, trail: Trail
    ) -> None:
        if owner is None or (len(names) > 1 and names[1].name == "key"):
            return
        module = self.configuration_of(path)
        block = module.resources.get(owner.label) if module else None
        if block is not None:
            self._follow([*block.repetition, "each.key"], path, key, None, trail)

    def _reach(self, names: tuple[Part, ...], path: ModulePath, key: Key, trail: Trail) -> None:
        width = 3 if names[0].name == "data" else 2
        if len(names) < width:
            trail.lost = True
            return
        label = ".".join(part.name for part in names[:width])
        known = self._instances.get((path, label), {})
        wanted = names[width - 1].key if names[width - 1].key is not None else key
        instances = [known[wanted]] if wanted in known else list(known.values())
        if not instances:
            # A managed block without instances (`count = 0`) is nothing; a data source was read before.
            module = self.configuration_of(path)
            trail.lost = trail.lost or width == 3 or module is None or label not in module.resources
        for instance in instances:
            through = _STAND_INS.get(instance.type)
            if through is not None and instance.values.raw(through) is not None:
                self._follow(self.written(instance, through), path, instance.key, instance, trail)
            trail.found[instance.address] = instance


def narrow(trail: Trail, kinds: Mapping[str, object] | Iterable[str]) -> list[Resource]:
    """What of a trail is of one of the types."""
    wanted = set(kinds)
    return [resource for resource in trail.found.values() if resource.type in wanted]
