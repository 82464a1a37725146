"""How grave something is, in one order for alarms and log lines."""

from enum import StrEnum
from typing import Final


class Severity(StrEnum):
    """The severities, gravest first."""

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """The lower, the graver."""
        return _ORDER.index(self)


_ORDER: Final = tuple(Severity)


def gravest(severities: "list[Severity]") -> Severity:
    """The gravest of some; ValueError for none."""
    return min(severities, key=lambda severity: severity.rank)
