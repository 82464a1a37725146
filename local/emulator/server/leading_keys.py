"""DynamoDB: the condition key `dynamodb:LeadingKeys`, which MiniStack leaves out.

It holds the partition keys that a request names, as text; without it a policy that admits some rows of a
table only would admit all or none.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

from ministack.core import iam_actions
from ministack.services import dynamodb

from local.emulator.server.replacing import replace


def _leading_keys(body: bytes) -> list[str]:
    """Return the partition key of a request for one item; none for other requests."""
    request = json.loads(body or b"{}")
    table = dynamodb._tables.get(str(request.get("TableName", "")).rsplit("/", 1)[-1])
    item = request.get("Key") or request.get("Item")
    if not table or not isinstance(item, dict):
        return []
    value = item.get(table["pk_name"])
    return [str(text) for text in value.values()] if isinstance(value, dict) else []


def _with_leading_keys(context_of: Callable[[bytes], dict[str, Any]]) -> Callable[[bytes], dict[str, Any]]:
    @wraps(context_of)
    def context(body: bytes) -> dict[str, Any]:
        keys = _leading_keys(body)
        return {**context_of(body), **({"dynamodb:LeadingKeys": keys} if keys else {})}

    return context


def install() -> None:
    """Patch the conditions of DynamoDB requests in this process."""
    replace(iam_actions, "dynamodb_service_context", _with_leading_keys)
