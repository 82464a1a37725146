"""What both usual ways do to charge: one update of the balance, with a client as boto3 makes it."""

from __future__ import annotations

from typing import Any

import boto3

from benchmarks.consumer.latency import Distance


def dynamodb(distance: Distance) -> Any:
    """Return a DynamoDB client behind DISTANCE."""
    client = boto3.client("dynamodb")
    distance.put_before(client)
    return client


def add_to_balance(client: Any, message: dict[str, Any]) -> None:
    """Add the message's amount to its employee's balance."""
    client.update_item(
        TableName="jobs",
        Key={"pk": {"S": message["tenant_id"]}, "sk": {"S": f"balance#{message['employee_id']}"}},
        UpdateExpression="ADD balance :amount",
        ExpressionAttributeValues={":amount": {"N": str(message["payload"]["amount"])}},
    )
