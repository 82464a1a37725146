"""Puts dead letters back into their queue: oldest first in each group, each deleted only after its copy is
accepted.

Killed anywhere, it has lost nothing and a second run finishes: what was copied and not deleted is copied once
more under the same deduplication id, and after five minutes the consumer knows it by its key.

A FIFO queue hands out the first messages of a group only. Where letters that are not meant stand before some
that are, they are *set aside*: copied to the end of the dead-letter queue with their reason, place and age.
That is for jobs whose groups go on after a quarantine; a halted group is released, never redriven.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from job_runtime.clock import Clock
from job_runtime.dead_letters import DeadLetter, DeadLetterQueue
from job_runtime.sender import Outgoing, Sender

_SHORTEST_HOLD = 60
_LONGEST_HOLD = 3600
_MESSAGES_A_SECOND = 200
"""A cautious guess, for how long to hold what is not meant."""


class Pace:
    """Lets no more than so many messages a second pass, counted from the first."""

    def __init__(self, clock: Clock, per_second: float | None) -> None:
        """`per_second`: None for as fast as it goes."""
        self.clock = clock
        self._per_second = per_second
        self._started: float | None = None
        self._passed = 0

    def wait(self, count: int) -> None:
        """Wait until `count` more may pass."""
        now = self.clock.monotonic()
        if self._started is None:
            self._started = now
        if self._per_second is not None:
            due = self._started + self._passed / self._per_second
            if due > now:
                self.clock.sleep(due - now)
        self._passed += count


@dataclass
class Report:
    """What a redrive did. `seen` counts receipts, so a message twice when it was shown again meanwhile.

    `failed`: reasons, by the id of the dead letter, for which a copy was refused; it and what is behind it in
    its group stays. `kept`: seen and not meant. `undeleted`: copied, and seen again by the next run.
    """

    seen: int = 0
    redriven: Counter[str] = field(default_factory=Counter)
    failed: dict[str, str] = field(default_factory=dict)
    kept: int = 0
    set_aside: int = 0
    undeleted: int = 0

    @property
    def total(self) -> int:
        """Redriven messages of all classes."""
        return self.redriven.total()


@dataclass(frozen=True)
class Order:
    """What to redrive: `meant` says which letters, `behind_others` whether some may stand behind letters that
    are not. `limit`: messages at most; `rate`: messages a second; `hold_seconds`: how long to hide what is
    in hand (None: by the queue's depth); `patience_seconds`: how long to wait for messages that somebody
    else, or a run that was killed, still hides (None: as long as this one would hide them).
    `goes_on`: asked before each receive; an end there leaves a group that is gone round turned in part, which
    the next run mends."""

    meant: Callable[[DeadLetter], bool]
    behind_others: bool = True
    limit: int | None = None
    rate: float | None = None
    hold_seconds: int | None = None
    patience_seconds: int | None = 0
    goes_on: Callable[[], bool] = lambda: True


@dataclass
class Redrive:
    """One run over one dead-letter queue.

    `run`: a name no other run has; `forward` sends to the queue, `aside` to the dead-letter queue; `tell` is
    called for each letter that is back.
    """

    queue: DeadLetterQueue
    order: Order
    run: str
    forward: Sender
    aside: Sender
    clock: Clock
    tell: Callable[[DeadLetter], None] = lambda _letter: None
    report: Report = field(default_factory=Report, init=False)
    _held: dict[str, None] = field(default_factory=dict, init=False)
    """Receipts of what is in hand."""
    _lowest: dict[str | None, int] = field(default_factory=dict, init=False)
    _asides: Counter[str | None] = field(default_factory=Counter, init=False)
    _turns: Counter[str | None] = field(default_factory=Counter, init=False)

    def __post_init__(self) -> None:
        """Start the clock of the rate at the first message, not before."""
        self._pace = Pace(self.clock, self.order.rate)

    def __call__(self) -> Report:
        """Redrive; whatever is still in hand at the end, also at an early one, is shown again.

        Raises botocore's errors; `report` then says how far it came.
        """
        hold = self.order.hold_seconds or self._hold_seconds()
        try:
            self._until_empty(hold, self._pass_by)
            if self._something_stands_behind():
                self._show_held()
                self._until_empty(hold, self._go_round)
        finally:
            self._show_held()
        return self.report

    def _hold_seconds(self) -> int:
        depth = self.queue.depth().total
        rate = min(_MESSAGES_A_SECOND, self.order.rate or _MESSAGES_A_SECOND)
        return int(min(_LONGEST_HOLD, max(_SHORTEST_HOLD, 3 * depth / rate)))

    def _until_empty(self, hold: int, take: Callable[[Sequence[DeadLetter]], None]) -> None:
        patience = self.order.patience_seconds
        patient_until = self.clock.monotonic() + (hold if patience is None else patience)
        while self.order.goes_on() and not (self._is_at_limit() and self._asides.total() == 0):
            letters = self.queue.receive(hold)
            self.report.seen += len(letters)
            self._held |= dict.fromkeys(letter.receipt_handle for letter in letters)
            if letters:
                take(letters)
            elif self.clock.monotonic() >= patient_until or self._all_hidden_are_ours():
                return
            else:
                self.clock.sleep(1)

    def _is_at_limit(self) -> bool:
        return self.order.limit is not None and self.report.total >= self.order.limit

    def _all_hidden_are_ours(self) -> bool:
        return self.queue.depth().hidden <= len(self._held)

    def _something_stands_behind(self) -> bool:
        return (
            self.queue.fifo
            and self.order.behind_others
            and not self._is_at_limit()
            and bool(self._held)
            and self.queue.depth().visible > 0
        )

    def _meant(self, letters: Sequence[DeadLetter]) -> list[DeadLetter]:
        meant = [letter for letter in letters if letter.trip.run != self.run and self.order.meant(letter)]
        return meant if self.order.limit is None else meant[: self.order.limit - self.report.total]

    def _pass_by(self, letters: Sequence[DeadLetter]) -> None:
        """Redrive what is meant of `letters`, hold the rest."""
        meant = self._meant(letters)
        self.report.kept += len(letters) - len(meant)
        self._put_back(meant)

    def _go_round(self, letters: Sequence[DeadLetter]) -> None:
        """Redrive what is meant, set aside the rest, and hold a group that has come round."""
        round_again: set[str | None] = set()
        unseen: list[DeadLetter] = []
        for letter in letters:
            if letter.group in round_again or self._has_come_round(letter):
                round_again.add(letter.group)
            else:
                unseen.append(letter)
        meant = self._meant(unseen)
        others = [letter for letter in unseen if letter not in meant]
        for letter in others:
            group = letter.group
            self._lowest[group] = min(letter.rank, self._lowest.get(group, letter.rank))
            self._turns[group] += letter.trip.run == self.run
            self._asides[group] += letter.trip.run != self.run
        self._put_back(meant)
        self.report.set_aside += len(
            self._move(others, self.aside, lambda letter: letter.set_aside(self.run))
        )

    def _has_come_round(self, letter: DeadLetter) -> bool:
        """Whether the group has been through, and its oldest letter stands in front again.

        It may take another turn to get there: a run that was killed left the group turned in part.
        """
        if letter.trip.run != self.run:
            return False
        lowest = self._lowest.get(letter.group, letter.rank)
        return letter.rank <= lowest or self._turns[letter.group] >= self._asides[letter.group]

    def _put_back(self, letters: Sequence[DeadLetter]) -> None:
        for letter in self._move(letters, self.forward, lambda letter: letter.redriven(self.run)):
            self.report.redriven[letter.failure_class] += 1
            self.tell(letter)

    def _move(
        self, letters: Iterable[DeadLetter], sender: Sender, copy: Callable[[DeadLetter], Outgoing]
    ) -> list[DeadLetter]:
        """Copy `letters`, delete those whose copies were accepted, and return these.

        A call carries at most one message of a group, and a group stops at the first that is refused: in a
        call that SQS accepts in part, a later message could get ahead of an earlier one.
        """
        lanes: dict[str, deque[DeadLetter]] = {}
        for letter in letters:
            lanes.setdefault(copy(letter).order_scope, deque()).append(letter)
        accepted: list[DeadLetter] = []
        try:
            while lanes:
                wave = {copy(lane[0]).key: (scope, lane[0]) for scope, lane in lanes.items()}
                if sender is self.forward:
                    self._pace.wait(len(wave))
                report = sender.send([copy(letter) for _, letter in wave.values()])
                refused = {unsent.key: unsent.reason for unsent in (*report.failed, *report.skipped)}
                for key, (scope, letter) in wave.items():
                    if key in refused:
                        self.report.failed[letter.message_id] = refused[key]
                        del lanes[scope]
                        continue
                    accepted.append(letter)
                    lanes[scope].popleft()
                    if not lanes[scope]:
                        del lanes[scope]
        finally:
            receipts = [letter.receipt_handle for letter in accepted]
            self.report.undeleted += self.queue.delete(receipts)
            for receipt in receipts:
                del self._held[receipt]
        return accepted

    def _show_held(self) -> None:
        self.queue.show_again(self._held)
        self._held = {}
