"""References of source mode: tfparse has resolved most, and gives the expression of what it could not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from policies.plan.addresses import parts
from policies.plan.references import Follower, Trail
from policies.plan.resource import ModulePath, Resource


class SourceReferences(Follower):
    """Follows what tfparse says of one source."""

    def __init__(self, resources: Iterable[Resource], raw: Mapping[str, Mapping[str, Any]]) -> None:
        self._raw = raw
        self._by_id: dict[str, Resource] = {}
        self._by_label: dict[tuple[ModulePath, str], list[Resource]] = {}
        for resource in resources:
            identifier = raw.get(resource.address, {}).get("id")
            if isinstance(identifier, str):
                self._by_id[identifier] = resource
            self._by_label.setdefault((resource.module, resource.label), []).append(resource)

    def written(self, resource: Resource, *path: str | int) -> list[str]:
        """The expression that an attribute is, where it could not be evaluated."""
        node: Any = self._raw.get(resource.address, {})
        for step in path:
            if isinstance(step, int) and isinstance(node, dict):
                continue
            if isinstance(step, int):
                node = node[step] if isinstance(node, list) and step < len(node) else None
            else:
                node = node.get(step) if isinstance(node, dict) else None
        expression = node.get("__attribute__") if isinstance(node, dict) else None
        return [expression] if isinstance(expression, str) else []

    def constant(self, resource: Resource, name: str) -> object:
        """The value that an attribute is written as: in source, all that is known was written."""
        value = resource.values.raw(name)
        return value if isinstance(value, str | int | float) else None

    def blocks(self, resource: Resource, name: str) -> int:
        """How many nested blocks of a name there are."""
        found = self._raw.get(resource.address, {}).get(name)
        return len(found) if isinstance(found, list) else int(isinstance(found, dict))

    def sources(self, resource: Resource, *path: str | int) -> Trail:
        """The resources that an unevaluated attribute refers to."""
        trail = Trail()
        written = self.written(resource, *path)
        trail.lost = not written
        for expression in written:
            self._follow(expression, resource, trail)
        return trail

    def _follow(self, expression: str, resource: Resource, trail: Trail) -> None:
        names = parts(expression) or ()
        if names and names[0].name == "each":
            repeated = self._raw[resource.address].get("for_each")
            item = repeated.get(str(resource.key)) if isinstance(repeated, dict) else None
            found = self._by_id.get(item["id"]) if isinstance(item, dict) and "id" in item else None
            instances = [found] if found is not None else []
        else:
            width = 3 if names and names[0].name == "data" else 2
            label = ".".join(part.name for part in names[:width])
            instances = self._by_label.get((resource.module, label), [])
            wanted = names[width - 1].key if len(names) >= width else None
            if wanted is not None:
                instances = [instance for instance in instances if instance.key == wanted]
        trail.lost = trail.lost or not instances
        trail.found.update((instance.address, instance) for instance in instances)

    def reach(self, module: ModulePath) -> Trail:  # noqa: ARG002 - modules of other sources are not there
        """Nothing that is certain: what modules from elsewhere hand on is not in the source."""
        return Trail(lost=True)

    def dependencies(self, resource: Resource) -> Trail:
        """What a block refers to, arguments of its module's callers left out: those cannot be told apart."""
        trail = Trail()
        raw = self._raw.get(resource.address, {})
        pending: list[Any] = [raw.get("__tfmeta", {}).get("references", []), raw.get("depends_on", [])]
        while pending:
            node = pending.pop()
            if isinstance(node, list):
                pending += node
            elif isinstance(node, dict):
                found = self._by_id.get(node["id"]) if isinstance(node.get("id"), str) else None
                if found is not None:
                    trail.found[found.address] = found
        trail.lost = not trail.found
        return trail
