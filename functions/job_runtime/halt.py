"""Halted groups: what follows a quarantined message goes after it, in order, until an operator releases
the group.

The row is keyed by the group alone, not by the tenant as other rows are: the message that halts a group
may be too broken to say its tenant.
"""

from typing import TYPE_CHECKING

from job_runtime.clock import Clock, timestamp

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef


class Halts:
    """The halted groups of a job, in the job table."""

    def __init__(self, client: "DynamoDBClient", table: str, clock: Clock) -> None:
        """`table`: the job table."""
        self._client = client
        self._table = table
        self._clock = clock

    def is_halted(self, group: str) -> bool:
        """Whether `group` is halted now; a consistent read."""
        answer = self._client.get_item(
            TableName=self._table, Key=_key(group), ConsistentRead=True, ProjectionExpression="pk"
        )
        return "Item" in answer

    def halt(self, group: str, message_id: str) -> None:
        """Halt `group` behind the message `message_id`. A group that is halted stays so behind its first
        message."""
        self._client.update_item(
            TableName=self._table,
            Key=_key(group),
            UpdateExpression="SET message_id = if_not_exists(message_id, :message), "
            "halted_at = if_not_exists(halted_at, :now)",
            ExpressionAttributeValues={
                ":message": {"S": message_id},
                ":now": {"S": timestamp(self._clock.now())},
            },
        )

    def release(self, group: str) -> None:
        """Let `group` go on; nothing happens when it is not halted."""
        self._client.delete_item(TableName=self._table, Key=_key(group))


def _key(group: str) -> dict[str, "AttributeValueTypeDef"]:
    return {"pk": {"S": f"halt#{group}"}, "sk": {"S": "halt"}}
