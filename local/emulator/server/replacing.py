"""Put something of ours in the place of a function of MiniStack's."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any


def replace(module: ModuleType | type, name: str, make: Callable[[Any], Any]) -> None:
    """Replace MODULE.NAME by what MAKE makes of it.

    Raises AttributeError if there is no such name any more: a correction that changes nothing must not pass.
    """
    setattr(module, name, make(getattr(module, name)))
