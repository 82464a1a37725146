"""DynamoDB: the condition key `dynamodb:LeadingKeys`, which MiniStack leaves out.

It holds the partition keys that a request names, as text: of one item, of every item of a batch or
transaction, of a query. A transaction is judged item by item, each with the keys of all: a ForAllValues that
holds for all holds for each, and a Deny of any is one of each. A scan names none, and lacks the key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any

from ministack.core import iam_actions
from ministack.services import dynamodb

from local.emulator.server.replacing import replace

_TRANSACTED = ("Put", "Update", "Delete", "ConditionCheck", "Get")
_WRITTEN = ("PutRequest", "DeleteRequest")
# `pk = :value`, with names that may be placeholders; a partition key is compared for equality alone.
_EQUALS = re.compile(r"([#\w.-]+)\s*=\s*(:\w+)")


def _leading_keys(body: bytes) -> list[str]:
    """The partition keys of a request, in its order and each once."""
    request = json.loads(body or b"{}")
    keys = [str(text) for value in _values(request) for text in value.values()]
    return list(dict.fromkeys(keys))


def _values(request: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The partition keys as DynamoDB writes them, `{"S": ...}`."""
    yield from _of_item(request.get("TableName"), request)
    yield from _of_query(request)
    for member in request.get("TransactItems") or []:
        for name in _TRANSACTED:
            action = member.get(name) or {}
            yield from _of_item(action.get("TableName"), action)
    for table, asked in (request.get("RequestItems") or {}).items():
        if isinstance(asked, dict):  # BatchGetItem
            for key in asked.get("Keys") or []:
                yield from _of_item(table, {"Key": key})
        else:  # BatchWriteItem
            for member in asked:
                for name in _WRITTEN:
                    yield from _of_item(table, member.get(name) or {})


def _partition_key(table: Any) -> str | None:
    found = dynamodb._tables.get(str(table or "").rsplit("/", 1)[-1])
    return str(found["pk_name"]) if found else None


def _of_item(table: Any, request: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    item = request.get("Key") or request.get("Item")
    value = item.get(_partition_key(table)) if isinstance(item, dict) else None
    if isinstance(value, dict):
        yield value


def _of_query(request: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    names, values = (
        request.get("ExpressionAttributeNames") or {},
        request.get("ExpressionAttributeValues") or {},
    )
    key = _partition_key(request.get("TableName"))
    for name, placeholder in _EQUALS.findall(str(request.get("KeyConditionExpression") or "")):
        if names.get(name, name) == key and isinstance(values.get(placeholder), dict):
            yield values[placeholder]


def _with_leading_keys(context_of: Callable[[bytes], dict[str, Any]]) -> Callable[[bytes], dict[str, Any]]:
    @wraps(context_of)
    def context(body: bytes) -> dict[str, Any]:
        keys = _leading_keys(body)
        return {**context_of(body), **({"dynamodb:LeadingKeys": keys} if keys else {})}

    return context


def install() -> None:
    """Patch the conditions of DynamoDB requests in this process."""
    replace(iam_actions, "dynamodb_service_context", _with_leading_keys)
