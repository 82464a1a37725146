"""Compares what a run had to do with what the ledger proves, and says so where people look.

Missing is every employee of the directory without a row in the ledger, whatever the reason: never sent, still
on the way, in quarantine, or skipped for a bad record. What a person has written off, with a reason, is told
apart: it is not missing, and not sent again.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

from job_runtime.clock import Clock
from job_runtime.directory import Directory
from job_runtime.dispatching import DispatchSettings
from job_runtime.identity import idempotency_key, run_id
from job_runtime.observe import Observer, trace_header
from job_runtime.outbox import MessageBuilder, Outbox
from job_runtime.period import ScheduleError
from job_runtime.runs import Counts, Run, Runs
from job_runtime.sender import Sender
from job_runtime.write_offs import WriteOffs
from run_auditor.comparison import Ledger, compare
from run_auditor.key_log import KeyLog
from run_auditor.redispatch import Redispatch
from run_auditor.request import Request

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_sqs import SQSClient


class LambdaContext(Protocol):
    """What the auditor needs of Lambda's context."""

    @property
    def aws_request_id(self) -> str:
        """The id of the invocation."""
        ...


class RedispatchError(Exception):
    """SQS did not take all that is missing; another attempt at the same event sends what is missing by
    then."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What an audit found. `unconfirmed`: dispatched, but in neither the directory nor the ledger any
    more."""

    proven: int
    missing: int
    written_off: int
    extra: int
    unconfirmed: int
    redispatched: Counts


@dataclass(frozen=True)
class Auditor:
    """The auditor of one job; calling it audits one month."""

    settings: DispatchSettings
    dynamodb: "DynamoDBClient"
    sqs: "SQSClient"
    directory: Directory
    ledger: Ledger
    builder: MessageBuilder
    write_offs: WriteOffs
    observer: Observer
    clock: Clock

    def __call__(self, event: Any, context: LambdaContext) -> dict[str, Any]:
        """Audit the run that `event` names, and send what is missing when it says so.

        Returns the `run_id`, whether the run `started` and `finished`, what it `expected` to do, the
        `proven`, `missing`, `written_off`, `extra` and `unconfirmed` effects, how many were `redispatched`,
        and the `verdict`: `verified`, `incomplete`, or `none` when the run has moved on during the audit.

        Raises what `Request.read` raises; ScheduleError when no scheduled time is known to send with;
        RedispatchError, after the verdict is written, when SQS did not take all; botocore's errors.
        """
        with self.observer.flushing():
            request = Request.read(event, self.settings)
            runs = Runs(
                self.dynamodb,
                self.settings.job_table,
                clock=self.clock,
                writer=f"{context.aws_request_id}/{uuid4().hex}",
            )
            run = runs.read(self.settings.job, request.period)
            tally = self._compare(request, run)
            lacking = tally.missing + tally.unconfirmed
            state = runs.judge(self.settings.job, request.period, run, missing=lacking, extra=tally.extra)
            started = run is not None and run.fires > 0
            finished = run is not None and run.finished_at is not None
            self._measure(started=started, finished=finished, lacking=lacking)
            summary = {
                "run_id": run_id(self.settings.job, request.period),
                "started": started,
                "finished": finished,
                "expected": run.counts.expected if run else 0,
                "proven": tally.proven,
                "missing": tally.missing,
                "written_off": tally.written_off,
                "extra": tally.extra,
                "unconfirmed": tally.unconfirmed,
                "redispatched": tally.redispatched.sent,
                "verdict": state.value if state else "none",
            }
            log = self.observer.logger
            (log.info if finished and not lacking and not tally.extra else log.error)("audit", extra=summary)
            if tally.redispatched.failed:
                raise RedispatchError(
                    f"run {summary['run_id']}: SQS did not take {tally.redispatched.failed} messages; "
                    "the log names their keys"
                )
            return summary

    def _measure(self, *, started: bool, finished: bool, lacking: int) -> None:
        """Publish what alarms watch; the zeros end an alarm that an earlier audit has raised.

        A run that never was lacks everything: that is one fact, told once, by RunMissing alone.
        """
        found = {"RunMissing": int(not started), "RunLate": int(started and not finished)}
        if started:
            found["RunMissingItems"] = lacking
        for name, value in found.items():
            self.observer.metrics.add_metric(name=name, unit="Count", value=value)

    def _compare(self, request: Request, run: Run | None) -> Tally:
        job, period, log = self.settings.job, request.period, self.observer.logger
        missing = KeyLog(log, "missing from the ledger", run_id(job, period))
        extra = KeyLog(log, "in the ledger but not in the directory", run_id(job, period))
        written_off = dict(self.write_offs.of_period(period))
        proven = resolved = 0
        with self._redispatch(request, run) as redispatch:
            for finding in compare(
                self.directory.rows(), lambda tenant: self.ledger.employees(tenant, period)
            ):
                key = idempotency_key(job, finding.tenant_id, finding.employee_id, period)
                if finding.proven and finding.row:
                    proven += 1
                elif finding.row and key in written_off:
                    resolved += 1
                    log.info("written off", extra={"idempotency_key": key, "reason": written_off[key]})
                elif finding.row:
                    missing.add(key)
                    if redispatch:
                        redispatch.add(finding.row)
                else:
                    extra.add(key)
            if redispatch:
                redispatch.flush()
        missing.close()
        extra.close()
        seen = proven + missing.count + resolved + extra.count
        return Tally(
            proven=proven,
            missing=missing.count,
            written_off=resolved,
            extra=extra.count,
            unconfirmed=max(0, run.counts.expected - seen) if run else 0,
            redispatched=redispatch.counts if redispatch else Counts(),
        )

    @contextmanager
    def _redispatch(self, request: Request, run: Run | None) -> Iterator[Redispatch | None]:
        """What sends the missing; None when it is not asked for."""
        if not request.redispatch:
            yield None
            return
        scheduled_time = request.scheduled_time or (run.scheduled_time if run else None)
        if scheduled_time is None:
            raise ScheduleError(
                "scheduled_time: must be given instead of period to redispatch a run that never started"
            )
        with Sender(
            self.sqs,
            self.settings.queue_url,
            clock=self.clock,
            threads=self.settings.threads,
            trace_header=trace_header(),
        ) as sender:
            yield Redispatch(
                Outbox(self.builder, sender, self.observer),
                period=request.period,
                scheduled_time=scheduled_time,
                at_once=self.settings.page_size,
            )
