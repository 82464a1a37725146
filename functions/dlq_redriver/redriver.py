"""One run of the automatic redrive."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

from dlq_redriver.calm import Calm
from job_runtime.clock import Clock
from job_runtime.dead_letters import DeadLetter, DeadLetterQueue
from job_runtime.observe import Observer
from job_runtime.redrive import Order, Redrive, Report
from job_runtime.sender import Sender

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

_RESERVE_MILLISECONDS = 20_000
"""Left at the end of an invocation for what is in hand."""


class LambdaContext(Protocol):
    """What the redriver needs of Lambda's context."""

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until Lambda ends the invocation."""
        ...


@dataclass(frozen=True, slots=True)
class Rules:
    """What is put back.

    `classes`: failure classes; `most_redrives`: how often a message at most, counted on the message itself;
    `pause`: how long it has to have been dead, doubled by each redrive it has behind it; `limit`: messages a
    run; `rate`: messages a second.
    """

    classes: frozenset[str]
    most_redrives: int
    pause: timedelta
    limit: int
    rate: int


@dataclass(frozen=True)
class Redriver:
    """The redriver of one job; calling it is one run."""

    job: str
    queue_url: str
    dead_letters_url: str
    rules: Rules
    sqs: "SQSClient"
    calm: Calm
    observer: Observer
    clock: Clock

    def __call__(self, event: Mapping[str, Any], context: LambdaContext) -> dict[str, Any]:
        """Put back what the rules allow, when it is calm.

        Returns what was `redriven`, `by_class`, what is `capped` (seen, and redriven as often as allowed),
        `failed`, and what is `left`; or `waiting`, with what for. Raises ValueError for another job's event,
        ConfigurationError for an alarm that does not exist, botocore's errors.
        """
        if event.get("job") != self.job:
            raise ValueError(f"job: must be {self.job}, the job of this function (JOB_NAME)")
        with self.observer.flushing():
            disturbance = self.calm.disturbance()
            if disturbance:
                self.observer.logger.info("redrive waits", extra={"waiting": disturbance})
                return {"redriven": 0, "waiting": disturbance}
            return self._redrive(context)

    def _redrive(self, context: LambdaContext) -> dict[str, Any]:
        queue = DeadLetterQueue(self.sqs, self.dead_letters_url)
        run = f"redriver-{uuid4().hex}"
        capped: set[str] = set()
        keys: list[str] = []

        def meant(letter: DeadLetter) -> bool:
            if letter.failure_class not in self.rules.classes:
                return False
            if letter.trip.redrives >= self.rules.most_redrives:
                capped.add(letter.key or letter.message_id)
                return False
            dead_for = self.clock.now() - letter.dead_since
            return dead_for >= self.rules.pause * (1 << letter.trip.redrives)

        with (
            Sender(self.sqs, self.queue_url, clock=self.clock, threads=2) as forward,
            Sender(self.sqs, self.dead_letters_url, clock=self.clock, threads=2) as aside,
        ):
            redrive = Redrive(
                queue=queue,
                order=Order(
                    meant=meant,
                    limit=self.rules.limit,
                    rate=self.rules.rate,
                    goes_on=lambda: context.get_remaining_time_in_millis() > _RESERVE_MILLISECONDS,
                ),
                run=run,
                forward=forward,
                aside=aside,
                clock=self.clock,
                tell=lambda letter: keys.append(letter.key or letter.message_id),
            )
            try:
                report = redrive()
            except BaseException:
                # What it has put back by then is back.
                self._tell(
                    run, self._summary(redrive.report, len(capped)), redrive.report, keys, sorted(capped)
                )
                raise
        summary = self._summary(report, len(capped)) | {"left": queue.depth().total}
        self._tell(run, summary, report, keys, sorted(capped))
        return summary

    @staticmethod
    def _summary(report: Report, capped: int) -> dict[str, Any]:
        return {
            "redriven": report.total,
            "by_class": dict(report.redriven),
            "capped": capped,
            "failed": len(report.failed),
        }

    def _tell(
        self, run: str, summary: Mapping[str, Any], report: Report, keys: list[str], capped: list[str]
    ) -> None:
        lines = {"redrive_run": run, **summary, "idempotency_keys": keys}
        log = self.observer.logger
        (log.error if report.failed else log.info)(
            "redrive", extra=lines | {"reasons": sorted(set(report.failed.values()))}
        )
        if capped:
            log.error("redriven as often as allowed", extra={"idempotency_keys": capped[:1000]})
        self.observer.count(
            {"Redriven": report.total, "RedriveCapReached": len(capped), "RedriveFailed": len(report.failed)}
        )
