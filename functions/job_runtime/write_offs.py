"""Effects that will not happen, written off by a person, with a reason: what an audit must not take for lost
in silence."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from job_runtime.clock import Clock, timestamp
from job_runtime.envelope import PERIOD_PATTERN, SHA256_PATTERN

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef

    from job_runtime.dead_letters import DeadLetter

_PERIOD: Final = re.compile(PERIOD_PATTERN)
_KEY: Final = re.compile(SHA256_PATTERN)


@dataclass(frozen=True, slots=True)
class WriteOff:
    """Why, and who says so (an ARN)."""

    reason: str
    by: str


class WriteOffs:
    """The rows of a job's write-offs in the job table: `pk` = `written-off#<job>`, `sk` = `<period>#<key>`.

    They are for good. A key that takes effect later, by a new dispatch, is proven by its own row.
    """

    def __init__(self, client: "DynamoDBClient", table: str, job: str, clock: Clock) -> None:
        """`table`: the job table."""
        self._client = client
        self._table = table
        self._pk = {"S": f"written-off#{job}"}
        self._clock = clock

    def enter(self, letter: "DeadLetter", write_off: WriteOff) -> None:
        """Enter a dead letter as written off; one that is no message of the job is under its message id.

        Raises botocore's errors.
        """
        # A malformed message may hold anything there, also what no key of a row can be.
        period = _fitting(_PERIOD, letter.field("period")) or "none"
        key = _fitting(_KEY, letter.key) or letter.message_id
        more: dict[str, AttributeValueTypeDef] = {
            "failure_class": {"S": letter.failure_class},
            "message_id": {"S": letter.source_message_id},
        }
        self._put(f"{period}#{key}", write_off, more)

    def enter_group(self, group: str, write_off: WriteOff) -> None:
        """Enter that something of a halted group is lost, nobody knows what. Raises botocore's errors."""
        self._put(f"none#{group}", write_off, {"group": {"S": group}})

    def _put(self, sk: str, write_off: WriteOff, more: "Mapping[str, AttributeValueTypeDef]") -> None:
        self._client.put_item(
            TableName=self._table,
            Item={
                "pk": self._pk,
                "sk": {"S": sk},
                "reason": {"S": write_off.reason},
                "written_off_by": {"S": write_off.by},
                "written_off_at": {"S": timestamp(self._clock.now())},
                **more,
            },
        )

    def of_period(self, period: str) -> Iterator[tuple[str, str]]:
        """The keys written off for a period, each with its reason. Raises botocore's errors."""
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            KeyConditionExpression="pk = :pk AND begins_with(sk, :period)",
            ExpressionAttributeValues={":pk": self._pk, ":period": {"S": f"{period}#"}},
            ConsistentRead=True,
        )
        for page in pages:
            for item in page["Items"]:
                yield item["sk"]["S"].removeprefix(f"{period}#"), item["reason"]["S"]


def _fitting(form: re.Pattern[str], text: str | None) -> str | None:
    return text if text is not None and form.fullmatch(text) else None
