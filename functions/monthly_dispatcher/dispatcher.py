"""Enumerates the directory and sends; nothing else.

The run row says where the run stands, not the event: whatever is fired, retried, delivered twice or killed,
the next invocation goes on behind the last page that is known to be sent, with the same keys.
"""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

from job_runtime import aws
from job_runtime.clock import Clock
from job_runtime.directory import Directory
from job_runtime.dispatching import DispatchSettings
from job_runtime.observe import Observer, trace_header
from job_runtime.outbox import MessageBuilder, Outbox
from job_runtime.runs import Run, Runs, SupersededError
from job_runtime.sender import Sender
from monthly_dispatcher.event import Firing

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_sqs import SQSClient

RESERVE_SECONDS = 3.0
"""Kept free at the end of an invocation, for the checkpoint and the hand-over."""


class LambdaContext(Protocol):
    """What the dispatcher needs of Lambda's context."""

    @property
    def aws_request_id(self) -> str:
        """The id of the invocation; the same when Lambda tries an asynchronous one again."""
        ...

    @property
    def invoked_function_arn(self) -> str:
        """The function as it was called, with its version or alias if there was one."""
        ...

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until Lambda ends the invocation."""
        ...


class DispatchError(Exception):
    """A run ended with messages that SQS did not take; another attempt at the same event sends them again."""


@dataclass(frozen=True)
class Dispatcher:
    """The dispatcher of one job; calling it handles one event."""

    settings: DispatchSettings
    dynamodb: "DynamoDBClient"
    sqs: "SQSClient"
    directory: Directory
    builder: MessageBuilder
    observer: Observer
    clock: Clock

    def __call__(self, event: Any, context: LambdaContext) -> dict[str, Any]:
        """Bring the run of `event` to its end, or as far as the time of this invocation goes.

        Returns the run's totals (`expected`, `sent`, `skipped`, `failed`), its `run_id` and `state`, the
        `pages` of this invocation, whether it was `continued` by another, and whether it was `superseded` by
        one.

        Raises what `Firing.read` raises; DispatchError, after all is sent and accounted for, when SQS refused
        messages for good; NotTakenError, at the page in question, when it did so for now, since what comes
        later must not be sent before; botocore's error when AWS cannot be reached. Lambda then tries the
        event again and goes on from the last checkpoint; at the end of its attempts it takes the failure to
        its destination.
        """
        with self.observer.flushing():
            firing = Firing.read(event, self.settings, request_id=context.aws_request_id)
            runs = Runs(
                self.dynamodb,
                self.settings.job_table,
                clock=self.clock,
                writer=f"{context.aws_request_id}/{uuid4().hex}",
            )
            run = self._begin(runs, firing)
            return self._dispatch(runs, run, firing, context)

    def _begin(self, runs: Runs, firing: Firing) -> Run:
        run, counted = runs.begin(
            self.settings.job, firing.period, fire=firing.fire_id, scheduled_time=firing.scheduled_time
        )
        if counted and run.fires > 1:
            self.observer.count({"DuplicateRun": 1})
            self.observer.logger.warning("run fired again", extra={"run_id": run.run_id, "fires": run.fires})
        if run.finished_at and not run.succeeded:
            run = runs.restart(run)
        return run

    def _dispatch(self, runs: Runs, run: Run, firing: Firing, context: LambdaContext) -> dict[str, Any]:
        pages, continued, superseded, slowest = 0, False, False, 0.0
        with Sender(
            self.sqs,
            self.settings.queue_url,
            clock=self.clock,
            threads=self.settings.threads,
            trace_header=trace_header(),
        ) as sender:
            outbox = Outbox(self.builder, sender, self.observer)
            while not run.finished_at:
                # At least one page an invocation, or a chain of hand-overs would never end.
                if pages and self._is_late(context, slowest):
                    self._continue(run, firing, context)
                    continued = True
                    break
                started = self.clock.monotonic()
                page = self.directory.page(run.cursor)
                rows = [row for row in page.rows if not row.is_tenant]
                counts = outbox.send(rows, run.period, firing.scheduled_time)
                try:
                    run = runs.checkpoint(run, counts, page.cursor)
                except SupersededError:
                    superseded = True
                    break
                pages += 1
                slowest = max(slowest, self.clock.monotonic() - started)
        summary = {
            "run_id": run.run_id,
            "state": run.state.value,
            "expected": run.counts.expected,
            "sent": run.counts.sent,
            "skipped": run.counts.skipped,
            "failed": run.counts.failed,
            "pages": pages,
            "continued": continued,
            "superseded": superseded,
        }
        self.observer.logger.info("dispatch", extra=summary)
        if run.finished_at and run.counts.failed:
            raise DispatchError(
                f"run {run.run_id}: SQS did not take {run.counts.failed} of {run.counts.expected} messages; "
                "the log names their keys"
            )
        return summary

    @staticmethod
    def _is_late(context: LambdaContext, slowest: float) -> bool:
        """Whether another page, half again as slow as the slowest, might not be done in time."""
        return context.get_remaining_time_in_millis() / 1000 < RESERVE_SECONDS + 1.5 * slowest

    @staticmethod
    def _continue(run: Run, firing: Firing, context: LambdaContext) -> None:
        # Made when it is needed: most runs end in their first invocation.
        aws.lambda_().invoke(
            FunctionName=context.invoked_function_arn,
            InvocationType="Event",
            Payload=json.dumps(firing.continuation(run)).encode(),
        )
