"""A batch of records: its groups side by side in threads, the records of a group one after the other.

Powertools' FIFO processor is not used: it runs a batch in one thread, stops every group at the first
failure unless told otherwise, knows no deadline, and raises when all records fail.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from enum import Enum, auto
from threading import Event
from typing import Protocol

from job_runtime.records import Record


class LambdaContext(Protocol):
    """What the runtime needs of Lambda's context object."""

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until Lambda ends the invocation."""
        ...


class Deadline:
    """The end of the invocation, seen in time.

    The last quarter of the time, 5 s at most, is kept for the message in hand: no new one is started in
    it. The last fifth of that is kept for handing the batch back.
    """

    def __init__(self, context: LambdaContext) -> None:
        """Measures the time left now, so make one at the start of the invocation."""
        self._context = context
        self._reserve = min(5.0, 0.25 * self._left())

    def _left(self) -> float:
        return self._context.get_remaining_time_in_millis() / 1000

    def allows_another(self) -> bool:
        """Whether there is time to start a message."""
        return self._left() > self._reserve

    def patience(self) -> float:
        """Seconds to wait for the messages in hand before the batch has to go back; never negative."""
        return max(0.0, self._left() - self._reserve / 5)


class State(Enum):
    """How far a record of a batch got."""

    UNTOUCHED = auto()
    """Not started, for want of time."""
    IN_HAND = auto()
    """Started and not finished when time was up, or ended by something that is no failure of the record."""
    BEHIND = auto()
    """Not started: an earlier record of its group failed."""
    FAILED = auto()
    DONE = auto()


@dataclass
class Progress:
    """The states of a batch's records by message id, and the errors that `handle` let through."""

    records: Sequence[Record]
    states: dict[str, State]
    broken: list[BaseException] = field(default_factory=list)

    def in_state(self, *states: State) -> list[Record]:
        """The records in one of `states`, in delivery order."""
        return [record for record in self.records if self.states[record.message_id] in states]

    def response(self) -> dict[str, list[dict[str, str]]]:
        """The document for Lambda: every record that is not done is to be delivered again."""
        return {
            "batchItemFailures": [
                {"itemIdentifier": record.message_id}
                for record in self.records
                if self.states[record.message_id] is not State.DONE
            ]
        }


def run_batch(
    records: Sequence[Record], handle: Callable[[Record], bool], *, threads: int, deadline: Deadline
) -> Progress:
    """Handle every record of a batch, as far as time allows.

    `handle` returns whether the record is done. A group stops at its first record that is not; the others
    go on. A thread that does not come back in time is left behind: what it has in hand counts as not done,
    and it starts nothing more.
    """
    progress = Progress(records, {record.message_id: State.UNTOUCHED for record in records})
    stop = Event()
    pool = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="group")
    try:
        runs = [
            pool.submit(_run_group, group, handle, progress, deadline, stop)
            for group in _groups(records).values()
        ]
        finished, _ = wait(runs, timeout=deadline.patience())
    finally:
        stop.set()
        pool.shutdown(wait=False, cancel_futures=True)
    return Progress(records, dict(progress.states), _broken(finished))


def _groups(records: Iterable[Record]) -> dict[str, list[Record]]:
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(record.order_scope, []).append(record)
    return groups


def _run_group(
    group: Sequence[Record],
    handle: Callable[[Record], bool],
    progress: Progress,
    deadline: Deadline,
    stop: Event,
) -> None:
    for place, record in enumerate(group):
        if stop.is_set() or not deadline.allows_another():
            return
        progress.states[record.message_id] = State.IN_HAND
        done = handle(record)
        progress.states[record.message_id] = State.DONE if done else State.FAILED
        if not done:
            progress.states.update({later.message_id: State.BEHIND for later in group[place + 1 :]})
            return


def _broken(finished: Iterable["Future[None]"]) -> list[BaseException]:
    return [error for run in finished if (error := run.exception()) is not None]
