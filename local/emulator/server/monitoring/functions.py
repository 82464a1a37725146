"""AWS/Lambda: what functions and event source mappings report.

Source: AWS Lambda Developer Guide, "Types of metrics for Lambda functions" and "Using metrics with an event
source mapping". Times are in milliseconds; a mapping counts only when its MetricsConfig asks for it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from typing import Any

from ministack.services import lambda_svc, sqs

from local.emulator.server.monitoring.queues import sent
from local.emulator.server.monitoring.state import count
from local.emulator.server.permissions import role_may
from local.emulator.server.replacing import replace

_DEFAULT_RETRIES = 2


@dataclass
class _Event:
    """An asynchronous event: when it came in (real time), how many attempts are left."""

    received: float
    attempts: int


_event: ContextVar[_Event | None] = ContextVar("asynchronous_event", default=None)
_batch = threading.local()


def _counted(function: str, name: str, value: float = 1.0, unit: str = "Count") -> None:
    count("AWS/Lambda", name, {"FunctionName": function}, value, unit)


def _executing(dispatch: Any) -> Any:
    """Every accounted invocation, however it was asked for."""

    @wraps(dispatch)
    def execute(function: dict[str, Any], config: dict[str, Any], *rest: Any) -> Any:
        name, event, started = config["FunctionName"], _event.get(), time.time()
        in_flight = lambda_svc._inflight.get(lambda_svc._inflight_key(config), 1)
        _counted(name, "ConcurrentExecutions", in_flight)
        if event is not None:
            _counted(name, "AsyncEventAge", (started - event.received) * 1000, "Milliseconds")
        token = _event.set(None)  # what the function invokes in turn is another event
        try:
            result = dispatch(function, config, *rest)
        finally:
            _event.reset(token)
        if result.get("throttle"):
            _counted(name, "Throttles")
        else:
            _counted(name, "Invocations")
            _counted(name, "Errors", float(bool(result.get("error"))))
            _counted(name, "Duration", round((time.time() - started) * 1000, 2), "Milliseconds")
        _one_attempt_less(event, name, bool(result.get("error")))
        return result

    return execute


def _one_attempt_less(event: _Event | None, name: str, failed: bool) -> None:
    if event is None:
        return
    event.attempts -= 1
    if failed and event.attempts == 0:
        _counted(name, "AsyncEventsDropped")


def _throttled(_original: Any) -> Any:
    """MiniStack tells a refused slot here; the rest it tells twice, or not at all."""

    def emit(name: str, duration_ms: float, error: bool, throttle: bool) -> None:
        if throttle and duration_ms == 0.0 and not error:
            _counted(name, "Throttles")
            _one_attempt_less(_event.get(), name, failed=True)

    return emit


def _receiving(invoke: Any) -> Any:
    @wraps(invoke)
    def invoke_asynchronously(function: dict[str, Any], event: Any) -> None:
        config = function.get("config") or function
        settings = function.get("event_invoke_config") or function.get("event_invoke_configs", {}).get(
            "$LATEST"
        )
        retries = (settings or {}).get("MaximumRetryAttempts")
        attempts = 1 + int(_DEFAULT_RETRIES if retries is None else retries)
        _counted(config["FunctionName"], "AsyncEventsReceived")
        token = _event.set(_Event(time.time(), attempts))
        try:
            invoke(function, event)  # its thread inherits the context
        finally:
            _event.reset(token)

    return invoke_asynchronously


def _routing(route: Any) -> Any:
    """The failed event goes to its destination with the function's role, or nowhere."""

    @wraps(route)
    def route_failure(target: str, name: str, event: Any, result: dict[str, Any]) -> None:
        queue = sqs._queue_by_arn(target) if ":sqs:" in target else None
        if ":sqs:" not in target:
            route(target, name, event, result)
            return
        role = lambda_svc._functions[name]["config"]["Role"]
        if queue is None or not role_may(role, "sqs:SendMessage", target):
            _counted(name, "DestinationDeliveryFailures")
            return
        with sqs._queues_lock:
            route(target, name, event, result)
            sent(queue, queue["messages"][-1]["body"])

    return route_failure


def _asked_for(mapping: dict[str, Any]) -> bool:
    return "EventCount" in (mapping.get("MetricsConfig") or {}).get("Metrics", [])


def _events(mapping: dict[str, Any], name: str, number: float) -> None:
    if number and _asked_for(mapping):
        count("AWS/Lambda", name, {"EventSourceMappingUUID": mapping["UUID"]}, number)


def _running(run: Any) -> Any:
    @wraps(run)
    def run_batch(mapping: dict[str, Any], function: Any, event: dict[str, Any], *rest: Any) -> None:
        _batch.acknowledged = 0
        records = len(event["Records"])
        _events(mapping, "PolledEventCount", len(rest[0]))
        _events(mapping, "FilteredOutEventCount", len(rest[0]) - records)
        _events(mapping, "InvokedEventCount", records)
        run(mapping, function, event, *rest)
        _events(mapping, "FailedInvokeEventCount", len(rest[0]) - _batch.acknowledged)
        _events(mapping, "DeletedEventCount", _batch.acknowledged)

    return run_batch


def _acknowledging(delete: Callable[[str, set[str]], None]) -> Callable[[str, set[str]], None]:
    @wraps(delete)
    def delete_messages(url: str, handles: set[str]) -> None:
        _batch.acknowledged = len(handles)
        delete(url, handles)

    return delete_messages


def _filtering(apply: Any) -> Any:
    @wraps(apply)
    def apply_filters(records: list[Any], mapping: dict[str, Any]) -> Any:
        kept = apply(records, mapping)
        if not kept:  # the batch never runs: MiniStack deletes it on the spot
            _events(mapping, "PolledEventCount", len(records))
            _events(mapping, "FilteredOutEventCount", len(records))
        return kept

    return apply_filters


def _with_metrics_config(put: Any) -> Any:
    """MiniStack forgets which metrics a mapping is to have."""

    @wraps(put)
    def put_mapping(*arguments: Any) -> Any:
        with lambda_svc._esm_inflight_lock:  # no batch starts before it is known what is to be counted
            answer = put(*arguments)
            wanted = arguments[-1].get("MetricsConfig")
            if answer[0] >= 300 or wanted is None:
                return answer
            mapping = lambda_svc._esms[lambda_svc.json.loads(answer[2])["UUID"]]
            mapping["MetricsConfig"] = wanted
            return lambda_svc.json_response(lambda_svc._esm_response(mapping), answer[0])

    return put_mapping


def install() -> None:
    """Count what the function service does; after everything else that takes part in an invocation."""
    replace(lambda_svc, "_emit_lambda_metrics", _throttled)
    replace(lambda_svc, "_execute_function_dispatch", _executing)
    replace(lambda_svc, "invoke_async_with_retry", _receiving)
    replace(lambda_svc, "_route_async_failure", _routing)
    replace(lambda_svc, "_run_sqs_batch", _running)
    replace(lambda_svc, "_apply_filter_criteria", _filtering)
    replace(lambda_svc, "_create_esm", _with_metrics_config)
    replace(lambda_svc, "_update_esm", _with_metrics_config)
    replace(sqs, "_delete_messages_for_esm", _acknowledging)
