"""`inspect`: what lies in the dead-letter queue, counted."""

from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.table import Table

from job_runtime.dead_letters import DeadLetter, DeadLetterQueue, Depth
from job_runtime.halt import Halts
from operations.dlq.look import look
from operations.printing import plain

_AGES: Final = (
    (timedelta(minutes=15), "under 15 min"),
    (timedelta(hours=1), "under 1 h"),
    (timedelta(days=1), "under 1 day"),
    (timedelta(days=7), "under 7 days"),
    (timedelta.max, "7 days and more"),
)
_RECEIVES: Final = ((1, "1"), (10, "2 to 10"), (100, "11 to 100"), (10**9, "above 100"))
_MOST_GROUPS: Final = 1_000


@dataclass
class Inspection:
    """Counts of what was seen; `depth` is what SQS counts."""

    depth: Depth
    seen: int = 0
    counts: dict[str, Counter[str]] = field(
        default_factory=lambda: {
            name: Counter() for name in ("class", "exception", "tenant", "age", "receives", "redrives")
        }
    )
    groups: set[str] = field(default_factory=set)
    halted: list[str] = field(default_factory=list)

    @property
    def unseen(self) -> int:
        """Messages that SQS counts and did not hand out."""
        return max(0, self.depth.total - self.seen)

    def add(self, letter: DeadLetter, now: datetime) -> None:
        """Count one message."""
        self.seen += 1
        age = now - letter.dead_since
        for name, value in (
            ("class", letter.failure_class),
            ("exception", letter.exception or "none: moved by SQS"),
            ("tenant", letter.field("tenant_id") or "unknown"),
            ("age", next(text for most, text in _AGES if age < most)),
            ("receives", next(text for most, text in _RECEIVES if letter.receive_count <= most)),
            ("redrives", str(letter.trip.redrives)),
        ):
            self.counts[name][value] += 1
        if letter.group and len(self.groups) < _MOST_GROUPS:
            self.groups.add(letter.group)

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "visible": self.depth.visible,
            "hidden": self.depth.hidden,
            "seen": self.seen,
            "unseen": self.unseen,
            **{name: dict(counter.most_common()) for name, counter in self.counts.items()},
            "groups": len(self.groups),
            "halted_groups": self.halted,
        }

    def table(self) -> RenderableType:
        """For people."""
        table = Table("by", "value", title="In the dead-letter queue", title_justify="left")
        table.add_column("messages", justify="right")
        for name, counter in self.counts.items():
            for place, (value, count) in enumerate(counter.most_common(20)):
                table.add_row("" if place else name, plain(value), f"{count:,}")
            table.add_section()
        lines = [f"{self.depth.total:,} messages, {self.depth.hidden:,} of them hidden; {self.seen:,} seen"]
        if self.unseen:
            lines.append(
                f"{self.unseen:,} not seen: behind the first ten of their groups, hidden by somebody else, "
                "or beyond --limit"
            )
        lines += [f"halted: {plain(group)}" for group in self.halted]
        return Group(table, *lines)


def inspect(
    queue: DeadLetterQueue,
    halts: Halts | None,
    most: int,
    now: datetime,
    seen: Callable[[int], None],
) -> Inspection:
    """Look at up to `most` messages; `seen` is told how many there were so far. Raises botocore's errors."""
    inspection = Inspection(queue.depth())
    with closing(look(queue, most)) as letters:
        for letter in letters:
            inspection.add(letter, now)
            seen(inspection.seen)
    if halts:
        inspection.halted = sorted(halts.listed())
    return inspection
