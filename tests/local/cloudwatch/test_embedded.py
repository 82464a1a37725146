"""Metrics that functions embed in their log lines."""

from __future__ import annotations

import json
from typing import Any

import pytest

from local.cloudwatch.embedded import points_of
from local.cloudwatch.metrics import Metric


def line(metrics: list[dict[str, Any]], dimensions: list[list[str]], **values: Any) -> str:
    directive = {"Namespace": "FanoutOnce", "Dimensions": dimensions, "Metrics": metrics}
    return json.dumps({"_aws": {"Timestamp": 600_000, "CloudWatchMetrics": [directive]}, **values})


def test_each_value_is_a_point_at_its_time_and_unit() -> None:
    text = line([{"Name": "Charged", "Unit": "Count"}], [["service"]], service="charge", Charged=[2, 3.0])
    found = list(points_of(text))
    assert [metric for metric, _ in found] == [Metric.of("FanoutOnce", "Charged", {"service": "charge"})] * 2
    assert [(point.time, point.value, point.unit) for _, point in found] == [
        (600.0, 2.0, "Count"),
        (600.0, 3.0, "Count"),
    ]


def test_each_set_of_dimensions_is_a_metric_of_its_own() -> None:
    text = line(
        [{"Name": "Charged"}], [["service"], ["service", "tenant"]], service="s", tenant="t", Charged=1
    )
    assert {metric.dimensions for metric, _ in points_of(text)} == {
        (("service", "s"),),
        (("service", "s"), ("tenant", "t")),
    }


@pytest.mark.parametrize(
    "text",
    [
        "START RequestId: 1",
        '{"level":"INFO"}',
        '{"_aws"',
        '{"_aws": {"CloudWatchMetrics": []}}',
        line([{"Name": "Charged"}], [["service"]], service="charge"),
        line([{"Name": "Charged"}], [["service"]], Charged=1),
        line([{"Name": "Charged"}], [["service"]], service="charge", Charged=True),
    ],
    ids=["platform line", "log line", "broken", "no time", "no value", "no dimension", "no number"],
)
def test_a_line_without_a_whole_metric_is_none(text: str) -> None:
    assert not list(points_of(text))
