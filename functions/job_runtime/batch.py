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

    A message is started while there is time for one as long as the longest so far, or as three twentieths
    of the invocation (3 s at most) before any is known. The last tenth (2 s at most) is for handing the
    batch back.
    """

    def __init__(self, context: LambdaContext) -> None:
        """Measures the time left now, so make one at the start of the invocation."""
        self._context = context
        self._hand_back = min(2.0, 0.1 * self.left())
        self._longest = min(3.0, 0.15 * self.left())

    def left(self) -> float:
        """Seconds until Lambda ends the invocation."""
        return self._context.get_remaining_time_in_millis() / 1000

    def took(self, seconds: float) -> None:
        """Learn how long a message took."""
        self._longest = max(self._longest, seconds)

    def allows_another(self) -> bool:
        """Whether there is time to start a message."""
        return self.left() > self._hand_back + self._longest

    def patience(self) -> float:
        """Seconds to wait for the messages in hand before the batch has to go back; never negative."""
        return max(0.0, self.left() - self._hand_back)

    def spare(self) -> float:
        """Seconds that may pass before the answer has to be given; never negative."""
        return max(0.0, self.left() - self._hand_back / 2)


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


_idle: dict[int, ThreadPoolExecutor] = {}
"""Threads that came back from a batch, by their number, kept for the next: to make ten of them takes a fifth
as long as to charge ten messages. Threads of which one was left behind are not used again."""


def run_batch(
    records: Sequence[Record], handle: Callable[[Record], bool], *, threads: int, deadline: Deadline
) -> Progress:
    """Handle every record of a batch, as far as time allows.

    `handle` returns whether the record is done. A group stops at its first record that is not; the others
    go on. A thread that does not come back in time is left behind: what it has in hand counts as not done,
    and it starts nothing more.
    """
    states = {record.message_id: State.UNTOUCHED for record in records}
    stop = Event()
    pool = _idle.pop(threads, None) or ThreadPoolExecutor(max_workers=threads, thread_name_prefix="group")
    unfinished: set[Future[None]] | None = None
    try:
        runs = [
            pool.submit(_run_group, group, handle, states, deadline, stop)
            for group in _groups(records).values()
        ]
        finished, unfinished = wait(runs, timeout=deadline.patience())
    finally:
        stop.set()
        if unfinished == set():
            _idle[threads] = pool
        else:
            pool.shutdown(wait=False, cancel_futures=True)
    return Progress(records, dict(states), _broken(finished))


def run_within(seconds: float, action: Callable[[], object]) -> bool:
    """Whether `action` ended within `seconds`; one that did not is left behind. Raises what it raises."""
    pool = ThreadPoolExecutor(max_workers=1)
    run = pool.submit(action)
    finished, _ = wait([run], timeout=seconds)
    pool.shutdown(wait=False)
    for ended in finished:
        ended.result()
    return bool(finished)


def _groups(records: Iterable[Record]) -> dict[str, list[Record]]:
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(record.order_scope, []).append(record)
    return groups


def _run_group(
    group: Sequence[Record],
    handle: Callable[[Record], bool],
    states: dict[str, State],
    deadline: Deadline,
    stop: Event,
) -> None:
    for place, record in enumerate(group):
        if stop.is_set() or not deadline.allows_another():
            return
        states[record.message_id] = State.IN_HAND
        before = deadline.left()
        done = handle(record)
        deadline.took(before - deadline.left())
        states[record.message_id] = State.DONE if done else State.FAILED
        if not done:
            states.update({later.message_id: State.BEHIND for later in group[place + 1 :]})
            return


def _broken(finished: Iterable["Future[None]"]) -> list[BaseException]:
    return [error for run in finished if (error := run.exception()) is not None]
