"""The usual way, two: a loop that claims each key with a conditional put and then charges.

A crash between the two loses the charge; it is here for its speed, not for its safety.
"""

from __future__ import annotations

import json
from typing import Any

from benchmarks.consumer.effect import add_to_balance, dynamodb
from benchmarks.consumer.latency import Distance


def consumer(distance: Distance) -> Any:
    """Return the handler, its client behind DISTANCE."""
    client = dynamodb(distance)

    def handler(event: dict[str, Any], _context: Any) -> Any:
        failures = []
        for record in event["Records"]:
            message = json.loads(record["body"])
            try:
                client.put_item(
                    TableName="claims",
                    Item={"id": {"S": message["idempotency_key"]}},
                    ConditionExpression="attribute_not_exists(id)",
                )
                add_to_balance(client, message)
            except client.exceptions.ConditionalCheckFailedException:
                continue
            except Exception:  # noqa: BLE001 - as such loops do
                failures.append({"itemIdentifier": record["messageId"]})
        return {"batchItemFailures": failures}

    return handler
