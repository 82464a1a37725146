"""Who a message is: canonical JSON, the idempotency key, the payload's hash, the message group."""

import hashlib
import json
from typing import Any, Literal

GroupScope = Literal["tenant-month", "wallet"]

SQS_ID_LIMIT = 128
"""Characters in a MessageGroupId or MessageDeduplicationId (SQS API reference, SendMessage)."""


def canonical_json(value: Any) -> str:
    """One text for one value: sorted members, no blanks, no escapes for non-ASCII.

    Raises ValueError for NaN and infinities, which JSON does not have.
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False)


def sha256(text: str) -> str:
    """SHA-256 of the UTF-8 bytes of `text`, 64 lower-case hex characters."""
    return hashlib.sha256(text.encode()).hexdigest()


def idempotency_key(job: str, tenant_id: str, employee_id: str, period: str) -> str:
    """The key of one effect: 64 hex characters, the same for every dispatch of the same business fact.

    An array in JSON has no separator that an id could contain, so no two facts share a key.
    """
    return sha256(canonical_json([job, tenant_id, employee_id, period]))


def payload_hash(payload: Any) -> str:
    """SHA-256 hex of the canonical JSON of a parsed payload: order of members and blanks do not count."""
    return sha256(canonical_json(payload))


def run_id(job: str, period: str) -> str:
    """The run of `job` for `period`; a second firing of the same slot is the same run."""
    return f"{job}-{period}"


def is_sqs_id(text: str) -> bool:
    """Whether SQS takes `text` as a group or deduplication id: 1 to 128 printable ASCII, no blank."""
    return 0 < len(text) <= SQS_ID_LIMIT and all("!" <= character <= "~" for character in text)


def group_id(scope: GroupScope, tenant_id: str, employee_id: str, period: str) -> str:
    """The MessageGroupId, which is the unit of order: a tenant's month, or one employee's wallet.

    Readable where SQS allows it; otherwise, or where an id holds the separator, a hash of the parts.
    """
    parts = (tenant_id, period) if scope == "tenant-month" else (tenant_id, employee_id)
    readable = "#".join(parts)
    if is_sqs_id(readable) and not any("#" in part for part in parts):
        return readable
    return sha256(canonical_json([scope, *parts]))


def entry_id(index: int) -> str:
    """The id of a batch entry: its place, which is legal whatever the message holds."""
    return str(index)
