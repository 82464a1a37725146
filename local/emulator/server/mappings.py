"""Event source mappings of SQS: AWS's rules that MiniStack leaves out.

- An answer that is no valid `batchItemFailures` document fails the whole batch; for MiniStack it is success.
- A FIFO mapping runs several batches at a time as long as their groups differ; MiniStack runs one per queue.
- A mapping is refused when the queue hides messages for less than the function's timeout, and when a FIFO
  batch is larger than 10 or has a window.
"""

from __future__ import annotations

import json
from functools import wraps
from typing import Any

from ministack.core.responses import error_response_json
from ministack.services import lambda_svc, sqs

from local.emulator.server.lambda_roles import may_poll
from local.emulator.server.replacing import replace

_FIFO_BATCH = 10


def valid_failures(answer: Any, message_ids: set[str]) -> bool:
    """Whether Lambda would read ANSWER (parsed or JSON text) as a list of failed messages of this batch.

    Null, an empty object and an empty list mean success; an unknown, empty or null id spoils it all.
    """
    if isinstance(answer, str):
        try:
            answer = json.loads(answer)
        except json.JSONDecodeError:
            return False
    if answer is None or answer == {}:
        return True
    if not isinstance(answer, dict) or "batchItemFailures" not in answer:
        return False
    failures = answer["batchItemFailures"]
    if failures is None:
        return True
    if not isinstance(failures, list):
        return False
    return all(isinstance(item, dict) and item.get("itemIdentifier") in message_ids for item in failures)


def _failing_on_invalid_answers(run: Any) -> Any:
    @wraps(run)
    def run_batch(
        mapping: dict[str, Any], function: dict[str, Any], event: dict[str, Any], *rest: Any
    ) -> None:
        execute = lambda_svc._execute_function
        if "ReportBatchItemFailures" not in mapping.get("FunctionResponseTypes", []):
            run(mapping, function, event, *rest)
            return
        result = execute(function, event)
        ids = {record["messageId"] for record in event["Records"]}
        if not result.get("error") and not valid_failures(result.get("body"), ids):
            result = {
                "error": True,
                "body": {"errorType": "InvalidBatchItemFailures"},
                "log": result.get("log", ""),
            }
        run(mapping, _Answered(function, result), event, *rest)

    return run_batch


class _Answered(dict[str, Any]):
    """A function record whose invocation has been made already."""

    def __init__(self, function: dict[str, Any], result: dict[str, Any]) -> None:
        super().__init__(function)
        self.result = result


def _executing_once(execute: Any) -> Any:
    @wraps(execute)
    def execute_function(function: dict[str, Any], event: Any) -> Any:
        return function.result if isinstance(function, _Answered) else execute(function, event)

    return execute_function


def _concurrency(
    mapping: dict[str, Any],
    function: dict[str, Any],
    config: dict[str, Any],
    _queue: dict[str, Any] | None = None,
) -> int:
    """Batches in flight for one mapping, none while the role may not poll; a group in flight stays alone."""
    if not may_poll(config["Role"], mapping["EventSourceArn"]):
        return 0
    limit = (mapping.get("ScalingConfig") or {}).get(
        "MaximumConcurrency"
    ) or lambda_svc._ESM_SQS_DEFAULT_CONCURRENCY
    reserved = lambda_svc._reserved_concurrency(function, config)
    return int(limit if reserved is None else min(limit, reserved))


def _checked(create: Any) -> Any:
    @wraps(create)
    def create_mapping(data: dict[str, Any]) -> Any:
        source = data.get("EventSourceArn", "")
        queue = sqs._queue_by_arn(source) if ":sqs:" in source else None
        name = lambda_svc._resolve_name(data.get("FunctionName", ""))
        function, config = lambda_svc._get_func_record_for_qualifier(name, None)
        if queue is not None and function is not None:
            hidden = int(queue["attributes"].get("VisibilityTimeout", "30"))
            timeout = int(config.get("Timeout", 3))
            refusal = ""
            if hidden < timeout:
                refusal = (
                    f"Queue visibility timeout: {hidden} seconds is less than "
                    f"Function timeout: {timeout} seconds"
                )
            elif queue["is_fifo"] and int(data.get("BatchSize") or 0) > _FIFO_BATCH:
                refusal = (
                    f"Batch size {data['BatchSize']} is above {_FIFO_BATCH}, the most a FIFO queue allows"
                )
            elif queue["is_fifo"] and data.get("MaximumBatchingWindowInSeconds"):
                refusal = "Batching window is not supported for FIFO queues"
            if refusal:
                return error_response_json("InvalidParameterValueException", refusal, 400)
        return create(data)

    return create_mapping


def install() -> None:
    """Patch the mapping poller in this process."""
    replace(lambda_svc, "_execute_function", _executing_once)
    replace(lambda_svc, "_run_sqs_batch", _failing_on_invalid_answers)
    replace(lambda_svc, "_sqs_esm_concurrency", lambda _: _concurrency)
    replace(lambda_svc, "_create_esm", _checked)
