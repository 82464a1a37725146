"""What a message has cost so far, counted in the job table: failed attempts, and deliveries that were begun.

SQS's receive count tells neither. A message is received with a failing head of its group, or with a batch
that runs out of time, without being looked at.
"""

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from job_runtime.clock import Clock, timestamp
from job_runtime.envelope import Message
from job_runtime.failures import error_code
from job_runtime.records import Record

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

KEPT = timedelta(days=15)
"""Longer than a message can live in the queue (14 days)."""

UNCOUNTED_RECEIVES = 3
"""Receives whose beginnings are not counted, so that a message that succeeds costs nothing."""


class Attempts:
    """The counters: failed attempts by idempotency key, begun deliveries by message id.

    Both start again when a redrive brings the key back as a new message, which would have none left
    otherwise.
    """

    def __init__(self, client: "DynamoDBClient", table: str, clock: Clock) -> None:
        """`table`: the job table."""
        self._client = client
        self._table = table
        self._clock = clock

    def count(self, message: Message, message_id: str) -> int:
        """Count one more failed attempt and return how many there were; at least 1.

        Raises botocore's errors: an attempt that could not be counted must not be taken for the last one.
        """
        now = self._clock.now()
        update: dict[str, Any] = {
            "TableName": self._table,
            "Key": {"pk": {"S": message.tenant_id}, "sk": {"S": f"attempt#{message.idempotency_key}"}},
            "ExpressionAttributeNames": {"#ttl": "ttl"},
            "ReturnValues": "UPDATED_NEW",
        }
        values = {
            ":one": {"N": "1"},
            ":message": {"S": message_id},
            ":ttl": {"N": str(int((now + KEPT).timestamp()))},
            ":now": {"S": timestamp(now)},
        }
        try:
            answer = self._client.update_item(
                **update,
                UpdateExpression="SET attempts = attempts + :one, #ttl = :ttl, updated_at = :now",
                ConditionExpression="message_id = :message AND #ttl > :seconds",
                ExpressionAttributeValues={**values, ":seconds": {"N": str(int(now.timestamp()))}},
            )
        except ClientError as error:
            if error_code(error) != "ConditionalCheckFailedException":
                raise
            answer = self._client.update_item(
                **update,
                UpdateExpression="SET attempts = :one, message_id = :message, #ttl = :ttl, updated_at = :now",
                ExpressionAttributeValues=values,
            )
        return int(answer["Attributes"]["attempts"]["N"])

    def begin(self, record: Record) -> int:
        """Count one more delivery on which work begins and return how many there were; 0 while it is not
        counted.

        By message id, so that it comes before the body is looked at, which may be what ends the process.
        Raises botocore's errors: work that is not counted must not begin.
        """
        if record.receive_count <= UNCOUNTED_RECEIVES:
            return 0
        expires = int((self._clock.now() + KEPT).timestamp())
        answer = self._client.update_item(
            TableName=self._table,
            Key=_delivery_key(record),
            UpdateExpression="SET #ttl = :ttl ADD deliveries :one",
            ExpressionAttributeNames={"#ttl": "ttl"},
            ExpressionAttributeValues={":one": {"N": "1"}, ":ttl": {"N": str(expires)}},
            ReturnValues="UPDATED_NEW",
        )
        return int(answer["Attributes"]["deliveries"]["N"])

    def take_back(self, record: Record) -> None:
        """Uncount a delivery that turned out to be a wait. Raises botocore's errors."""
        if record.receive_count <= UNCOUNTED_RECEIVES:
            return
        self._client.update_item(
            TableName=self._table,
            Key=_delivery_key(record),
            UpdateExpression="ADD deliveries :less",
            ExpressionAttributeValues={":less": {"N": "-1"}},
        )


def _delivery_key(record: Record) -> dict[str, Any]:
    return {"pk": {"S": f"delivery#{record.message_id}"}, "sk": {"S": "delivery"}}
