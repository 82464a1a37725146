"""CloudWatch's API: what is put is checked as AWS checks it, what is asked for is computed by its rules."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from ministack.services import cloudwatch

from local.cloudwatch import definitions
from local.cloudwatch.definitions import Query, metric_of
from local.cloudwatch.engine import Engine
from local.cloudwatch.metrics import Metric, percentile_of
from local.cloudwatch.refusal import RefusedError
from local.cloudwatch.series import compute
from local.emulator.server.monitoring import clock, runner
from local.emulator.server.monitoring.state import here
from local.emulator.server.replacing import replace

Answer = tuple[int, dict[str, str], bytes]
Handler = Callable[[Any, dict[str, Any], bool, bool], Answer]


def _error(code: str, message: str) -> Answer:
    error: Answer = cloudwatch._error(code, message, 400, use_json=True)
    return error


def _served(action: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[Any], Handler]:
    """Serve ACTION in the JSON protocol (see `protocols`), and answer what it refuses with its code."""

    @wraps(action)
    def handle(_params: Any, values: dict[str, Any], _is_cbor: bool, _is_json: bool = True) -> Answer:
        try:
            done: Answer = cloudwatch._json_ok(action(values))
        except RefusedError as refusal:
            return _error(refusal.code, str(refusal))
        return done

    return lambda _original: handle


def _tagged(
    put: Callable[[Engine, dict[str, Any], float], None], composite: bool
) -> Callable[[Any], Handler]:
    """Serve a call that creates or replaces an alarm; its tags count when it is new."""

    def handle(_params: Any, values: dict[str, Any], is_cbor: bool, is_json: bool = True) -> Answer:
        name, tags = values.get("AlarmName"), values.get("Tags")
        known = cloudwatch._composite_alarms if composite else cloudwatch._alarms
        is_new = name not in known
        refused: Answer | None = cloudwatch._alarm_tags_refusal(
            tags, None, is_new, is_cbor, is_json, composite=composite
        )
        if refused:
            return refused

        def act(wanted: dict[str, Any]) -> dict[str, Any]:
            put(here().engine, wanted, clock.now())
            if is_new and tags:
                arn = known[name]["AlarmArn"]
                cloudwatch._resource_tags[arn] = {tag["Key"]: tag["Value"] for tag in tags}
            return {}

        return _served(act)(None)(_params, values, is_cbor, is_json)

    return lambda _original: handle


def _put_metric_data(values: dict[str, Any]) -> dict[str, Any]:
    namespace, now = str(values.get("Namespace") or ""), time.time()
    data = [(datum, cloudwatch._parse_ts(datum.get("Timestamp"))) for datum in values.get("MetricData") or []]
    for datum, at in data:
        definitions.check_datum(namespace, datum, 0.0 if at is None else at - now)
    for datum, at in data:  # all or none
        runner.store({**datum, "Namespace": namespace}, None if at is None else clock.at(at))
    return {}


def _statistics(values: dict[str, Any]) -> dict[str, Any]:
    metric, period = metric_of(values), int(values.get("Period") or 60)
    names = [*(values.get("Statistics") or []), *(values.get("ExtendedStatistics") or [])]
    if not names:
        raise RefusedError("GetMetricStatistics needs Statistics or ExtendedStatistics", "MissingParameter")
    points = []
    for start in _periods(values, period):
        summary = here().store.summary(metric, start, start + period, values.get("Unit"))
        if summary is not None:
            found = {name: summary.statistic(name) for name in names}
            extended = {name: value for name, value in found.items() if percentile_of(name) is not None}
            basic = {name: value for name, value in found.items() if name not in extended}
            more = {"ExtendedStatistics": extended} if extended else {}
            points.append({"Timestamp": start, "Unit": values.get("Unit") or "None", **basic, **more})
    return {"Label": metric.name, "Datapoints": points}


def _periods(values: Mapping[str, Any], period: int) -> range:
    start, end = (cloudwatch._parse_ts(values.get(f"{which}Time")) for which in ("Start", "End"))
    if start is None or end is None or start >= end:
        raise RefusedError("StartTime lies before EndTime; write both", "InvalidParameterCombination")
    return range(int(start // period) * period, int(-(-end // 1)), period)


def _data(values: dict[str, Any]) -> dict[str, Any]:
    """GetMetricData with the same math as alarms; one time series for each query."""
    items = values.get("MetricDataQueries") or []
    metrics, texts, period = [], {}, 60
    for item in items:
        if item.get("Expression"):
            texts[str(item["Id"])] = str(item["Expression"])
            continue
        stat = item["MetricStat"]
        period = int(stat["Period"])
        metrics.append(Query(str(item["Id"]), metric_of(stat["Metric"]), str(stat["Stat"]), stat.get("Unit")))
    starts = list(_periods(values, period))
    found = compute(definitions.ordered(metrics, texts), here().store, starts, period)
    results = []
    for item in items:
        if not item.get("ReturnData", True):
            continue
        points = [
            (start, value)
            for start, value in zip(starts, found[item["Id"]], strict=True)
            if value is not None
        ]
        if values.get("ScanBy") != "TimestampAscending":
            points.reverse()
        results.append(
            {
                "Id": item["Id"],
                "Label": item.get("Label") or item["Id"],
                "Timestamps": [start for start, _ in points],
                "Values": [value for _, value in points],
                "StatusCode": "Complete",
            }
        )
    return {"MetricDataResults": results}


def _matches(metric: Metric, values: Mapping[str, Any]) -> bool:
    dimensions = dict(metric.dimensions)
    return (
        values.get("Namespace") in (None, metric.namespace)
        and values.get("MetricName") in (None, metric.name)
        and all(
            wanted["Name"] in dimensions and wanted.get("Value") in (None, dimensions[wanted["Name"]])
            for wanted in values.get("Dimensions") or []
        )
    )


def _list(values: dict[str, Any]) -> dict[str, Any]:
    return {
        "Metrics": [
            {
                "Namespace": metric.namespace,
                "MetricName": metric.name,
                "Dimensions": [{"Name": name, "Value": value} for name, value in metric.dimensions],
            }
            for metric in here().store.metrics()
            if _matches(metric, values)
        ]
    }


def _set_state(values: dict[str, Any]) -> dict[str, Any]:
    name, state = str(values.get("AlarmName")), str(values.get("StateValue"))
    known = here().engine.set_state(
        name, state, str(values.get("StateReason")), str(values.get("StateReasonData") or ""), clock.now()
    )
    if not known:
        raise RefusedError(f"Alarm {name} not found", "ResourceNotFound")
    return {}


def _guarded(delete: Handler) -> Handler:
    """A suppressor cannot be deleted either; what is deleted is no longer evaluated."""

    @wraps(delete)
    def delete_alarms(params: Any, values: dict[str, Any], is_cbor: bool, is_json: bool = True) -> Answer:
        names = values.get("AlarmNames") or []
        for name in names:
            if here().engine.dependents(name):
                return _error(
                    "ValidationError",
                    f"Cannot delete {name} as there are composite alarm(s) depending on it.",
                )
        answer = delete(params, values, is_cbor, is_json)
        for name in names:
            if name not in cloudwatch._alarms and name not in cloudwatch._composite_alarms:
                here().engine.forget(name)
        return answer

    return delete_alarms


def _recorded(_original: Any) -> Any:
    """MiniStack's own services report a metric: into the same store."""

    def record(
        namespace: str, name: str, value: float, unit: str = "None", dimensions: dict[str, str] | None = None
    ) -> None:
        datum = {"Namespace": namespace, "MetricName": name, "Value": value, "Unit": unit}
        runner.store({**datum, "Dimensions": dimensions or {}}, None)

    return record


def install() -> None:
    """Take the place of MiniStack's metrics and alarms; what only stores or lists stays its own."""
    replace(cloudwatch, "record_metric", _recorded)
    replace(cloudwatch, "_put_metric_data", _served(_put_metric_data))
    replace(cloudwatch, "_put_metric_alarm", _tagged(Engine.put_metric_alarm, composite=False))
    replace(cloudwatch, "_put_composite_alarm", _tagged(Engine.put_composite_alarm, composite=True))
    replace(cloudwatch, "_get_metric_statistics", _served(_statistics))
    replace(cloudwatch, "_get_metric_data", _served(_data))
    replace(cloudwatch, "_list_metrics", _served(_list))
    replace(cloudwatch, "_set_alarm_state", _served(_set_state))
    replace(cloudwatch, "_delete_alarms", _guarded)
    runner.start()
