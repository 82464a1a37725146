"""Real attempts of a failing message, counted in the job table; a message that succeeds costs nothing."""

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from job_runtime.clock import Clock, timestamp
from job_runtime.envelope import Message
from job_runtime.failures import error_code

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

KEPT = timedelta(days=15)
"""Longer than a message can live in the queue (14 days)."""


class Attempts:
    """The counter of failed attempts by idempotency key.

    It starts again when a redrive brings the key back as a new message, which would have no attempt left
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
