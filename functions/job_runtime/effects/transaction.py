"""The effect is in DynamoDB: one TransactWriteItems puts the permanent proof and changes what it proves.

Use it whenever the effect can be written as DynamoDB actions (up to 99 beside the proof). There is no claim
that a crash could leave behind: either both are there or neither.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from job_runtime.effects import Effect
from job_runtime.failures import (
    PASSING_REASONS,
    PayloadMismatchError,
    RejectedError,
    TransientError,
    cancellation_codes,
)
from job_runtime.retry import Retry, is_worth_retrying_here

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

_REFUSED = "ConditionalCheckFailed"


def apply_once(
    client: "DynamoDBClient",
    *,
    table: str,
    proof: Mapping[str, Any],
    actions: Sequence["TransactWriteItemTypeDef"],
    retry: Retry,
) -> Effect:
    """Write `proof` and run `actions` in one transaction, unless the proof is there already.

    `proof`: an item in DynamoDB's attribute format with `pk`, `sk` and `payload_hash`; it must never expire.
    Returns DUPLICATE when a proof with the same payload hash exists (be it from another delivery or from a
    first attempt whose answer was lost), APPLIED otherwise.

    Raises PayloadMismatchError when the proof holds another payload hash; RejectedError when a condition of
    an action says no; TransientError when one says no while the proof's own row is contended, since the
    transaction that holds it may be the twin whose effect made the condition fail; botocore's ClientError
    otherwise (AWS: TransactWriteItems, CancellationReasons).
    """
    put: TransactWriteItemTypeDef = {
        "Put": {
            "TableName": table,
            "Item": proof,
            "ConditionExpression": "attribute_not_exists(pk)",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
    }
    try:
        retry(lambda: client.transact_write_items(TransactItems=[put, *actions]), when=_passes)
    except ClientError as error:
        codes = cancellation_codes(error)
        if codes and codes[0] == _REFUSED:
            return compare(
                error.response["CancellationReasons"][0].get("Item", {}), proof["payload_hash"]["S"]
            )
        if _REFUSED in codes and codes[0] in PASSING_REASONS:
            raise TransientError("another transaction holds the row of the proof") from error
        if _REFUSED in codes:
            raise RejectedError(
                f"action {codes.index(_REFUSED)} of the effect: its condition says no"
            ) from error
        raise
    return Effect.APPLIED


def _passes(error: Exception) -> bool:
    """Whether another attempt can end otherwise: nothing is final while the proof's own reason passes."""
    if is_worth_retrying_here(error):
        return True
    return isinstance(error, ClientError) and not PASSING_REASONS.isdisjoint(cancellation_codes(error)[:1])


def compare(stored: Mapping[str, Any], payload_hash: str) -> Effect:
    """What a stored proof, in DynamoDB's attribute format, says of a message with this payload hash.

    Returns DUPLICATE; raises PayloadMismatchError when the proof is of another payload.
    """
    if stored.get("payload_hash") != {"S": payload_hash}:
        raise PayloadMismatchError("this key has taken effect with another payload")
    return Effect.DUPLICATE
