"""The notifier: events in, an up-to-date Slack out, and everything that did not get there back in the
queue."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from alarm_notifier import log_lines, messages
from alarm_notifier.children import Alarms
from alarm_notifier.credentials import CredentialsError
from alarm_notifier.events import AlarmChange, ErrorKind, ErrorLines, Event, QuietCheck
from alarm_notifier.masking import Mask
from alarm_notifier.severity import Severity
from alarm_notifier.situation import Situation
from alarm_notifier.slack import CredentialsRefusedError, SlackRefusedError, SlowDownError
from alarm_notifier.store import BusyError, Row, Store
from alarm_notifier.telling import Voice
from job_runtime.batch import Deadline, LambdaContext
from job_runtime.clock import Clock, timestamp
from job_runtime.config import ConfigurationError
from job_runtime.envelope import MalformedMessageError
from job_runtime.failures import FailureClass, UnknownOutcomeError, classify, summarize
from job_runtime.observe import Observer
from job_runtime.quarantine import Quarantine, Reason
from job_runtime.records import Record, records_of
from job_runtime.visibility import Backoff, Visibility

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

SERVICE: Final = "alerts"
_FOLDS: Final = 5
_TELLINGS: Final = 5
_BUSY_SECONDS: Final = 5
_WORDED_HERE: Final = (SlackRefusedError, CredentialsError, ConfigurationError)
_STALE: Final = timedelta(hours=1)
"""An alarm that has been on for so long is asked for before others join its incident: its end may never
come, since CloudWatch tells of no alarm that was deleted."""


@dataclass(frozen=True)
class Notifier:
    """Everything the notifier is made of; calling it handles a batch of its queue or a delivery of log lines.

    `voice`: how Slack is spoken to, with the credentials of this moment; `forget`: they were refused.
    `topics`: the severity of a topic's ARN. `quiet`: how long without error lines until they count as
    stopped.
    """

    store: Store
    alarms: Alarms
    voice: Callable[[], Voice]
    forget: Callable[[], None]
    sqs: "SQSClient"
    queue_url: str
    quarantine: Quarantine
    visibility: Visibility
    backoff: Backoff
    topics: Mapping[str, Severity]
    mask: Mask
    own_log_group: str
    quiet: timedelta
    observer: Observer
    clock: Clock

    def __call__(self, event: Mapping[str, Any], context: LambdaContext) -> dict[str, Any]:
        """Handle one event.

        For a batch, returns `{"batchItemFailures": […]}` and raises for no message's sake. For log lines,
        returns how many messages they became; raises MalformedMessageError for a delivery that cannot be
        read, which Slack is told of, and botocore's errors: Lambda then tries again and keeps the event in
        the failure queue in the end.
        """
        with self.observer.flushing():
            if "awslogs" in event:
                return {"sent": self._take_log_lines(event)}
            return self._take_batch(records_of(event), Deadline(context))

    def _take_log_lines(self, event: Mapping[str, Any]) -> int:
        try:
            found = log_lines.read(event, own_log_group=self.own_log_group, mask=self.mask)
        except MalformedMessageError:
            digest = hashlib.sha256(json.dumps(event, sort_keys=True, default=str).encode()).hexdigest()
            self._send(messages.of_errors(_unreadable(digest[:32], "a delivery of log lines")))
            raise
        for lines in found:
            self._send(messages.of_errors(lines))
        return len(found)

    def _take_batch(self, records: Sequence[Record], deadline: Deadline) -> dict[str, list[dict[str, str]]]:
        work = _Work()
        for record in records:
            try:
                event = messages.read(record.body, topics=self.topics, mask=self.mask)
            except Exception as error:  # noqa: BLE001 - whatever is odd about a message is its own failure
                work.unreadable[record.message_id] = error
                event = _unreadable(record.message_id, "a message")
            work.by_service.setdefault(event.service, []).append((record, event))
        pauses: dict[Record, int] = {}
        for service, items in work.by_service.items():
            taken = [record for record, _ in items]
            if not deadline.allows_another():
                pauses |= dict.fromkeys(taken, 0)
                continue
            before = deadline.left()
            try:
                self._handle(service, [event for _, event in items])
                self._quarantine_unreadable(taken, work.unreadable)
            except Exception as error:  # noqa: BLE001 - what is not told stays in the queue, whatever the reason
                pauses |= self._failed(service, taken, error)
            deadline.took(before - deadline.left())
        self.visibility.change(pauses)
        return {"batchItemFailures": [{"itemIdentifier": record.message_id} for record in pauses]}

    def _handle(self, service: str, events: Sequence[Event]) -> None:
        """Fold the events of a service, in one write, and tell Slack."""
        detailed = [self._with_children(event) for event in events]
        if any(isinstance(event, ErrorLines) for event in events):
            # Before the lines are kept: a look too many does no harm, one too few leaves the incident open.
            self._send(messages.of_check(service), delay=int(self.quiet.total_seconds()))
        ended = self._ended(self.store.read(service).situation, events)
        if ended:
            # Told first: what is new is then an incident of its own, not the last line of an old one.
            self._bring_up(service, ended)
        repeated = self._bring_up(service, detailed)
        self.observer.count({"Duplicate": repeated})

    def _bring_up(self, service: str, events: Sequence[Event]) -> int:
        """Fold the events in and tell Slack; how many pieces of news of them were none."""
        row, repeated = self._fold(service, events)
        if not row.is_told:
            self._tell(service)
        return repeated

    def _fold(self, service: str, events: Sequence[Event]) -> tuple[Row, int]:
        """The row with the events in it, and how many pieces of news of them were none."""
        for _ in range(_FOLDS - 1):
            try:
                return self._fold_once(service, events)
            except BusyError:
                continue
        return self._fold_once(service, events)

    def _fold_once(self, service: str, events: Sequence[Event]) -> tuple[Row, int]:
        row = self.store.read(service)
        now = self.clock.now()
        changed: list[bool] = []
        for event in events:
            told = row.is_told and not any(changed)
            changed.append(row.situation.fold(event, now, quiet=self.quiet, told=told))
        news = [new for event, new in zip(events, changed, strict=True) if not isinstance(event, QuietCheck)]
        if any(changed):
            self.store.save(row, row.situation)
            row = replace(row, version=row.version + 1)
        return row, news.count(False)

    def _ended(self, situation: Situation, events: Iterable[Event]) -> list[AlarmChange]:
        """The end of alarms that are long on as far as was heard, and not on, or not there, any more."""
        horizon = timestamp(self.clock.now() - _STALE)
        news = {event.name for event in events if isinstance(event, AlarmChange)}
        old = [alarm for alarm in situation.firing() if alarm.changed_at < horizon and alarm.name not in news]
        firing = self.alarms.firing([alarm.name for alarm in old]) if old else ()
        if firing is None:
            return []
        on = {child.name for child in firing}
        return [
            AlarmChange(
                name=alarm.name,
                state="OK",
                changed_at=timestamp(self.clock.now()),
                service=situation.service,
                label=alarm.label,
                severity=alarm.severity,
                text=alarm.text,
                runbook=alarm.runbook,
                dashboard=alarm.dashboard,
            )
            for alarm in old
            if alarm.name not in on
        ]

    def _with_children(self, event: Event) -> Event:
        if not isinstance(event, AlarmChange) or event.state != "ALARM" or not event.members:
            return event
        return replace(event, children=self.alarms.firing(event.members) or ())

    def _tell(self, service: str) -> None:
        """Bring Slack up to the row, and to what others fold in meanwhile. Raises BusyError while another
        does."""
        owner = uuid4().hex
        self.store.lease(service, owner)
        try:
            for _ in range(_TELLINGS):
                row = self.store.read(service)
                if row.is_told:
                    return
                kept = self._speak(row, owner)
                self.store.keep(service, owner, kept, told=row.version)
        finally:
            self.store.release(service, owner)

    def _speak(self, row: Row, owner: str) -> Mapping[str, Any]:
        incident = row.situation.incident
        if incident is None:
            return row.slack
        service = row.situation.service

        def tell() -> Mapping[str, Any]:
            kept = self.store.read(service).slack
            keep = _keeper(self.store, service, owner)
            return self.voice().tell(row.situation, incident, kept, keep, self.clock.now())

        try:
            kept = tell()
        except CredentialsRefusedError:
            # They may have been changed since they were read.
            self.forget()
            kept = tell()
        self.observer.count({"Notified": 1})
        return kept

    def _quarantine_unreadable(self, records: Iterable[Record], unreadable: Mapping[str, Exception]) -> None:
        for record in records:
            if (error := unreadable.get(record.message_id)) is None:
                continue
            reason = Reason(
                failure_class=FailureClass.MALFORMED,
                exception=type(error).__name__,
                summary=summarize(error),
                attempts=1,
                idempotency_key=None,
            )
            self.quarantine.send(record, reason)
            self.observer.count({"Unreadable": 1})
            self.observer.logger.error(
                "unreadable message", extra={"message_id": record.message_id, "summary": reason.summary}
            )

    def _failed(self, service: str, records: Sequence[Record], error: Exception) -> dict[Record, int]:
        """Tell the log, and when each record comes back."""
        if isinstance(error, BusyError):
            return dict.fromkeys(records, _BUSY_SECONDS)
        passing = classify(error) is FailureClass.TRANSIENT or isinstance(error, UnknownOutcomeError)
        summary = str(error) if isinstance(error, _WORDED_HERE) else summarize(error)
        log = self.observer.logger
        (log.warning if passing else log.error)(
            "not told", extra={"incident_service": service, "records": len(records), "summary": summary}
        )
        self.observer.count({"NotificationFailed": len(records)})
        least = error.seconds if isinstance(error, SlowDownError) else 0
        return {record: max(least, self.backoff.seconds(record.receive_count)) for record in records}

    def _send(self, body: str, delay: int = 0) -> None:
        self.sqs.send_message(QueueUrl=self.queue_url, MessageBody=body, DelaySeconds=delay)


@dataclass
class _Work:
    """One batch by service, and what of it could not be read, by message id."""

    by_service: dict[str, list[tuple[Record, Event]]] = field(default_factory=dict)
    unreadable: dict[str, Exception] = field(default_factory=dict)


def _keeper(store: Store, service: str, owner: str) -> Callable[[Mapping[str, Any]], None]:
    return lambda kept: store.keep(service, owner, kept)


def _unreadable(delivery: str, what: str) -> ErrorLines:
    kind = ErrorKind(
        SERVICE, f"{what} could not be read; it is kept in a queue of failures", Severity.WARNING, 1
    )
    return ErrorLines(SERVICE, delivery, (kind,))
