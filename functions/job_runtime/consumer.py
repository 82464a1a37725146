"""A consumer: each message of a batch has one outcome, one log line, one place in the answer to Lambda."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from job_runtime.attempts import UNCOUNTED_RECEIVES, Attempts
from job_runtime.batch import Deadline, LambdaContext, Progress, State, run_batch, run_within
from job_runtime.clock import Clock
from job_runtime.effects import Effect
from job_runtime.envelope import Contract, Message
from job_runtime.failures import (
    DeliveriesExhaustedError,
    FailureClass,
    HaltedGroupError,
    PayloadMismatchError,
    RejectedError,
    SupersededCopyError,
    UnknownOutcomeError,
    WaitingError,
    classify,
    summarize,
)
from job_runtime.halt import Halt, Halts
from job_runtime.observe import Observer
from job_runtime.payloads import Payloads
from job_runtime.quarantine import SUMMARY_LIMIT, Quarantine, Reason
from job_runtime.records import Record, records_of
from job_runtime.trip import Trip
from job_runtime.visibility import Backoff, Visibility

Apply = Callable[[Message, Record], Effect]
"""The effect of one message. What it raises is classified by `failures.classify`."""

_HOPELESS = frozenset(FailureClass) - {FailureClass.TRANSIENT, FailureClass.UNKNOWN}
"""Classes that another attempt cannot help."""


@dataclass(frozen=True)
class Consumer:
    """Everything a consumer is made of; calling it handles one SQS event.

    `done_metric`: the metric that counts first-time effects. `max_attempts`: failed attempts of class unknown
    before quarantine. `max_deliveries`: counted deliveries of one message on which work may begin. SQS's own
    count comes long after both, since it moves a message without a reason and halts nothing. `threads`:
    groups side by side. `halts`: None when a group goes on after a quarantine.
    """

    contract: Contract
    payloads: Payloads | None
    apply: Apply
    done_metric: str
    max_attempts: int
    max_deliveries: int
    threads: int
    attempts: Attempts
    quarantine: Quarantine
    visibility: Visibility
    backoff: Backoff
    halts: Halts | None
    observer: Observer
    clock: Clock

    def __call__(self, event: Mapping[str, Any], context: LambdaContext) -> dict[str, list[dict[str, str]]]:
        """Handle one event of the SQS mapping; returns `{"batchItemFailures": [{"itemIdentifier": id},
        ...]}`.

        Never raises for a record's sake, not even when every record fails. Raises ValueError for an event
        that is no SQS batch.
        """
        with self.observer.flushing():
            deadline = Deadline(context)
            invocation = _Invocation(self, deadline)
            progress = run_batch(
                records_of(event), invocation.handle, threads=self.threads, deadline=deadline
            )
            invocation.finish(progress)
            return progress.response()


@dataclass
class _Invocation:
    """What lives as long as one batch. Its threads share it: each writes under keys of its own group only."""

    consumer: Consumer
    deadline: Deadline
    counted: list[str] = field(default_factory=list)
    halted: dict[str, Halt | None] = field(default_factory=dict)
    pauses: dict[str, int] = field(default_factory=dict)
    begun: dict[str, int] = field(default_factory=dict)

    def handle(self, record: Record) -> bool:
        """Bring one record to its outcome; whether it is done."""
        started = self.consumer.clock.monotonic()
        message: Message | None = None
        try:
            self._stop_at_halted_group(record)
            self._begin(record)
            message = self.consumer.contract.parse(record.body)
            effect = self.consumer.apply(self._with_payload(message), record)
            self._tell_release(record)
        except Exception as error:  # noqa: BLE001 - whatever a record raises is its failure, not the batch's
            outcome = self._fail(record, message, error)
        else:
            self.counted.append(self.consumer.done_metric if effect is Effect.APPLIED else "Duplicate")
            outcome = _Outcome(done=True, name=effect.value)
        self._log(record, message, outcome, self.consumer.clock.monotonic() - started)
        return outcome.done

    def finish(self, progress: Progress) -> None:
        """Give back what is not done, and count what happened."""
        consumer = self.consumer
        for error in progress.broken:
            consumer.observer.logger.error("group ended", extra={"summary": summarize(error)})
        delays = dict.fromkeys(progress.in_state(State.UNTOUCHED), 0)
        for record in progress.in_state(State.FAILED, State.BEHIND):
            delays[record] = self.pauses[record.order_scope]
        if delays:
            consumer.observer.logger.info(
                "batch handed back in part",
                extra={state.name.lower(): len(progress.in_state(state)) for state in State},
            )
            if not run_within(self.deadline.spare(), lambda: consumer.visibility.change(delays)):
                consumer.observer.logger.warning("visibility not changed", extra={"summary": "time is up"})
        consumer.observer.count(Counter(self.counted))

    def _stop_at_halted_group(self, record: Record) -> None:
        halts = self.consumer.halts
        if halts is None or record.group is None:
            return
        if record.group not in self.halted:
            self.halted[record.group] = halts.read(record.group)
        halt = self.halted[record.group]
        if record.trip.copy_of is not None:
            _check_turn(record.trip, halt)
        elif halt is not None:
            raise HaltedGroupError(
                "an earlier message of the group is in quarantine; release the group to go on"
            )

    def _begin(self, record: Record) -> None:
        deliveries = self.begun[record.message_id] = self.consumer.attempts.begin(record)
        if deliveries > self.consumer.max_deliveries:
            raise DeliveriesExhaustedError(
                f"begun {self.consumer.max_deliveries} times without an end: the function crashes, runs out "
                "of time, or what the message needs stays away"
            )

    def _tell_release(self, record: Record) -> None:
        """Tell whoever releases the group that this copy has taken effect: its original can go."""
        halts, group, trip = self.consumer.halts, record.group, record.trip
        if halts is None or group is None or trip.run is None or trip.copy_of is None:
            return
        if halts.took_effect(group, trip.run, trip.copy_of):
            halt = self.halted[group]
            if halt is not None:
                self.halted[group] = replace(halt, effective=halt.effective | {trip.copy_of})

    def _refuse(self, record: Record, outcome: "_Outcome") -> bool:
        """End the window of a released group: what is behind this copy must not pass it."""
        halts, group, trip = self.consumer.halts, record.group, record.trip
        if halts is None or group is None or trip.run is None or trip.copy_of is None:
            return False
        halts.refuse(group, trip.run, f"{outcome.name}: {outcome.summary}"[:SUMMARY_LIMIT])
        halt = self.halted.get(group)
        self.halted[group] = replace(halt, release=None) if halt else None
        return True

    def _with_payload(self, message: Message) -> Message:
        if message.payload_ref is None:
            return message
        if self.consumer.payloads is None:
            raise RejectedError("payload_ref: this consumer takes none; set PAYLOAD_BUCKET")
        return self.consumer.payloads.load(message, self.consumer.contract)

    def _fail(self, record: Record, message: Message | None, error: Exception) -> "_Outcome":
        failure = classify(error)
        if isinstance(error, WaitingError):
            return self._wait(record, error)
        self.counted += [name for kind, name in _SPECIAL_METRICS.items() if isinstance(error, kind)]
        outcome = _Outcome(
            done=False, name=failure.value, exception=type(error).__name__, summary=summarize(error)
        )
        counted = self._count_attempt(message, record) if failure is FailureClass.UNKNOWN else None
        outcome.attempts = counted or 1
        if failure in _HOPELESS or (counted is not None and counted >= self.consumer.max_attempts):
            outcome.done = self._quarantine(record, message, outcome)
        if outcome.done:
            self.counted.append("Duplicate" if failure is FailureClass.SUPERSEDED else "Quarantined")
        else:
            self.counted.append("Retried")
            self.pauses[record.order_scope] = self.consumer.backoff.seconds(counted or self._times(record))
        return outcome

    def _times(self, record: Record) -> int:
        """How often work on the record has begun, as far as that is counted."""
        return min(record.receive_count, UNCOUNTED_RECEIVES) + self.begun.get(record.message_id, 0)

    def _wait(self, record: Record, error: WaitingError) -> "_Outcome":
        """Come back when the other delivery has ended; neither an attempt nor a delivery is used up."""
        self.counted.append("Waiting")
        self.pauses[record.order_scope] = self.consumer.backoff.bounded(error.seconds)
        try:
            self.consumer.attempts.take_back(record)
        except Exception as failed:  # noqa: BLE001 - the delivery then counts as begun
            self._warn("delivery not uncounted", record, failed)
        return _Outcome(done=False, name="waiting", exception=type(error).__name__, summary=str(error))

    def _count_attempt(self, message: Message | None, record: Record) -> int | None:
        if message is None:
            return None
        try:
            return self.consumer.attempts.count(message, record.message_id)
        except Exception as error:  # noqa: BLE001 - an attempt that cannot be counted is not the last one
            self._warn("attempt not counted", record, error)
            return None

    def _quarantine(self, record: Record, message: Message | None, outcome: "_Outcome") -> bool:
        reason = Reason(
            failure_class=outcome.name,
            exception=outcome.exception,
            summary=outcome.summary,
            attempts=outcome.attempts,
            idempotency_key=message.idempotency_key if message else None,
        )
        try:
            if self._refuse(record, outcome):
                return True
            self.consumer.quarantine.send(record, self._halt(record, reason))
        except Exception as error:  # noqa: BLE001 - what is not safe in the other queue stays in this one
            self._warn("not quarantined", record, error)
            return False
        return True

    def _halt(self, record: Record, reason: Reason) -> Reason:
        """Halt the group in a job that does so; the reason to park the record for.

        A record that halted its group in an earlier delivery, which ended before it was parked, is parked for
        the reason of then.
        """
        if not (self.consumer.halts and record.group and record.sequence_number):
            return reason
        self.consumer.halts.halt(record.group, record.message_id, record.sequence_number, reason)
        halt = self.halted.get(record.group) or Halt(record.message_id)
        self.halted[record.group] = halt
        return halt.reason if halt.reason and halt.head == record.message_id else reason

    def _warn(self, text: str, record: Record, error: Exception) -> None:
        self.consumer.observer.logger.warning(
            text, extra={"message_id": record.message_id, "summary": summarize(error)}
        )

    def _log(self, record: Record, message: Message | None, outcome: "_Outcome", seconds: float) -> None:
        line = {
            "message_id": record.message_id,
            "group": record.group,
            "receive_count": record.receive_count,
            "outcome": outcome.name,
            "done": outcome.done,
            "attempts": outcome.attempts,
            "duration_ms": round(seconds * 1000, 1),
            "idempotency_key": message.idempotency_key if message else None,
            "run_id": message.run_id if message else None,
            "exception": outcome.exception or None,
            "summary": outcome.summary or None,
            "sender_trace": record.trace_header,
        }
        log = self.consumer.observer.logger
        (log.warning if outcome.summary else log.info)("message", extra=line)


@dataclass
class _Outcome:
    """What became of one record. `name`: the effect or the class of failure."""

    done: bool
    name: str
    exception: str = ""
    summary: str = ""
    attempts: int = 1


def _check_turn(trip: Trip, halt: Halt | None) -> None:
    """Raise SupersededCopyError for a copy that is not, or no longer, next in its group."""
    if halt is None or halt.release is None or halt.release != trip.run:
        raise SupersededCopyError("the release that sent this copy is over; its original decides")
    if trip.after is not None and trip.after not in halt.effective:
        raise SupersededCopyError("the copy before it has not taken effect; its original waits for its turn")


_SPECIAL_METRICS = {PayloadMismatchError: "PayloadMismatch", UnknownOutcomeError: "UnknownOutcome"}
