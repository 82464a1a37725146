"""Where a plan's resources are written: the configuration's module calls followed on disk."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from policies.plan.configuration import ModuleConfiguration
from policies.plan.resource import ModulePath, Place, Resource

_BLOCK = re.compile(r'^\s*(resource|data)\s+"([^"]+)"\s+"([^"]+)"')


class Locator:
    """Finds the lines of resources below the folder of a root module."""

    def __init__(self, root: Path, configuration: ModuleConfiguration) -> None:
        self._root = root
        self._configuration = configuration
        self._blocks: dict[Path, Mapping[str, Place]] = {}

    def place(self, resource: Resource) -> Place | None:
        """File and line; None for a module that is not in a local folder."""
        folder = self._folder(resource.module)
        if folder is None:
            return None
        if folder not in self._blocks:
            self._blocks[folder] = _blocks(folder)
        return self._blocks[folder].get(resource.label)

    def _folder(self, path: ModulePath) -> Path | None:
        folder, module = self._root, self._configuration
        for step in path:
            call = module.calls.get(step.name)
            if call is None or not call.source.startswith(("./", "../")):
                return None
            folder, module = (folder / call.source).resolve(), module.children[step.name]
        return folder


def _blocks(folder: Path) -> Mapping[str, Place]:
    found: dict[str, Place] = {}
    for file in sorted(folder.glob("*.tf")):
        for number, line in enumerate(
            file.read_text(encoding="utf-8", errors="replace").splitlines(), start=1
        ):
            block = _BLOCK.match(line)
            if block is not None:
                kind, resource_type, name = block.groups()
                label = f"{resource_type}.{name}" if kind == "resource" else f"data.{resource_type}.{name}"
                found.setdefault(label, Place(shown(file), number))
    return found


def shown(file: Path) -> str:
    """A path as messages show it: relative to the working directory where it is below it."""
    whole, here = file.resolve(), Path.cwd().resolve()
    return whole.relative_to(here).as_posix() if whole.is_relative_to(here) else whole.as_posix()
