"""Faults on demand: what AWS may do to a job at any time, done often and counted.

Every fault strikes only requests that functions make, never those of Terraform or of an operator.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, fields
from functools import wraps
from typing import Any

from ministack import app
from ministack.core import lambda_runtime
from ministack.core.iam_evaluator import caller_arn
from ministack.services import sqs

from local.emulator.server.replacing import replace

Handler = Callable[..., Awaitable[tuple[int, dict[str, str], bytes]]]

_DYNAMODB_ERROR = "com.amazonaws.dynamodb.v20120810#"


@dataclass(frozen=True)
class Plan:
    """How often each fault strikes: every N-th occasion, 0 for never."""

    redeliver_every: int = 0
    """A message that was processed is delivered again instead of deleted."""
    kill_every: int = 0
    """The function's process is killed right after one of its transactions has been committed."""
    kill_at_most: int = 0
    """How many times a process is killed in all."""
    kill_function: str = ""
    """Only processes of functions whose name contains this are killed."""
    throttle_every: int = 0
    """A DynamoDB or SQS call is answered with throttling."""
    conflict_every: int = 0
    """A transaction is cancelled because of a conflict."""
    fail_entry_every: int = 0
    """An entry of SendMessageBatch fails inside a successful answer."""

    @classmethod
    def of(cls, values: dict[str, Any]) -> Plan:
        """Build a plan from JSON; an unknown name raises ValueError."""
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(values) - known):
            raise ValueError(
                f"faults {', '.join(unknown)} are not known; write some of {', '.join(sorted(known))}"
            )
        return cls(**values)


class Faults:
    """The plan in force and what it has done so far."""

    def __init__(self) -> None:
        self.plan = Plan()
        self.done: Counter[str] = Counter()
        self._seen: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._redelivered: set[str] = set()

    def set(self, plan: Plan) -> None:
        """Put another plan in force; the counts go on."""
        with self._lock:
            self.plan = plan

    def strikes(self, kind: str, every: int) -> bool:
        """Whether this occasion of KIND is one of every N; counts it if so."""
        if not every:
            return False
        with self._lock:
            self._seen[kind] += 1
            due = self._seen[kind] % every == 0
            if due:
                self.done[kind] += 1
            return due

    def redelivers(self, message_id: str) -> bool:
        """Whether a processed message comes once more; never the same one twice."""
        if message_id in self._redelivered or not self.strikes("redelivered", self.plan.redeliver_every):
            return False
        self._redelivered.add(message_id)
        return True

    def kills(self, function: str) -> bool:
        """Whether the process of FUNCTION dies now."""
        plan = self.plan
        if plan.kill_function not in function or self.done["consumer_killed"] >= plan.kill_at_most:
            return False
        return self.strikes("consumer_killed", plan.kill_every)

    def report(self) -> dict[str, Any]:
        """Return the plan and the counts by kind."""
        with self._lock:
            return {"plan": asdict(self.plan), "done": dict(self.done)}


FAULTS = Faults()


def _calling_function() -> str:
    """Return the name of the function whose role signs this request, or an empty string."""
    principal = caller_arn()
    return principal.rsplit("/", 1)[-1] if ":assumed-role/" in principal else ""


def _kill(function: str) -> None:
    """Kill one busy process of FUNCTION as a crash would: no answer, no clean-up."""
    with lambda_runtime._lock:
        busy = [w for workers in lambda_runtime._workers.values() for w in workers if w.in_use and w._proc]
        victims = [w._proc.pid for w in busy if w.func_name == function]
    if victims:
        os.kill(victims[0], signal.SIGKILL)


def _json_error(code: str, message: str, **more: Any) -> tuple[int, dict[str, str], bytes]:
    body = json.dumps({"__type": code, "message": message, **more}).encode()
    return 400, {"Content-Type": "application/x-amz-json-1.0"}, body


def _conflict(body: bytes) -> tuple[int, dict[str, str], bytes]:
    actions = json.loads(body)["TransactItems"]
    reasons = [{"Code": "None"} for _ in actions]
    reasons[-1] = {"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}
    listed = ", ".join(reason["Code"] for reason in reasons)
    return _json_error(
        f"{_DYNAMODB_ERROR}TransactionCanceledException",
        f"Transaction cancelled, please refer cancellation reasons for specific reasons [{listed}]",
        CancellationReasons=reasons,
    )


def _faulty_dynamodb(handler: Handler) -> Handler:
    @wraps(handler)
    async def handle(method: str, path: str, headers: dict[str, str], body: bytes, query: Any) -> Any:
        function = _calling_function()
        if not function:
            return await handler(method, path, headers, body, query)
        if FAULTS.strikes("throttled", FAULTS.plan.throttle_every):
            return _json_error(
                f"{_DYNAMODB_ERROR}ThrottlingException", "Rate of requests exceeds the allowed throughput."
            )
        transaction = headers.get("x-amz-target", "").endswith(".TransactWriteItems")
        if transaction and FAULTS.strikes("transaction_conflict", FAULTS.plan.conflict_every):
            return _conflict(body)
        answer = await handler(method, path, headers, body, query)
        if transaction and answer[0] == 200 and FAULTS.kills(function):
            _kill(function)
        return answer

    return handle


def _faulty_sqs(handler: Handler) -> Handler:
    @wraps(handler)
    async def handle(method: str, path: str, headers: dict[str, str], body: bytes, query: Any) -> Any:
        if _calling_function() and FAULTS.strikes("throttled", FAULTS.plan.throttle_every):
            return _json_error(
                "com.amazonaws.sqs#RequestThrottled", "The request was denied due to request throttling."
            )
        return await handler(method, path, headers, body, query)

    return handle


def _failing_entries(send_batch: Any) -> Any:
    @wraps(send_batch)
    def send(data: dict[str, Any], url: str) -> Any:
        entries = data.get("Entries") or []
        if (
            not entries
            or not _calling_function()
            or not FAULTS.strikes("failed_entry", FAULTS.plan.fail_entry_every)
        ):
            return send_batch(data, url)
        *rest, last = entries
        answer = send_batch({**data, "Entries": rest}, url) if rest else {"Successful": [], "Failed": []}
        failed = {"Id": last["Id"], "Code": "InternalError", "Message": "try again", "SenderFault": False}
        return {**answer, "Failed": [*answer.get("Failed", []), failed]}

    return send


def _redelivering(delete: Any) -> Any:
    @wraps(delete)
    def delete_messages(url: str, handles: set[str]) -> None:
        with sqs._queues_lock:
            for message in sqs._get_q(url)["messages"]:
                if message.get("receipt_handle") in handles and FAULTS.redelivers(message["id"]):
                    handles = handles - {message["receipt_handle"]}
                    message["visible_at"] = time.time()
            delete(url, handles)

    return delete_messages


def install() -> None:
    """Put the faults in the way of requests and of the mapping's deletions."""
    app.SERVICE_HANDLERS["dynamodb"] = _faulty_dynamodb(app.SERVICE_HANDLERS["dynamodb"])
    app.SERVICE_HANDLERS["sqs"] = _faulty_sqs(app.SERVICE_HANDLERS["sqs"])
    sqs._HANDLERS["SendMessageBatch"] = _failing_entries(sqs._HANDLERS["SendMessageBatch"])
    replace(sqs, "_delete_messages_for_esm", _redelivering)
