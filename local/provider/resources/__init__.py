"""The declarations of resource types, one module a service."""

from __future__ import annotations

from collections.abc import Mapping

from local.provider.engine.resource import Resource

_ALL: tuple[type[Resource], ...] = ()

RESOURCES: Mapping[str, Resource] = {declared.type: declared() for declared in _ALL}
