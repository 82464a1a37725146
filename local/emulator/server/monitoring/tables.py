"""AWS/DynamoDB: what tables report.

Source: Amazon DynamoDB Developer Guide, "DynamoDB metrics and dimensions". Faults made here count like
AWS's own; MiniStack serves requests one at a time and has no conflicts of its own.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from functools import wraps
from typing import Any

from ministack import app

from local.emulator.server.monitoring.state import count

Handler = Callable[..., Awaitable[tuple[int, dict[str, str], bytes]]]
_THROTTLING = ("ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded")
_CONDITION = "ConditionalCheckFailed"
_CONFLICT = "TransactionConflict"


def _table(name: str) -> str:
    return name.rsplit("/", 1)[-1]


def _tables(request: dict[str, Any]) -> Iterator[str]:
    """The tables that a request names, once for each item of a transaction."""
    if "TableName" in request:
        yield _table(request["TableName"])
    for action in request.get("TransactItems") or []:
        for details in action.values():
            yield _table(details["TableName"])
    for name in request.get("RequestItems") or {}:
        yield _table(name)


def _failed(operation: str, request: dict[str, Any], status: int, answer: dict[str, Any]) -> None:
    code = str(answer.get("__type", "")).rsplit("#", 1)[-1]
    tables = list(_tables(request))
    if status >= 500 or code in _THROTTLING:
        name = "SystemErrors" if status >= 500 else "ThrottledRequests"
        for table in sorted(set(tables)):
            count("AWS/DynamoDB", name, {"TableName": table, "Operation": operation})
        return
    reasons = [reason.get("Code") for reason in answer.get("CancellationReasons") or []]
    if code == f"{_CONFLICT}Exception":
        reasons = [_CONFLICT]
    if code == f"{_CONDITION}Exception":
        reasons = [_CONDITION]
    for table, reason in zip(tables, reasons, strict=False):
        if reason == _CONFLICT:
            count("AWS/DynamoDB", _CONFLICT, {"TableName": table})
        elif reason == _CONDITION:
            count("AWS/DynamoDB", "ConditionalCheckFailedRequests", {"TableName": table})
    if not reasons:
        count("AWS/DynamoDB", "UserErrors", {})


def _counting(handler: Handler) -> Handler:
    @wraps(handler)
    async def handle(method: str, path: str, headers: dict[str, str], body: bytes, query: Any) -> Any:
        answer = await handler(method, path, headers, body, query)
        status = answer[0]
        if status >= 400:
            operation = headers.get("x-amz-target", "").rsplit(".", 1)[-1]
            _failed(operation, json.loads(body or b"{}"), status, json.loads(answer[2] or b"{}"))
        return answer

    return handle


def install() -> None:
    """Count what the table service refuses, faults included."""
    app.SERVICE_HANDLERS["dynamodb"] = _counting(app.SERVICE_HANDLERS["dynamodb"])
