"""From the directory's rows to messages in the queue; every row has one outcome, counted and logged."""

from collections.abc import Iterable
from dataclasses import dataclass

from job_runtime.directory import EMPLOYEE, TENANT, Row
from job_runtime.envelope import MalformedMessageError, Message, compile_schema
from job_runtime.identity import GroupScope, group_id, idempotency_key, run_id
from job_runtime.observe import Observer
from job_runtime.payload_schemas import PAYLOAD_SCHEMAS
from job_runtime.payloads import Payloads
from job_runtime.runs import Counts
from job_runtime.sender import Outgoing, Sender


@dataclass(frozen=True, slots=True)
class LargePayloads:
    """Where the payloads go whose message would have a body of more than `threshold` bytes."""

    payloads: Payloads
    threshold: int


class MessageBuilder:
    """Makes the messages of one job from the directory's rows."""

    def __init__(self, job: str, scope: GroupScope, large: LargePayloads | None = None) -> None:
        """`job`: a name in PAYLOAD_SCHEMAS; without `large` every payload travels in its message.

        Compiles the job's schema; make one a container.
        """
        self._job = job
        self._scope: GroupScope = scope
        self._large = large
        # An employee's row has, among others, a column for each member of the payload.
        self._columns = tuple(PAYLOAD_SCHEMAS[job]["properties"])
        self._check = compile_schema(PAYLOAD_SCHEMAS[job])

    def key(self, row: Row, period: str) -> str:
        """The idempotency key of the row's effect, also of a row that no message can be made of."""
        return idempotency_key(self._job, row.tenant_id, row.employee_id, period)

    def run_id(self, period: str) -> str:
        """The job's run for `period`."""
        return run_id(self._job, period)

    def build(self, row: Row, period: str, scheduled_time: str) -> Outgoing:
        """The message of `row` for `period`.

        Raises MalformedMessageError, naming the field and the rule, for a row that breaks one; botocore's
        error when a large payload cannot be stored.
        """
        if not row.is_employee:
            raise MalformedMessageError(f"sk: must be {TENANT}, or {EMPLOYEE} followed by the employee's id")
        payload = {name: row.attributes[name] for name in self._columns if name in row.attributes}
        self._check(payload)
        message = Message(
            job=self._job,
            tenant_id=row.tenant_id,
            employee_id=row.employee_id,
            period=period,
            run_id=self.run_id(period),
            scheduled_time=scheduled_time,
            payload=payload,
        )
        if self._large:
            message = self._large.payloads.store(message, self._large.threshold)
        return Outgoing(
            key=message.idempotency_key,
            group=group_id(self._scope, row.tenant_id, row.employee_id, period),
            body=message.body(),
        )


class NotTakenError(Exception):
    """SQS did not take messages that it may take later; what comes after them must not be sent before."""

    def __init__(self, counts: Counts) -> None:
        """`counts`: of the whole sending; `failed` includes what is held back behind a refused message."""
        super().__init__(f"SQS did not take {counts.failed} messages; the log names their keys")
        self.counts = counts


class Outbox:
    """Sends the messages of one invocation."""

    def __init__(self, builder: MessageBuilder, sender: Sender, observer: Observer) -> None:
        """A row that is not sent is logged by its key, with the field and rule or SQS's code."""
        self._builder = builder
        self._sender = sender
        self._observer = observer

    def send(self, rows: Iterable[Row], period: str, scheduled_time: str) -> Counts:
        """Send a message for each row, in their order inside each group.

        Rows and messages that break a rule are skipped. Raises NotTakenError, when each row has been told and
        counted, so that no later page passes what is held back here; and what `Sender.send` raises.
        """
        run_id = self._builder.run_id(period)
        messages: list[Outgoing] = []
        unfit = 0
        for row in rows:
            try:
                messages.append(self._builder.build(row, period, scheduled_time))
            except MalformedMessageError as broken:
                unfit += 1
                self._tell("record skipped", run_id, self._builder.key(row, period), str(broken))
        report = self._sender.send(messages)
        for unsent in report.skipped:
            self._tell("record skipped", run_id, unsent.key, unsent.reason)
        for unsent in report.failed:
            self._tell("message not sent", run_id, unsent.key, unsent.reason)
        counts = Counts(sent=report.sent, skipped=unfit + len(report.skipped), failed=len(report.failed))
        self._observer.count(
            {"Dispatched": counts.sent, "DispatchSkipped": counts.skipped, "DispatchFailed": counts.failed}
        )
        if any(unsent.for_now for unsent in report.failed):
            raise NotTakenError(counts)
        return counts

    def _tell(self, what: str, run_id: str, key: str, reason: str) -> None:
        self._observer.logger.error(what, extra={"run_id": run_id, "idempotency_key": key, "reason": reason})
