"""PutMetricAlarm and PutMetricData: what is refused, by name and with what to write instead."""

from __future__ import annotations

from typing import Any

import pytest

from local.cloudwatch.definitions import check_datum, metric_alarm
from local.cloudwatch.refusal import RefusedError

SINGLE: dict[str, Any] = {
    "AlarmName": "a",
    "Namespace": "FanoutOnce",
    "MetricName": "Charged",
    "Dimensions": [{"Name": "service", "Value": "charge"}],
    "Statistic": "Sum",
    "Period": 60,
    "EvaluationPeriods": 3,
    "Threshold": 1.0,
    "ComparisonOperator": "GreaterThanThreshold",
}


def metric(name: str, period: int = 60, **more: Any) -> dict[str, Any]:
    stat = {"Metric": {"Namespace": "N", "MetricName": name}, "Period": period, "Stat": "Sum"}
    return {"Id": name, "MetricStat": stat, "ReturnData": False, **more}


MATH: dict[str, Any] = {
    **{key: SINGLE[key] for key in ("AlarmName", "EvaluationPeriods", "Threshold", "ComparisonOperator")},
    "Metrics": [metric("a"), metric("b"), {"Id": "e", "Expression": "a / b", "ReturnData": True}],
}


def test_defaults_of_an_alarm() -> None:
    alarm = metric_alarm(SINGLE)
    assert (alarm.datapoints_to_alarm, alarm.treatment, alarm.result) == (3, "missing", "m1")


def test_alarm_on_metric_math() -> None:
    alarm = metric_alarm(MATH)
    assert (alarm.period, alarm.result, [m.name for m in alarm.metrics]) == (60, "e", ["a", "b"])


@pytest.mark.parametrize("values", [SINGLE, MATH], ids=["metric", "math"])
def test_alarms_on_dynamodb_always_ignore_missing_data(values: dict[str, Any]) -> None:
    if "Metrics" in values:
        query = metric("a")
        query["MetricStat"]["Metric"]["Namespace"] = "AWS/DynamoDB"
        values = {**values, "Metrics": [query, *values["Metrics"][1:]]}
    else:
        values = {**values, "Namespace": "AWS/DynamoDB"}
    assert metric_alarm({**values, "TreatMissingData": "notBreaching"}).treatment == "ignore"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"AlarmName": ""}, "AlarmName"),
        ({"AlarmName": "x" * 256}, "1 to 255"),
        ({"AlarmDescription": "x" * 1025}, "at most 1024"),
        ({"AlarmActions": ["arn:aws:sns:r:1:t"] * 6}, "more than 5"),
        ({"OKActions": ["topic"]}, "topic is no ARN"),
        ({"Threshold": None}, "Threshold is missing"),
        ({"ComparisonOperator": "Above"}, "ComparisonOperator"),
        ({"ComparisonOperator": "LessThanLowerThreshold"}, "needs a band"),
        ({"TreatMissingData": "notbreaching"}, "TreatMissingData"),
        ({"EvaluationPeriods": 0}, "at least 1"),
        ({"DatapointsToAlarm": 4}, "between 1 and EvaluationPeriods 3"),
        ({"Period": 90}, "multiple of 60"),
        ({"Period": 0}, "multiple of 60"),
        ({"Period": 10, "Namespace": "AWS/SQS"}, "no period below 60"),
        ({"Period": 1800, "EvaluationPeriods": 49}, "86400 seconds"),
        ({"Period": 3600, "EvaluationPeriods": 169}, "604800 seconds"),
        ({"MetricName": None}, "either MetricName or Metrics"),
        ({"Namespace": ""}, "Namespace"),
        ({"Statistic": None}, "either Statistic or ExtendedStatistic"),
        ({"ExtendedStatistic": "p99"}, "either Statistic or ExtendedStatistic"),
        ({"Statistic": "p99"}, "no statistic"),
        ({"Statistic": None, "ExtendedStatistic": "p101"}, "no statistic"),
        ({"EvaluateLowSampleCountPercentile": "ignore"}, "for percentiles"),
        ({"Dimensions": [{"Name": "service", "Value": ""}]}, "neither empty"),
        ({"Dimensions": [{"Name": f"d{n}", "Value": "x"} for n in range(31)]}, "at most 30"),
        ({"ThresholdMetricId": "x"}, "not served"),
    ],
)
def test_metric_alarm_is_refused(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(RefusedError, match=says):
        metric_alarm({**SINGLE, **changes})


@pytest.mark.parametrize(("period", "periods"), [(60, 1440), (3600, 168), (86_400, 7), (10, 8640)])
def test_longest_look_back_is_taken(period: int, periods: int) -> None:
    assert metric_alarm({**SINGLE, "Period": period, "EvaluationPeriods": periods}).period == period


@pytest.mark.parametrize(
    ("metrics", "says"),
    [
        ([metric("A1", ReturnData=True)], "lowercase letter"),
        ([metric("a", ReturnData=True), metric("a")], "used twice"),
        ([metric("a"), metric("b")], "exactly one element of Metrics has ReturnData true, here 0"),
        ([metric("a", ReturnData=True), metric("b", ReturnData=True)], "here 2"),
        ([metric("a"), metric("b", 300), {"Id": "e", "Expression": "a+b"}], "the same Period"),
        ([metric("a"), {"Id": "e"}], "either MetricStat or Expression"),
        ([{"Id": "e", "Expression": "1"}], "1 to 10 metrics"),
        ([*(metric(f"a{n}") for n in range(11)), {"Id": "e", "Expression": "a1"}], "1 to 10 metrics"),
        ([metric("a"), {"Id": "e", "Expression": "SUM(a)"}], r"gives S, .* single time series"),
        ([metric("a"), {"Id": "e", "Expression": "METRICS()"}], r"gives TS\[\]"),
        ([metric("a"), {"Id": "e", "Expression": "RATE(a)"}], "RATE is not known"),
    ],
)
def test_metric_math_is_refused(metrics: list[dict[str, Any]], says: str) -> None:
    with pytest.raises(RefusedError, match=says):
        metric_alarm({**MATH, "Metrics": metrics})


def test_arguments_of_a_single_metric_have_no_place_beside_metric_math() -> None:
    with pytest.raises(RefusedError, match="Period goes into Metrics"):
        metric_alarm({**MATH, "Period": 60})


@pytest.mark.parametrize(
    ("namespace", "datum", "ahead", "says"),
    [
        ("AWS/SQS", {"Value": 1}, 0, "AWS's own"),
        ("N", {"Value": 1}, 7201, "two hours ahead"),
        ("N", {"Value": 1}, -15 * 86_400, "two weeks old"),
        ("N", {}, 0, "exactly one of"),
        ("N", {"Value": 1, "Values": [1]}, 0, "exactly one of"),
        ("", {"Value": 1}, 0, "Namespace"),
    ],
)
def test_point_is_refused(namespace: str, datum: dict[str, Any], ahead: float, says: str) -> None:
    with pytest.raises(RefusedError, match=says):
        check_datum(namespace, {"MetricName": "m", **datum}, ahead)


def test_point_of_a_window_two_hours_ahead_is_taken() -> None:
    check_datum("N", {"MetricName": "m", "Value": 1}, 7200)
