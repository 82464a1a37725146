"""What happened, read and checked, whatever it came from."""

import re
from dataclasses import dataclass
from typing import Final

from alarm_notifier.severity import Severity

_PARTICULAR: Final = re.compile(r"\b[0-9a-f]{8}(?:-?[0-9a-f]{4,}){1,4}\b|\d+(?:[.,:]\d+)*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Child:
    """An alarm that keeps a composite in ALARM: its name, `reading` (value against threshold, may be empty)
    and since when (ISO 8601, may be empty)."""

    name: str
    reading: str
    since: str


@dataclass(frozen=True, slots=True)
class AlarmChange:
    """An alarm went into a state. `changed_at`: ISO 8601 UTC, always 27 characters, so that text order is
    time order.

    `label` is the stable id of the project's own alarms, the name of others; `reading` the value against the
    threshold; `children` the alarms that a composite names.
    """

    name: str
    state: str
    changed_at: str
    service: str
    label: str
    severity: Severity
    text: str
    reading: str = ""
    runbook: str = ""
    dashboard: str = ""
    members: tuple[str, ...] = ()
    children: tuple[Child, ...] = ()


@dataclass(frozen=True, slots=True)
class ErrorKind:
    """Error lines of one function that say the same: `count` of them."""

    function: str
    text: str
    severity: Severity
    count: int

    @property
    def likeness(self) -> str:
        """Equal for lines that differ in ids and numbers only."""
        return f"{self.function} {self.severity} {_PARTICULAR.sub('#', self.text)}"


@dataclass(frozen=True, slots=True)
class ErrorLines:
    """What one delivery of log lines held for one service. `delivery` is the same when it comes again."""

    service: str
    delivery: str
    kinds: tuple[ErrorKind, ...]


@dataclass(frozen=True, slots=True)
class QuietCheck:
    """Time to look whether the error lines of a service have stopped."""

    service: str


Event = AlarmChange | ErrorLines | QuietCheck
