"""`release`: ends the halt of groups."""

import uuid
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from job_runtime.clock import Clock
from job_runtime.dead_letters import DeadLetter, DeadLetterQueue
from job_runtime.halt import Halts
from job_runtime.sender import Sender
from operations.dlq.look import look
from operations.dlq.release import Release, Step
from operations.dlq.target import Target
from operations.outcome import RefusedError

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

_PAUSE_SECONDS: Final = 0.5
_MOVING: Final = frozenset({Step.SENT, Step.SETTLED})
_OVER: Final = frozenset({Step.ENDED, Step.REFUSED, Step.UNSENT})


@dataclass
class Outcome:
    """How the release of each group ended, and how many messages were put back."""

    put_back: int = 0
    ended: list[str] = field(default_factory=list)
    halted: dict[str, str] = field(default_factory=dict)
    """Groups that stay halted, and why."""


def groups_to_release(queue: DeadLetterQueue, halts: Halts) -> frozenset[str]:
    """The groups of which a dead letter can be seen, halted or, where SQS moved it, not; and the halted ones
    without any. Raises botocore's errors."""
    with closing(look(queue, queue.depth().total + 1)) as letters:
        groups = {letter.group for letter in letters if letter.group}
    return halts.listed() | groups


def check(target: Target) -> None:
    """Raise RefusedError where there is no halt to end."""
    if not target.halts:
        raise RefusedError(
            f"{target.job} halts no groups (on_quarantine = continue); write `redrive --group GROUP`"
        )


@dataclass
class Releasing:
    """Releases groups, side by side.

    A group that does not move for `patience_seconds` stays halted; a later release goes on with it.
    `give_up`: what to write off as, when something that was parked is not to be found; None to leave the
    group halted then. `tell` is called for each message that has taken effect.
    """

    client: "SQSClient"
    target: Target
    halts: Halts
    clock: Clock
    patience_seconds: int
    give_up: Callable[[str], None] | None = None
    tell: Callable[[DeadLetter], None] = lambda _letter: None
    outcome: Outcome = field(default_factory=Outcome, init=False)

    def __call__(self, groups: frozenset[str]) -> Outcome:
        """Release `groups`. Raises botocore's errors; `outcome` then says how far it came."""
        queue = DeadLetterQueue(self.client, self.target.dead_letters_url, wait_seconds=1)
        moved = dict.fromkeys(sorted(groups), self.clock.monotonic())
        with Sender(self.client, self.target.queue_url, clock=self.clock, threads=1) as forward:
            release = Release(queue, self.halts, forward, run=f"release-{uuid.uuid4().hex}", groups=groups)
            try:
                while moved:
                    self._round(release, moved)
            finally:
                release.close()
        return self.outcome

    def _round(self, release: Release, moved: dict[str, float]) -> None:
        """One step of each group; `moved` has those that are not over, and when each last moved."""
        idle = True
        for group in list(moved):
            step = release.step(group)
            self.outcome.put_back += len(release.settled)
            for letter in release.settled:
                self.tell(letter)
            now = self.clock.monotonic()
            if step in _MOVING:
                moved[group], idle = now, False
            elif step in _OVER or now - moved[group] > self.patience_seconds:
                self._end(group, step)
                del moved[group]
        if idle and moved:
            self.clock.sleep(_PAUSE_SECONDS)

    def _end(self, group: str, step: Step) -> None:
        halt = self.halts.read(group)
        if step is Step.UNSETTLED and self.give_up and halt and halt.last:
            self.give_up(group)
            self.halts.settle(group, halt.last)
            step = Step.ENDED if self.halts.release(group) else step
        if step is Step.ENDED:
            self.outcome.ended.append(group)
        elif halt and halt.refused:
            self.outcome.halted[group] = halt.refused
        elif step is Step.UNSETTLED:
            self.outcome.halted[group] = (
                "something that was parked is not to be seen: on its way, hidden by somebody else, or lost; "
                "try again, or end the halt with --give-up REASON"
            )
        else:
            self.outcome.halted[group] = (
                "the consumer has not taken the messages in time; try again once it runs"
            )
