"""The probes, one module a service."""

from __future__ import annotations

import importlib
import pkgutil

from tests.local.probes.probe import Probe

# The value of the variable that is known in a plan only: nothing that any argument would take.
LATE = "late !"
PROBES: list[Probe] = [
    probe
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name)
    for probe in importlib.import_module(f"{__name__}.{module.name}").PROBES
]
