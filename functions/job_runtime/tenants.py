"""Which tenants may be charged: those with an active row in the directory."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from job_runtime.clock import Clock
from job_runtime.failures import RejectedError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

KNOWN_FOR = timedelta(minutes=5)


class Tenants:
    """The directory's tenants, with what was found remembered for five minutes in this container.

    Only a yes is remembered: a tenant that is entered now is known now, and a steady stream costs no read.
    """

    def __init__(self, client: "DynamoDBClient", table: str, clock: Clock) -> None:
        """`table`: the directory table."""
        self._client = client
        self._table = table
        self._clock = clock
        self._known_until: dict[str, datetime] = {}

    def require(self, tenant_id: str) -> None:
        """Return when the tenant is active; raise RejectedError when it is unknown or not active."""
        now = self._clock.now()
        if self._known_until.get(tenant_id, now) > now:
            return
        answer = self._client.get_item(
            TableName=self._table,
            Key={"pk": {"S": tenant_id}, "sk": {"S": "tenant"}},
            ConsistentRead=True,
            ProjectionExpression="#status",
            ExpressionAttributeNames={"#status": "status"},
        )
        if answer.get("Item", {}).get("status", {}).get("S") != "active":
            raise RejectedError("tenant_id: no active tenant of the directory has it")
        self._known_until[tenant_id] = now + KNOWN_FOR
