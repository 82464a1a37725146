"""What a charge is: its permanent row, and the balance it changes."""

from typing import TYPE_CHECKING, Any

from job_runtime.clock import Clock, timestamp
from job_runtime.effects import Effect
from job_runtime.effects.lease import Leases, OutsideEffect
from job_runtime.effects.transaction import apply_once, compare
from job_runtime.envelope import Message
from job_runtime.records import Record
from job_runtime.retry import Retry
from job_runtime.tenants import Tenants

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef


class Ledger:
    """The charges and balances in the job table."""

    def __init__(self, client: "DynamoDBClient", table: str, clock: Clock) -> None:
        """`table`: the job table."""
        self._client = client
        self._table = table
        self._clock = clock
        self._retry = Retry(clock)

    def find(self, message: Message) -> Effect | None:
        """DUPLICATE when the charge is entered, None when it is not; a consistent read.

        Raises PayloadMismatchError when it is entered with another amount.
        """
        answer = self._client.get_item(TableName=self._table, Key=_charge_key(message), ConsistentRead=True)
        return compare(answer["Item"], message.payload_hash) if "Item" in answer else None

    def enter(self, message: Message, record: Record, capture_id: str | None) -> Effect:
        """Enter the charge and add it to the balance, in one transaction, once.

        Raises RejectedError for a balance in another currency, PayloadMismatchError for a charge that was
        entered with another amount.
        """
        now = timestamp(self._clock.now())
        proof: dict[str, Any] = {
            **_charge_key(message),
            "idempotency_key": {"S": message.idempotency_key},
            "payload_hash": {"S": message.payload_hash},
            "amount": {"N": str(message.content["amount"])},
            "currency": {"S": message.content["currency"]},
            "run_id": {"S": message.run_id},
            "message_id": {"S": record.message_id},
            "charged_at": {"S": now},
        }
        if record.sequence_number is not None:
            proof["sequence_number"] = {"S": record.sequence_number}
        if capture_id is not None:
            proof["capture_id"] = {"S": capture_id}
        return apply_once(
            self._client,
            table=self._table,
            proof=proof,
            actions=[self._addition(message, now)],
            retry=self._retry,
        )

    def _addition(self, message: Message, now: str) -> "TransactWriteItemTypeDef":
        return {
            "Update": {
                "TableName": self._table,
                "Key": {"pk": {"S": message.tenant_id}, "sk": {"S": f"balance#{message.employee_id}"}},
                "UpdateExpression": "ADD balance :amount, charges :one "
                "SET currency = :currency, updated_at = :now",
                "ConditionExpression": "attribute_not_exists(pk) OR currency = :currency",
                "ExpressionAttributeValues": {
                    ":amount": {"N": str(message.content["amount"])},
                    ":one": {"N": "1"},
                    ":currency": {"S": message.content["currency"]},
                    ":now": {"S": now},
                },
            }
        }


def _charge_key(message: Message) -> dict[str, Any]:
    return {"pk": {"S": message.tenant_id}, "sk": {"S": f"charge#{message.period}#{message.employee_id}"}}


class Charges:
    """Charging in the ledger alone: one request a message once its tenant is known."""

    def __init__(self, tenants: Tenants, ledger: Ledger) -> None:
        self._tenants = tenants
        self._ledger = ledger

    def apply(self, message: Message, record: Record) -> Effect:
        """Charge once. Raises RejectedError for an unknown tenant, and what `Ledger.enter` raises."""
        self._tenants.require(message.tenant_id)
        return self._ledger.enter(message, record, capture_id=None)


class CapturedCharges:
    """Charging with a capture at an outside payment API before the entry in the ledger.

    The ledger is asked first: its row is for good, while a lease's is not, and a late re-run must not
    capture again.
    """

    def __init__(self, tenants: Tenants, ledger: Ledger, leases: Leases, payment: OutsideEffect) -> None:
        self._tenants = tenants
        self._ledger = ledger
        self._leases = leases
        self._payment = payment

    def apply(self, message: Message, record: Record) -> Effect:
        """Capture and charge once; an amount of 0 has nothing to capture.

        Raises what `Charges.apply` and `Leases.once` raise.
        """
        self._tenants.require(message.tenant_id)
        entered = self._ledger.find(message)
        if entered is not None:
            return entered
        capture_id = self._leases.once(message, self._payment) if message.content["amount"] else None
        return self._ledger.enter(message, record, capture_id)
