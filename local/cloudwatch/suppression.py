"""When a composite alarm holds its actions back.

Source: Amazon CloudWatch User Guide, "Suppressing composite alarm actions" (its six examples are the tests).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Reason = Literal["WaitPeriod", "ExtensionPeriod", "Alarm"]


@dataclass
class Suppression:
    """The suppressor of one composite alarm, and what it holds back; periods in seconds.

    `by` is why actions are held back now (None: they are not), `owed` whether the composite changed state
    without having acted on it.
    """

    wait: float
    extension: float
    by: Reason | None = None
    owed: bool = False
    _until: float = 0.0

    def changed(self, now: float, suppressing: bool) -> None:
        """The composite has changed state at NOW, while its suppressor is SUPPRESSING or not."""
        self.owed = True
        if suppressing:
            self.by = "Alarm"
        else:
            # Whatever period ran is discarded, a new wait begins.
            self.by, self._until = "WaitPeriod", now + self.wait

    def due(self, now: float, suppressing: bool) -> bool:
        """Whether the composite acts on its current state now; to be asked again as time goes on."""
        if suppressing:
            self.by = "Alarm"
            return False
        if self.by == "Alarm":
            self.by, self._until = "ExtensionPeriod", now + self.extension
        if self.by is not None and now >= self._until:
            self.by = None
        if self.by is not None or not self.owed:
            return False
        self.owed = False
        return True
