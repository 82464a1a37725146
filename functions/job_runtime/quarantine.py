"""Taking a message that cannot succeed out of the queue, into the dead-letter queue, with its reason."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from job_runtime.observe import trace_attributes
from job_runtime.records import Record

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import MessageAttributeValueTypeDef, SendMessageRequestTypeDef

SUMMARY_LIMIT = 512
"""Characters of a summary: attributes count into the message's size."""


@dataclass(frozen=True)
class Reason:
    """Why a message is quarantined. `summary` is free of the body; `idempotency_key` is None for what has
    none."""

    failure_class: str
    exception: str
    summary: str
    attempts: int
    idempotency_key: str | None


class Quarantine:
    """The dead-letter queue as a place to put single messages."""

    def __init__(self, client: "SQSClient", queue_url: str) -> None:
        """`queue_url`: the dead-letter queue, FIFO for a FIFO source."""
        self._client = client
        self._queue_url = queue_url

    def send(self, record: Record, reason: Reason) -> None:
        """Send the record's own body, in its own group, with the reason as message attributes.

        The deduplication id is the message id: a second try within five minutes leaves one copy, and a
        message that comes back after a redrive has another id. Raises botocore's errors; then the message
        is not safe and must not be reported done.
        """
        attributes: dict[str, MessageAttributeValueTypeDef] = {
            "failure_class": _text(reason.failure_class),
            "exception": _text(reason.exception),
            "summary": _text(reason.summary[:SUMMARY_LIMIT]),
            "attempts": {"DataType": "Number", "StringValue": str(reason.attempts)},
            "source_message_id": _text(record.message_id),
            **record.trip.of_copy().attributes(),
        }
        if record.sequence_number is not None:
            attributes["source_sequence"] = _text(record.sequence_number)
        if reason.idempotency_key is not None:
            attributes["idempotency_key"] = _text(reason.idempotency_key)
        request: SendMessageRequestTypeDef = {
            "QueueUrl": self._queue_url,
            "MessageBody": record.body,
            "MessageAttributes": attributes,
            "MessageSystemAttributes": trace_attributes(record.trace_header),
        }
        if record.group is not None:
            request["MessageGroupId"] = record.group
        if record.fifo:
            request["MessageDeduplicationId"] = record.message_id
        self._client.send_message(**request)


def _text(value: str) -> "MessageAttributeValueTypeDef":
    return {"DataType": "String", "StringValue": value}
