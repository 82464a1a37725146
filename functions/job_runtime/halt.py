"""Halted groups: what follows a quarantined message goes after it, in order, until an operator releases
the group.

The row is keyed by job and group, not by the tenant as other rows are: the message that halts a group
may be too broken to say its tenant. One transaction changes the row and a list of the halted groups: a halt
that the list does not name would be found by nobody, once its dead letters are gone.

A release puts copies of the first parked messages into the queue, a window, under a token that the row
holds; nothing else of the group passes meanwhile. The parked messages stay where they are, which keeps their
order, until the row says that their copies have taken effect.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from job_runtime.clock import Clock, timestamp
from job_runtime.failures import cancellation_codes, error_code
from job_runtime.identity import canonical_json
from job_runtime.quarantine import Reason
from job_runtime.retry import Retry

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef, TransactWriteItemTypeDef

    from job_runtime.dead_letters import DeadLetter


@dataclass(frozen=True, slots=True)
class Halt:
    """A halted group. `head`: the id, in the queue, of the message that was parked first. `last` and
    `settled`: the sequence numbers, in the queue, of the latest message that was parked, and of the latest
    that was put back or written off; `last_id`: the id of the latest that was parked.

    `reason`: why the first one was parked, when this was written with the halt.

    `release`: the token of the window on its way; `effective`: the dead-letter messages whose copies have
    taken effect; `refused`: why the consumer ended the last window, when it did.
    """

    head: str | None
    halted_at: str = ""
    last: str | None = None
    settled: str | None = None
    release: str | None = None
    effective: frozenset[str] = frozenset()
    refused: str | None = None
    reason: Reason | None = None
    last_id: str | None = None

    @property
    def is_settled(self) -> bool:
        """Whether the latest of the parked messages, and so each of them, was put back or written off."""
        return self.last is None or (self.settled is not None and self.last <= self.settled)

    def sequence_of(self, letter: "DeadLetter") -> str | None:
        """The number, in the queue, of a parked message; None for one that SQS moved before it was parked."""
        return letter.source_sequence or (self.last if self.last_id == letter.source_message_id else None)


class Halts:
    """The halted groups of a job, in the job table."""

    def __init__(self, client: "DynamoDBClient", table: str, job: str, clock: Clock) -> None:
        """`table`: the job table; `job`: whose groups, since two jobs may have groups of one name."""
        self._client = client
        self._job = job
        self._table = table
        self._clock = clock
        self._retry = Retry(clock)

    def read(self, group: str) -> Halt | None:
        """The halt of `group`, None when it goes on; a consistent read."""
        answer = self._client.get_item(TableName=self._table, Key=self._key(group), ConsistentRead=True)
        return _halt(answer["Item"]) if "Item" in answer else None

    def listed(self) -> frozenset[str]:
        """The halted groups, with and without a dead letter."""
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            KeyConditionExpression="pk = :list",
            ExpressionAttributeValues={":list": {"S": self._partition("")}},
            ConsistentRead=True,
        )
        return frozenset(item["sk"]["S"] for page in pages for item in page["Items"])

    def halt(self, group: str, message_id: str, sequence: str, reason: Reason) -> None:
        """Halt `group` behind the message `message_id`, which is about to be parked for `reason`; `sequence`:
        its number in the queue, 20 digits.

        A group that is halted stays so behind its first message. To be called before the message goes to the
        dead-letter queue: whatever dies in between, nothing later of the group takes effect, a release does
        not end before the message is settled, and the next delivery parks it for the reason kept here.
        """
        self._enlisted(
            group,
            "SET message_id = if_not_exists(message_id, :message), reason = if_not_exists(reason, :reason), "
            "halted_at = if_not_exists(halted_at, :now), last_sequence = :sequence, "
            "last_message_id = :message",
            {
                ":message": {"S": message_id},
                ":reason": {"S": canonical_json(asdict(reason))},
                ":sequence": {"S": sequence},
                ":now": {"S": timestamp(self._clock.now())},
            },
            # A message that SQS delivers again is no later one; its group is halted, or this would hold.
            "attribute_not_exists(last_sequence) OR last_sequence < :sequence",
        )

    def open_window(self, group: str, token: str) -> None:
        """Let copies under `token` pass, and no others; a group that was not halted is from now on."""
        self._enlisted(
            group,
            "SET halted_at = if_not_exists(halted_at, :now), release_token = :token "
            "REMOVE effective, refused",
            {":token": {"S": token}, ":now": {"S": timestamp(self._clock.now())}},
        )

    def took_effect(self, group: str, token: str, dead_letter_id: str) -> bool:
        """Note that the copy of a dead-letter message has taken effect; False when its window is over."""
        return self._update(
            group,
            "ADD effective :ids",
            "release_token = :token",
            {":ids": {"SS": [dead_letter_id]}, ":token": {"S": token}},
        )

    def refuse(self, group: str, token: str, summary: str) -> bool:
        """End the window because a copy of it failed for good; False when it is over already."""
        return self._update(
            group,
            "SET refused = :summary REMOVE release_token",
            "release_token = :token",
            {":summary": {"S": summary}, ":token": {"S": token}},
        )

    def settle(self, group: str, sequence: str) -> None:
        """Note that the parked message of this number was put back or written off, as all before it were."""
        self._update(
            group,
            "SET settled_sequence = :sequence",
            "attribute_exists(pk) AND (attribute_not_exists(settled_sequence) "
            "OR settled_sequence < :sequence)",
            {":sequence": {"S": sequence}},
        )

    def release(self, group: str) -> bool:
        """Let `group` go on when all that was parked is settled; False when something is not.

        Nothing happens to a group that is not halted.
        """
        row: TransactWriteItemTypeDef = {
            "Delete": {
                "TableName": self._table,
                "Key": self._key(group),
                "ConditionExpression": "attribute_not_exists(last_sequence) "
                "OR settled_sequence >= last_sequence",
            }
        }
        entry: TransactWriteItemTypeDef = {"Delete": {"TableName": self._table, "Key": self._entry(group)}}
        return self._holds(lambda: self._client.transact_write_items(TransactItems=[row, entry]))

    def _partition(self, group: str) -> str:
        return f"halt#{self._job}#{group}"

    def _key(self, group: str) -> dict[str, "AttributeValueTypeDef"]:
        return {"pk": {"S": self._partition(group)}, "sk": {"S": "halt"}}

    def _entry(self, group: str) -> dict[str, "AttributeValueTypeDef"]:
        # No group has an empty name, so the partition of that name is the list.
        return {"pk": {"S": self._partition("")}, "sk": {"S": group}}

    def _enlisted(
        self,
        group: str,
        update: str,
        values: "dict[str, AttributeValueTypeDef]",
        condition: str | None = None,
    ) -> None:
        """Update the row and put its group on the list; neither when the condition does not hold."""
        row: TransactWriteItemTypeDef = {
            "Update": {
                "TableName": self._table,
                "Key": self._key(group),
                "UpdateExpression": update,
                "ExpressionAttributeValues": values,
            }
        }
        if condition:
            row["Update"]["ConditionExpression"] = condition
        entry: TransactWriteItemTypeDef = {"Put": {"TableName": self._table, "Item": self._entry(group)}}
        self._holds(lambda: self._client.transact_write_items(TransactItems=[row, entry]))

    def _update(
        self, group: str, update: str, condition: str, values: "dict[str, AttributeValueTypeDef]"
    ) -> bool:
        """Update the row when the condition holds; whether it did."""
        return self._holds(
            lambda: self._client.update_item(
                TableName=self._table,
                Key=self._key(group),
                UpdateExpression=update,
                ConditionExpression=condition,
                ExpressionAttributeValues=values,
            )
        )

    def _holds(self, write: Callable[[], object]) -> bool:
        """Make a conditional write, again where another one of the row is in its way; whether it was made."""
        try:
            self._retry(write)
        except ClientError as error:
            codes = cancellation_codes(error) or [error_code(error)]
            if not codes[0].startswith("ConditionalCheckFailed"):
                raise
            return False
        return True


def _halt(item: Mapping[str, Any]) -> Halt:
    text = {name: value["S"] for name, value in item.items() if "S" in value}
    return Halt(
        head=text.get("message_id"),
        halted_at=text["halted_at"],
        last=text.get("last_sequence"),
        settled=text.get("settled_sequence"),
        release=text.get("release_token"),
        effective=frozenset(item.get("effective", {}).get("SS", ())),
        refused=text.get("refused"),
        reason=Reason(**json.loads(text["reason"])) if "reason" in text else None,
        last_id=text.get("last_message_id"),
    )
