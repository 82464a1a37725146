"""A state that is locked: who holds the lock, for how long, and how to free one that was left behind."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from deploy.terraform import TerraformError

_LOCKED = "Error acquiring the state lock"
_FIELD = re.compile(r"^\s*(ID|Operation|Who|Created):[ \t]*(\S.*?)\s*$", re.MULTILINE)
_REFUSED = re.compile(r"AccessDenied|StatusCode: 403")


@dataclass(frozen=True)
class Lock:
    """What Terraform's lock file says: its id, the operation, `user@host`, and since when."""

    id: str
    operation: str
    who: str
    created: datetime

    @classmethod
    def holding_up(cls, error: TerraformError) -> Lock | None:
        """The lock that ERROR is about, when another one holds it."""
        details = [item.get("detail", "") for item in error.diagnostics if item["summary"] == _LOCKED]
        for fields in (dict(_FIELD.findall(detail)) for detail in details):
            if "ID" in fields:
                # Terraform writes `2026-11-30 18:00:01.123456789 +0000 UTC`; seconds are enough.
                created = datetime.strptime(fields["Created"][:19], "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
                return cls(fields["ID"], fields["Operation"], fields["Who"], created)
        return None

    def told(self, environment: str, now: datetime) -> str:
        """What to do about it, in sentences."""
        operation = self.operation.removeprefix("OperationType").lower()
        return (
            f"The state of {environment} is locked: {self.who} began `{operation}` "
            f"{_age((now - self.created).total_seconds())} ago ({self.created:%Y-%m-%d %H:%M:%S} UTC). "
            "While that one runs, wait for it: two at a time would spoil the state. "
            "If it has ended without letting go (its job was cancelled, its machine is gone), free the lock: "
            f"make unlock ENV={environment} LOCK_ID={self.id}"
        )


def lock_refused(error: TerraformError) -> bool:
    """Whether ERROR says that these keys may not write a lock at all."""
    return any(
        item["summary"] == _LOCKED and _REFUSED.search(item.get("detail", "")) for item in error.diagnostics
    )


def _age(seconds: float) -> str:
    minutes = int(max(0, seconds) // 60)
    if minutes < 1:
        return "less than a minute"
    hours, rest = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "day"), (hours, "hour"), (rest, "minute")]
    return " ".join(f"{count} {name}{'s' if count > 1 else ''}" for count, name in parts if count)
