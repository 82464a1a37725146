"""An SQS event as the records of this runtime."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from job_runtime.trip import Trip, texts


@dataclass(frozen=True)
class Record:
    """One received message. `body` is the sender's text, unchecked; `group` is None without a MessageGroupId.

    `receive_count` counts deliveries, not failures: a message is received with a failing head of its group
    too.
    """

    message_id: str
    receipt_handle: str
    body: str
    fifo: bool
    group: str | None
    receive_count: int
    sequence_number: str | None
    trace_header: str | None
    trip: Trip

    @property
    def order_scope(self) -> str:
        """What must stay in order: the group on a FIFO queue, the message itself on a standard one, where
        a group id only shares capacity fairly."""
        return f"group:{self.group}" if self.fifo else f"message:{self.message_id}"


def records_of(event: Mapping[str, Any]) -> list[Record]:
    """The records of an event from Lambda's SQS mapping, in delivery order.

    Raises ValueError for any other event: the function was invoked by something that is not the mapping.
    """
    entries = event.get("Records")
    if not isinstance(entries, list) or not all(entry.get("eventSource") == "aws:sqs" for entry in entries):
        raise ValueError(
            "event: must be a batch of SQS records; invoke this function through its mapping only"
        )
    return [_record(entry) for entry in entries]


def _record(entry: Mapping[str, Any]) -> Record:
    attributes = entry["attributes"]
    return Record(
        message_id=entry["messageId"],
        receipt_handle=entry["receiptHandle"],
        body=entry["body"],
        fifo=entry["eventSourceARN"].endswith(".fifo"),
        group=attributes.get("MessageGroupId"),
        receive_count=int(attributes["ApproximateReceiveCount"]),
        sequence_number=attributes.get("SequenceNumber"),
        trace_header=attributes.get("AWSTraceHeader"),
        trip=Trip.read(texts(entry.get("messageAttributes") or {})),
    )
