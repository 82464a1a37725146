"""Ends the halt of groups: their parked messages take effect in order, before anything newer of theirs.

The dead-letter queue itself is the order. Copies of the first parked messages go into the queue, a *window*
under a token of its own; the consumer lets them pass one after the other and parks everything else behind the
others, as before. A parked message is deleted once its copy has taken effect. When none is left, and none was
parked meanwhile, the group goes on.

Every step looks at the queue and the row anew, so a release that is killed anywhere is finished by the next
one; what it had sent is void with its token.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import takewhile
from typing import Final

from job_runtime.dead_letters import DeadLetter, DeadLetterQueue
from job_runtime.halt import Halt, Halts
from job_runtime.sender import Sender

_HOLD_SECONDS: Final = 30
_STRANGERS_SECONDS: Final = 120


class Step(StrEnum):
    """What a step came to."""

    SENT = "sent"
    """Copies of the first parked messages are on their way."""
    WAITING = "waiting"
    """They are on their way still."""
    SETTLED = "settled"
    """Some have taken effect; their originals are deleted."""
    REFUSED = "refused"
    """One failed for good. The group stays halted before it."""
    UNSENT = "unsent"
    """SQS did not take a copy."""
    UNSETTLED = "unsettled"
    """Nothing is to be seen, but something was parked that is not settled: it is on its way, or hidden."""
    ENDED = "ended"
    """All is settled, the group goes on."""


@dataclass
class Release:
    """The release of some groups. `run`: a name that no other release has."""

    queue: DeadLetterQueue
    halts: Halts
    forward: Sender
    run: str
    groups: frozenset[str]
    settled: list[DeadLetter] = field(default_factory=list, init=False)
    """Put back in the last step."""
    _windows: int = field(default=0, init=False)
    _pending: dict[str, tuple[str, set[str]]] = field(default_factory=dict, init=False)
    """By group: the token of the window on its way, and the dead letters in it."""
    _pocket: dict[str, list[DeadLetter]] = field(default_factory=dict, init=False)
    """First letters of other groups to release, met on the way."""
    _strangers: list[str] = field(default_factory=list, init=False)
    """Receipts of groups that are none of ours."""

    def step(self, group: str) -> Step:
        """Take the release of `group` one step on. Raises botocore's errors; another step goes on then."""
        self.settled = []
        halt = self.halts.read(group)
        letters = self._first_letters(group)
        try:
            effective = halt.effective if halt else frozenset()
            done = list(takewhile(lambda letter: letter.message_id in effective, letters))
            if halt and done:
                self._settle(group, halt, done)
                letters = letters[len(done) :]
                return Step.SETTLED
            if not letters:
                return Step.ENDED if self.halts.release(group) else Step.UNSETTLED
            window, ids = self._pending.get(group, (None, set()))
            if ids and halt and halt.release == window:
                return Step.WAITING
            if ids and halt and halt.refused:
                return Step.REFUSED
            return self._send(group, letters)
        finally:
            self.queue.show_again(letter.receipt_handle for letter in letters)

    def close(self) -> None:
        """Show again whatever is still hidden."""
        pocketed = [letter.receipt_handle for letters in self._pocket.values() for letter in letters]
        self.queue.show_again([*self._strangers, *pocketed])
        self._strangers, self._pocket = [], {}

    def _first_letters(self, group: str) -> list[DeadLetter]:
        while group not in self._pocket:
            letters = self.queue.receive(_STRANGERS_SECONDS)
            if not letters:
                return []
            for letter in letters:
                if letter.group in self.groups:
                    self._pocket.setdefault(letter.group, []).append(letter)
                else:
                    self._strangers.append(letter.receipt_handle)
        return self._pocket.pop(group)

    def _settle(self, group: str, halt: Halt, letters: Iterable[DeadLetter]) -> None:
        """Write down, before they are gone, that `letters` are dealt with.

        A letter that SQS moved by itself has lost its number in the queue; the row has it for the latest.
        """
        for letter in letters:
            if (sequence := halt.sequence_of(letter)) is not None:
                self.halts.settle(group, sequence)
            if self.queue.delete([letter.receipt_handle]) == 0:
                self.settled.append(letter)
            self._pending.get(group, ("", set()))[1].discard(letter.message_id)

    def _send(self, group: str, letters: list[DeadLetter]) -> Step:
        self._windows += 1
        window = f"{self.run}/{self._windows}"
        self.halts.open_window(group, window)
        self._pending[group] = (window, {letter.message_id for letter in letters})
        after = None
        for letter in letters:
            # One by one: what SQS refuses has nothing behind it then.
            report = self.forward.send([letter.released(window, after)])
            if report.sent == 0:
                self.halts.refuse(group, window, f"not sent: {(*report.failed, *report.skipped)[0].reason}")
                return Step.UNSENT
            after = letter.message_id
        return Step.SENT
