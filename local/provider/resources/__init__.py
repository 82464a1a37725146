"""The declarations of resource types, one module a service or a part of one."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from types import ModuleType

from local.provider.engine.resource import Resource


def _declared(module: ModuleType) -> list[type[Resource]]:
    """The declarations that a module makes itself; one without a type of its own is a base of others."""
    found = [
        value for value in vars(module).values() if isinstance(value, type) and issubclass(value, Resource)
    ]
    return [value for value in found if value.__module__ == module.__name__ and "type" in vars(value)]


RESOURCES: Mapping[str, Resource] = {
    declared.type: declared()
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name)
    for declared in _declared(importlib.import_module(f"{__name__}.{module.name}"))
}
