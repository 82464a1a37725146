"""CloudWatch's clock: the real time, plus an offset that can only grow."""

from __future__ import annotations

import time
from bisect import bisect_right

# From which real time on which offset has been in force.
_since = [0.0]
_offsets = [0.0]


def now() -> float:
    """Return CloudWatch's time, in seconds of the epoch."""
    return time.time() + _offsets[-1]


def at(real: float) -> float:
    """Return what this clock showed at a REAL time; a time yet to come gets the offset of today."""
    return real + _offsets[bisect_right(_since, real) - 1]


def forward(seconds: float) -> None:
    """Move the clock; ValueError for a negative number of SECONDS."""
    if seconds < 0:
        raise ValueError("CloudWatch's clock only goes forward; write a number of seconds of 0 or more")
    _since.append(time.time())
    _offsets.append(_offsets[-1] + seconds)
