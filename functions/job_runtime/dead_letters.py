"""The dead-letter queue as a place to look into, and to take messages out of.

SQS has no look without a receive: a message that is looked at is hidden for a while, and on a FIFO queue so
is everything behind it in its group. So whatever is received here is held, by its receipt, until it is
deleted or shown again; a holder that dies leaves it to the time it asked for.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Self, cast

from job_runtime.failures import FailureClass
from job_runtime.identity import canonical_json, entry_id, sha256
from job_runtime.sender import Outgoing
from job_runtime.trip import TRIP_NAMES, Trip, texts

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import MessageAttributeValueTypeDef, MessageTypeDef

BATCH: Final = 10
"""Messages of one receive, and entries of one batch call (SQS API reference)."""

_REASON_NAMES: Final = frozenset(
    {
        "failure_class",
        "exception",
        "summary",
        "attempts",
        "idempotency_key",
        "source_message_id",
        "source_sequence",
    }
)
_ORIGIN: Final = "redrive_origin"
# SQS numbers messages with 20 digits; Python's last year is 9999.
_BOUNDS: Final = {"sequence": 10**20, "sent": 253_402_300_800_000}


@dataclass(frozen=True)
class DeadLetter:
    """A message as it lies in the dead-letter queue. `sequence` is None on a standard queue."""

    message_id: str
    receipt_handle: str
    body: str
    group: str | None
    sequence: int | None
    sent_at: datetime
    receive_count: int
    trace_header: str | None
    attributes: "Mapping[str, MessageAttributeValueTypeDef]"

    @classmethod
    def read(cls, message: "MessageTypeDef") -> Self:
        """From ReceiveMessage's answer, asked for all attributes."""
        system = message.get("Attributes", {})
        sequence = system.get("SequenceNumber")
        return cls(
            message_id=message["MessageId"],
            receipt_handle=message["ReceiptHandle"],
            body=message["Body"],
            group=system.get("MessageGroupId"),
            sequence=int(sequence) if sequence else None,
            sent_at=datetime.fromtimestamp(int(system.get("SentTimestamp", "0")) / 1000, UTC),
            receive_count=int(system.get("ApproximateReceiveCount", "1")),
            trace_header=system.get("AWSTraceHeader"),
            attributes=cast(
                "Mapping[str, MessageAttributeValueTypeDef]", message.get("MessageAttributes", {})
            ),
        )

    @cached_property
    def reason(self) -> Mapping[str, str]:
        """The attributes that are text, by name."""
        return texts(self.attributes)

    @cached_property
    def trip(self) -> Trip:
        """How often it was redriven, and by what last."""
        return Trip.read(self.reason)

    @property
    def failure_class(self) -> str:
        """Why it is here. Without a reason, SQS moved it: no delivery had come to an end."""
        return self.reason.get("failure_class", FailureClass.EXHAUSTED.value)

    @property
    def exception(self) -> str:
        """The class of the exception, empty when SQS moved it."""
        return self.reason.get("exception", "")

    @property
    def source_message_id(self) -> str:
        """Its message id in the queue it failed in; SQS keeps the id when it moves a message."""
        return self.reason.get("source_message_id", self.message_id)

    @property
    def source_sequence(self) -> str | None:
        """Its sequence number in the queue it failed in; None when SQS moved it, or on a standard queue."""
        return self.reason.get("source_sequence")

    @cached_property
    def fields(self) -> Mapping[str, Any]:
        """The members of the body; empty for one that is no JSON object."""
        return _object(self.body)

    def field(self, name: str) -> str | None:
        """A member of the body that is a text; None when there is none."""
        value = self.fields.get(name)
        return value if isinstance(value, str) else None

    @property
    def key(self) -> str | None:
        """The idempotency key, from the reason or the body."""
        return self.reason.get("idempotency_key") or self.field("idempotency_key")

    @cached_property
    def _origin(self) -> Mapping[str, int]:
        """Place and time of arrival, on a letter that was set aside; a foreign sender's attribute is none."""
        found = _object(self.reason.get(_ORIGIN, "{}"))
        if not all(type(found.get(name)) is int and 0 <= found[name] < _BOUNDS[name] for name in _BOUNDS):
            return {}
        return found

    @property
    def rank(self) -> int:
        """Its place in the order of arrival, also after it was set aside."""
        return int(self._origin.get("sequence", self.sequence or 0))

    @property
    def dead_since(self) -> datetime:
        """When it arrived, also after it was set aside (for one that SQS moved: when it was sent at all)."""
        sent = self._origin.get("sent")
        return datetime.fromtimestamp(sent / 1000, UTC) if sent else self.sent_at

    def redriven(self, run: str) -> Outgoing:
        """The copy that goes back into the queue: its reason stays behind, its redrives are counted.

        The deduplication id is fresh, so that SQS takes it within five minutes of whatever came before, and
        the same for every try to move this dead letter.
        """
        trip = Trip(self.trip.redrives + 1, run)
        return self._copy("redrive", self._foreign() | trip.attributes())

    def released(self, window: str, after: str | None) -> Outgoing:
        """The copy that goes ahead of its group while this letter stays; `after`: the letter before it."""
        trip = Trip(self.trip.redrives + 1, window, copy_of=self.message_id, after=after)
        return self._copy(window, self._foreign() | trip.attributes())

    def set_aside(self, run: str) -> Outgoing:
        """The copy that goes to the end of the dead-letter queue, with its reason and its place."""
        origin = canonical_json(
            {"sequence": self.rank, "sent": int(self.dead_since.timestamp() * 1000)},
        )
        kept = {name: value for name, value in self.attributes.items() if name not in TRIP_NAMES}
        trip = Trip(self.trip.redrives, run)
        return self._copy(
            "aside", kept | trip.attributes() | {_ORIGIN: {"DataType": "String", "StringValue": origin}}
        )

    def _foreign(self) -> "dict[str, MessageAttributeValueTypeDef]":
        ours = _REASON_NAMES | TRIP_NAMES | {_ORIGIN}
        return {name: value for name, value in self.attributes.items() if name not in ours}

    def _copy(self, purpose: str, attributes: "Mapping[str, MessageAttributeValueTypeDef]") -> Outgoing:
        return Outgoing(
            key=sha256(canonical_json([purpose, self.message_id])),
            group=self.group or "",
            body=self.body,
            attributes=attributes,
            trace_header=self.trace_header,
            fifo=self.sequence is not None,
        )


