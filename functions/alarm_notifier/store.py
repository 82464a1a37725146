"""The row of one service: its situation, what Slack was told of it, and who is telling.

`pk` = `service#<service>`, `sk` = `situation`. Every fold that changes the situation gives it the next
`version`; `told` is the version that Slack shows. The two are written apart: whoever holds the lease tells,
anyone folds.
"""

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import ClientError

from alarm_notifier.situation import Situation
from job_runtime.clock import Clock
from job_runtime.failures import TransientError, error_code
from job_runtime.identity import canonical_json

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef

_KEPT: Final = timedelta(days=90)


class BusyError(TransientError):
    """Another delivery holds the row at this moment."""


@dataclass(frozen=True)
class Row:
    """The row as read. `slack` is what `telling` has kept of its messages."""

    situation: Situation
    version: int
    told: int
    slack: Mapping[str, Any]

    @property
    def is_told(self) -> bool:
        """Whether Slack shows all there is."""
        return self.told >= self.version


@dataclass(frozen=True)
class Store:
    """The channel's table. `lasts`: how long a lease is good for; longer than an invocation may run, so
    that its holder is gone when another takes it over."""

    client: "DynamoDBClient"
    table: str
    clock: Clock
    lasts: timedelta

    def read(self, service: str) -> Row:
        """The row of a service, an empty one when there is none. Consistent."""
        item = self.client.get_item(TableName=self.table, Key=_key(service), ConsistentRead=True).get(
            "Item", {}
        )
        situation = item.get("situation")
        return Row(
            situation=_unpacked(situation["B"]) if situation else Situation(service),
            version=_number(item.get("version")),
            told=_number(item.get("told")),
            slack=json.loads(item["slack"]["S"]) if "slack" in item else {},
        )

    def save(self, row: Row, situation: Situation) -> None:
        """Write the situation that follows on `row`. Raises BusyError when another was written since."""
        values: dict[str, AttributeValueTypeDef] = {
            ":situation": {"B": _packed(situation)},
            ":before": {"N": str(row.version)},
            ":next": {"N": str(row.version + 1)},
            ":ttl": {"N": str(int((self.clock.now() + _KEPT).timestamp()))},
        }
        self._update(
            situation.service,
            "SET situation = :situation, version = :next, expires = :ttl",
            "version = :before OR (attribute_not_exists(version) AND :before = :zero)",
            {**values, ":zero": {"N": "0"}},
        )

    def lease(self, service: str, owner: str) -> None:
        """Take the right to tell Slack of a service. Raises BusyError while another has it."""
        values: dict[str, AttributeValueTypeDef] = {
            ":owner": {"S": owner},
            ":until": _milliseconds(self.clock, self.lasts),
            ":now": _milliseconds(self.clock),
        }
        # The owner itself passes: botocore's own retry may meet what its lost first try has written.
        self._update(
            service,
            "SET lease_owner = :owner, lease_until = :until",
            "attribute_not_exists(lease_owner) OR lease_owner = :owner OR lease_until <= :now",
            values,
        )

    def keep(self, service: str, owner: str, slack: Mapping[str, Any], told: int | None = None) -> None:
        """Keep what is known of Slack's messages, and the version that they show. Raises BusyError when the
        lease was taken over."""
        values: dict[str, AttributeValueTypeDef] = {
            ":owner": {"S": owner},
            ":slack": {"S": canonical_json(slack)},
        }
        expression = "SET slack = :slack"
        if told is not None:
            values[":told"] = {"N": str(told)}
            expression += ", told = :told"
        self._update(service, expression, "lease_owner = :owner", values)

    def release(self, service: str, owner: str) -> None:
        """Give the lease back. Raises BusyError when it was taken over."""
        self._update(
            service, "REMOVE lease_owner, lease_until", "lease_owner = :owner", {":owner": {"S": owner}}
        )

    def _update(
        self,
        service: str,
        expression: str,
        condition: str,
        values: "dict[str, AttributeValueTypeDef]",
    ) -> None:
        try:
            self.client.update_item(
                TableName=self.table,
                Key=_key(service),
                UpdateExpression=expression,
                ConditionExpression=condition,
                ExpressionAttributeValues=values,
            )
        except ClientError as error:
            if error_code(error) != "ConditionalCheckFailedException":
                raise
            raise BusyError("another delivery is at the same incident") from error


def _key(service: str) -> "dict[str, AttributeValueTypeDef]":
    return {"pk": {"S": f"service#{service}"}, "sk": {"S": "situation"}}


def _packed(situation: Situation) -> bytes:
    """Compressed: a hundred alarms with all that is told of them would pass an item's 400 KB."""
    return gzip.compress(canonical_json(situation.document()).encode(), mtime=0)


def _unpacked(packed: bytes) -> Situation:
    return Situation.of(json.loads(gzip.decompress(packed)))


def _number(value: "Mapping[str, Any] | None") -> int:
    return int(value["N"]) if value else 0


def _milliseconds(clock: Clock, later: timedelta = timedelta()) -> "AttributeValueTypeDef":
    return {"N": str(int((clock.now() + later).timestamp() * 1000))}
