"""The effect is at an outside API: a lease says who may ask for it, until when, and what came of it.

Use it when the effect cannot be part of a DynamoDB transaction and the API takes an idempotency key. The
lease does not make the effect happen once by itself: the same key, handed to the API on every try, does.
The lease keeps two deliveries from asking at once, remembers the result, and turns "did it happen?" into a
question to the API.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol, cast

from botocore.exceptions import ClientError

from job_runtime.clock import Clock, timestamp
from job_runtime.envelope import Message
from job_runtime.failures import (
    PayloadMismatchError,
    RejectedError,
    TransientError,
    UnknownOutcomeError,
    WaitingError,
    error_code,
)

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef


class OutsideEffect(Protocol):
    """An effect at an outside API, known there by the message's idempotency key."""

    def find(self, message: Message) -> str | None:
        """The result if the effect has happened, None if the API says that it has not.

        Raises UnknownOutcomeError when the API does not say.
        """
        ...

    def perform(self, message: Message) -> str:
        """Make it happen, handing the message's key to the API; the result's id.

        Raises RejectedError or TransientError when it certainly did not happen, UnknownOutcomeError when
        it may have.
        """
        ...


@dataclass(frozen=True)
class _Held:
    """A lease of ours. `taken_over`: somebody held it before and did not finish."""

    owner: str
    taken_over: bool


@dataclass(frozen=True)
class Leases:
    """The leases of outside effects, in the job table.

    `lasts`: longer than its holder can live, so usually a little more than the function's timeout. `kept`:
    how long a lease's row counts; the expiry is compared in the condition, since DynamoDB's sweep comes days
    later.
    """

    client: "DynamoDBClient"
    table: str
    clock: Clock
    lasts: timedelta = timedelta(seconds=60)
    kept: timedelta = timedelta(days=90)
    new_owner: Callable[[], str] = field(default=lambda: uuid.uuid4().hex)

    def once(self, message: Message, effect: OutsideEffect) -> str:
        """The result of the effect, which happens at most once for the message's key.

        Raises WaitingError while another delivery holds the lease, TransientError when the effect certainly
        did not happen, UnknownOutcomeError when nobody knows (the lease then stays until it runs out),
        PayloadMismatchError when the key stands for another payload, and what `effect` raises when it is
        refused.
        """
        lease = self._acquire(message)
        if isinstance(lease, str):
            return lease
        try:
            result = self._perform_or_find(message, effect, lease)
        except (RejectedError, TransientError):
            self._release(message, lease.owner)
            raise
        self._complete(message, lease.owner, result)
        return result

    @staticmethod
    def _perform_or_find(message: Message, effect: OutsideEffect, lease: _Held) -> str:
        if lease.taken_over and (found := effect.find(message)) is not None:
            return found
        try:
            return effect.perform(message)
        except UnknownOutcomeError:
            found = effect.find(message)
        if found is None:
            raise TransientError("the outside effect did not happen; it is tried again")
        return found

    def _acquire(self, message: Message) -> _Held | str:
        now = self.clock.now()
        owner = self.new_owner()
        values: dict[str, AttributeValueTypeDef] = {
            ":busy": {"S": "INPROGRESS"},
            ":owner": {"S": owner},
            ":hash": {"S": message.payload_hash},
            ":until": _milliseconds(now + self.lasts),
            ":ttl": _seconds(now + self.kept),
            ":now": {"S": timestamp(now)},
            ":now_ms": _milliseconds(now),
            ":now_s": _seconds(now),
        }
        try:
            answer = self.client.update_item(
                TableName=self.table,
                Key=_key(message),
                UpdateExpression="SET #state = :busy, #owner = :owner, payload_hash = :hash, "
                "lease_until = :until, #ttl = :ttl, updated_at = :now REMOVE outcome",
                ConditionExpression="attribute_not_exists(pk) OR #ttl <= :now_s "
                "OR (#state = :busy AND payload_hash = :hash AND lease_until <= :now_ms)",
                ExpressionAttributeNames={"#state": "state", "#owner": "owner", "#ttl": "ttl"},
                ExpressionAttributeValues=values,
                ReturnValues="ALL_OLD",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except ClientError as error:
            if error_code(error) != "ConditionalCheckFailedException":
                raise
            return self._result_of_other(message, owner, error, now)
        return _Held(owner, taken_over=bool(answer.get("Attributes")))

    @staticmethod
    def _result_of_other(message: Message, owner: str, error: ClientError, now: datetime) -> _Held | str:
        stored = cast("dict[str, Any]", error.response.get("Item", {}))
        if stored.get("owner") == {"S": owner}:
            # The first answer was lost and botocore's own retry met the row that it had written.
            return _Held(owner, taken_over=True)
        if stored.get("payload_hash") != {"S": message.payload_hash}:
            raise PayloadMismatchError("this key stands for another payload at the outside API") from error
        if stored.get("state") == {"S": "COMPLETE"}:
            return str(stored["outcome"]["S"])
        left = int(stored["lease_until"]["N"]) / 1000 - now.timestamp()
        raise WaitingError("another delivery holds the lease of this key", left) from error

    def _complete(self, message: Message, owner: str, result: str) -> None:
        values: dict[str, AttributeValueTypeDef] = {":done": {"S": "COMPLETE"}, ":result": {"S": result}}
        self._update_own(message, owner, "SET #state = :done, outcome = :result", values)

    def _release(self, message: Message, owner: str) -> None:
        self._update_own(message, owner, "SET lease_until = :over", {":over": {"N": "0"}})

    def _update_own(
        self, message: Message, owner: str, expression: str, values: "dict[str, AttributeValueTypeDef]"
    ) -> None:
        names = {"#owner": "owner"} | ({"#state": "state"} if "#state" in expression else {})
        try:
            self.client.update_item(
                TableName=self.table,
                Key=_key(message),
                UpdateExpression=expression,
                ConditionExpression="#owner = :me",
                ExpressionAttributeNames=names,
                ExpressionAttributeValues={**values, ":me": {"S": owner}},
            )
        except ClientError as error:
            if error_code(error) != "ConditionalCheckFailedException":
                raise
            raise TransientError("the lease ran out and another delivery has taken it over") from error


def _key(message: Message) -> "dict[str, AttributeValueTypeDef]":
    return {"pk": {"S": message.tenant_id}, "sk": {"S": f"effect#{message.idempotency_key}"}}


def _milliseconds(instant: datetime) -> "AttributeValueTypeDef":
    return {"N": str(int(instant.timestamp() * 1000))}


def _seconds(instant: datetime) -> "AttributeValueTypeDef":
    return {"N": str(int(instant.timestamp()))}