@dataclass(frozen=True, slots=True)
class Depth:
    """How many messages a queue holds, as SQS counts them: approximately. `hidden` are in flight."""

    visible: int
    hidden: int
    delayed: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.visible + self.hidden + self.delayed


class DeadLetterQueue:
    """One dead-letter queue. Every call raises botocore's errors."""

    def __init__(self, client: "SQSClient", url: str, *, wait_seconds: int = 2) -> None:
        """`wait_seconds`: how long a receive waits for a message before it says that there is none."""
        self._client = client
        self.url = url
        self.fifo = url.endswith(".fifo")
        self._wait = wait_seconds

    def depth(self) -> Depth:
        """What SQS counts now."""
        return depth_of(self._client, self.url)

    def receive(self, hold_seconds: int) -> list[DeadLetter]:
        """Up to ten messages, hidden for `hold_seconds`; of a FIFO group the first ones, and then none until
        these are deleted or shown again."""
        answer = self._client.receive_message(
            QueueUrl=self.url,
            MaxNumberOfMessages=BATCH,
            VisibilityTimeout=hold_seconds,
            WaitTimeSeconds=self._wait,
            MessageAttributeNames=["All"],
            MessageSystemAttributeNames=["All"],
        )
        return [DeadLetter.read(message) for message in answer.get("Messages", ())]

    def delete(self, receipts: Sequence[str]) -> int:
        """Delete by receipt; how many SQS refused, be it that they were shown or deleted meanwhile."""
        refused = 0
        for chunk in _chunks(receipts):
            answer = self._client.delete_message_batch(
                QueueUrl=self.url,
                Entries=[
                    {"Id": entry_id(place), "ReceiptHandle": receipt} for place, receipt in enumerate(chunk)
                ],
            )
            refused += len(answer.get("Failed", ()))
        return refused

    def show_again(self, receipts: Iterable[str]) -> None:
        """Make messages visible at once. One that SQS refuses is visible already, or deleted."""
        for chunk in _chunks(receipts):
            self._client.change_message_visibility_batch(
                QueueUrl=self.url,
                Entries=[
                    {"Id": entry_id(place), "ReceiptHandle": receipt, "VisibilityTimeout": 0}
                    for place, receipt in enumerate(chunk)
                ],
            )


def depth_of(client: "SQSClient", url: str) -> Depth:
    """What SQS counts in a queue. Raises botocore's errors."""
    attributes = client.get_queue_attributes(
        QueueUrl=url,
        AttributeNames=[
            "ApproximateNumberOfMessages",
            "ApproximateNumberOfMessagesNotVisible",
            "ApproximateNumberOfMessagesDelayed",
        ],
    )["Attributes"]
    return Depth(
        visible=int(attributes["ApproximateNumberOfMessages"]),
        hidden=int(attributes["ApproximateNumberOfMessagesNotVisible"]),
        delayed=int(attributes["ApproximateNumberOfMessagesDelayed"]),
    )


def _object(text: str) -> Mapping[str, Any]:
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _chunks(receipts: Iterable[str]) -> Iterable[list[str]]:
    pending = iter(receipts)
    while chunk := list(islice(pending, BATCH)):
        yield chunk
