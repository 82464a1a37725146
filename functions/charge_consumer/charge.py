"""What a charge is: its permanent row, and the balance it changes."""

from typing import TYPE_CHECKING, Any

from job_runtime.clock import Clock, timestamp
from job_runtime.effects import Effect
from job_runtime.effects.transaction import apply_once
from job_runtime.envelope import Message
from job_runtime.records import Record
from job_runtime.retry import Retry
from job_runtime.tenants import Tenants

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class Charges:
    """The ledger of charges in the job table."""

    def __init__(self, client: "DynamoDBClient", table: str, tenants: Tenants, clock: Clock) -> None:
        """`table`: the job table."""
        self._client = client
        self._table = table
        self._tenants = tenants
        self._clock = clock
        self._retry = Retry(clock)

    def apply(self, message: Message, record: Record) -> Effect:
        """Enter the charge and add it to the balance, once.

        Raises RejectedError for an unknown tenant or a balance in another currency, PayloadMismatchError
        for a charge that was entered with another amount.
        """
        self._tenants.require(message.tenant_id)
        now = timestamp(self._clock.now())
        amount, currency = message.content["amount"], message.content["currency"]
        proof: dict[str, Any] = {
            "pk": {"S": message.tenant_id},
            "sk": {"S": f"charge#{message.period}#{message.employee_id}"},
            "idempotency_key": {"S": message.idempotency_key},
            "payload_hash": {"S": message.payload_hash},
            "amount": {"N": str(amount)},
            "currency": {"S": currency},
            "run_id": {"S": message.run_id},
            "message_id": {"S": record.message_id},
            "charged_at": {"S": now},
        }
        if record.sequence_number is not None:
            proof["sequence_number"] = {"S": record.sequence_number}
        return apply_once(
            self._client,
            table=self._table,
            proof=proof,
            actions=[
                {
                    "Update": {
                        "TableName": self._table,
                        "Key": {
                            "pk": {"S": message.tenant_id},
                            "sk": {"S": f"balance#{message.employee_id}"},
                        },
                        "UpdateExpression": "ADD balance :amount, charges :one "
                        "SET currency = :currency, updated_at = :now",
                        "ConditionExpression": "attribute_not_exists(pk) OR currency = :currency",
                        "ExpressionAttributeValues": {
                            ":amount": {"N": str(amount)},
                            ":one": {"N": "1"},
                            ":currency": {"S": currency},
                            ":now": {"S": now},
                        },
                    }
                }
            ],
            retry=self._retry,
        )
