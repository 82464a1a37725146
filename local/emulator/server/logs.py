"""CloudWatch Logs: embedded metrics, and subscription filters that deliver what their pattern matches.

MiniStack knows terms only (a JSON pattern is taken for terms), asks nobody for permission and invokes the
function once, whatever becomes of it.
"""

from __future__ import annotations

import base64
import gzip
import json
import time
from functools import wraps
from typing import Any

from ministack.core.responses import error_response_json, get_account_id, get_region, new_uuid
from ministack.services import cloudwatch_logs, lambda_svc

from local.cloudwatch.embedded import points_of
from local.cloudwatch.log_patterns import compile_pattern
from local.cloudwatch.refusal import RefusedError
from local.emulator.server.monitoring import clock
from local.emulator.server.monitoring.state import here
from local.emulator.server.permissions import service_may
from local.emulator.server.replacing import replace

_FILTERS_PER_GROUP = 2


def _embedding(append: Any) -> Any:
    @wraps(append)
    def append_events(stream: dict[str, Any], events: list[dict[str, Any]]) -> None:
        append(stream, events)
        for event in events:
            for metric, point in points_of(event["message"]):
                at = clock.at(point.time)
                here().store.put(
                    metric, type(point)(at, point.value, point.count, point.unit, point.high_resolution)
                )

    return append_events


def _function(destination: str) -> dict[str, Any] | None:
    function, _, _ = lambda_svc._get_func_record_for_ref(destination)
    found: dict[str, Any] | None = function
    return found


def _may_invoke(function: dict[str, Any], destination: str, group: str) -> bool:
    source = f"arn:aws:logs:{get_region()}:{get_account_id()}:log-group:{group}:*"
    return service_may("logs.amazonaws.com", "lambda:InvokeFunction", destination, function["policy"], source)


def _checked(put: Any) -> Any:
    @wraps(put)
    def put_filter(data: dict[str, Any]) -> Any:
        group = str(data.get("logGroupName"))
        destination = str(data.get("destinationArn") or "")
        try:
            compile_pattern(str(data.get("filterPattern") or ""))
        except RefusedError as refusal:
            return error_response_json(refusal.code, str(refusal), 400)
        known = (cloudwatch_logs._log_groups.get(group) or {}).get("subscriptionFilters", {})
        if data.get("filterName") not in known and len(known) >= _FILTERS_PER_GROUP:
            return error_response_json("LimitExceededException", "Resource limit exceeded.", 400)
        if ":function:" in destination:
            function = _function(destination)
            if function is None or not _may_invoke(function, destination, group):
                return error_response_json(
                    "InvalidParameterException",
                    "Could not execute the lambda function. Make sure you have given CloudWatch Logs "
                    "permission to execute your function.",
                    400,
                )
        return put(data)

    return put_filter


def _delivering(_original: Any) -> Any:
    def fan_out(group: str, stream: str, events: list[dict[str, Any]]) -> None:
        filters = (cloudwatch_logs._log_groups.get(group) or {}).get("subscriptionFilters") or {}
        for subscription in list(filters.values()):
            matches = compile_pattern(subscription.get("filterPattern") or "")
            matched = [event for event in events if matches(event["message"])]
            if matched:
                _deliver(subscription, group, stream, matched)

    return fan_out


def _deliver(subscription: dict[str, Any], group: str, stream: str, events: list[dict[str, Any]]) -> None:
    destination = subscription["destinationArn"]
    function = _function(destination) if ":function:" in destination else None
    if function is None or not _may_invoke(function, destination, group):
        return
    config = function.get("config") or function
    own = (config.get("LoggingConfig") or {}).get("LogGroup") or f"/aws/lambda/{config['FunctionName']}"
    if own == group:  # it would feed itself for ever
        return
    now = int(time.time() * 1000)
    payload = {
        "messageType": "DATA_MESSAGE",
        "owner": get_account_id(),
        "logGroup": group,
        "logStream": stream,
        "subscriptionFilters": [subscription["filterName"]],
        "logEvents": [
            {
                "id": new_uuid().replace("-", ""),
                "timestamp": event.get("timestamp", now),
                "message": event["message"],
            }
            for event in events
        ],
    }
    data = base64.b64encode(gzip.compress(json.dumps(payload).encode())).decode()
    lambda_svc.invoke_async_with_retry(function, {"awslogs": {"data": data}})


def install() -> None:
    """Patch the log service in this process."""
    replace(cloudwatch_logs, "_append_log_events", _embedding)
    replace(cloudwatch_logs, "_put_subscription_filter", _checked)
    replace(cloudwatch_logs, "_fanout_to_subscription_filters", _delivering)
