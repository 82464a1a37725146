"""Which dead letters are meant: all, or those that meet every criterion given."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from job_runtime.dead_letters import DeadLetter

Names = frozenset[str]
_ANY: Names = frozenset()


@dataclass(frozen=True, slots=True)
class Selection:
    """Criteria, an empty one meeting every letter. `ids`: dead letters by their own message ids, or by those
    that they had in the queue they failed in."""

    classes: Names = _ANY
    exceptions: Names = _ANY
    tenants: Names = _ANY
    groups: Names = _ANY
    keys: Names = _ANY
    ids: Names = _ANY
    older_than: timedelta | None = None
    younger_than: timedelta | None = None

    @property
    def is_all(self) -> bool:
        """Whether there is no criterion."""
        return self == Selection()

    @property
    def is_by_group(self) -> bool:
        """Whether a group is meant as a whole or not at all: nothing is to be looked for behind its head."""
        return self == Selection(groups=self.groups)

    def meets(self, letter: DeadLetter, now: datetime) -> bool:
        """Whether `letter` is meant; ages are counted from its arrival in the dead-letter queue."""
        age = now - letter.dead_since
        return (
            _among(letter.failure_class, self.classes)
            and _among(letter.exception, self.exceptions)
            and _among(letter.field("tenant_id"), self.tenants)
            and _among(letter.group, self.groups)
            and _among(letter.key, self.keys)
            and (not self.ids or not self.ids.isdisjoint({letter.message_id, letter.source_message_id}))
            and (self.older_than is None or age >= self.older_than)
            and (self.younger_than is None or age <= self.younger_than)
        )


def _among(value: str | None, names: Names) -> bool:
    return not names or value in names
