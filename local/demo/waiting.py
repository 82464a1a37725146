"""Wait for what has to come to pass."""

from __future__ import annotations

import time
from collections.abc import Callable

from local.demo.month import MonthStoppedError
from local.limits import HANG_SECONDS

_LOOK_SECONDS = 0.1


def wait_for(is_so: Callable[[], bool], what: str) -> None:
    """Return once IS_SO. Raises MonthStoppedError, naming WHAT, when that takes too long."""
    deadline = time.monotonic() + HANG_SECONDS
    while not is_so():
        if time.monotonic() > deadline:
            raise MonthStoppedError(f"{what} did not come within {HANG_SECONDS:.0f} s")
        time.sleep(_LOOK_SECONDS)
