"""Wait for what has to come to pass."""

from __future__ import annotations

import time
from collections.abc import Callable

from local.demo.month import MonthStoppedError

_LOOK_SECONDS = 0.1
_PATIENCE_SECONDS = 120.0


def wait_for(is_so: Callable[[], bool], what: str) -> None:
    """Return once IS_SO. Raises MonthStoppedError, naming WHAT, when that takes longer than two minutes."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not is_so():
        if time.monotonic() > deadline:
            raise MonthStoppedError(f"{what} did not come within {_PATIENCE_SECONDS:.0f} s")
        time.sleep(_LOOK_SECONDS)
