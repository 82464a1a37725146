"""What is asked of CloudWatch for a dashboard, and that nothing of it is lost in the file."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from local.dashboards.definition import DefinitionError
from local.dashboards.recording import Recording

START = datetime(2026, 11, 30, 18, 0, tzinfo=UTC)
END = START + timedelta(minutes=3)
POINTS = {START + timedelta(minutes=number): float(number) for number in range(3)}
ALARM = "arn:aws:cloudwatch:ap-northeast-1:111122223333:alarm:"


class CloudWatch:
    """CloudWatch with one dashboard, and the same points whatever is asked for, one a page."""

    def __init__(self, *widgets: dict[str, Any]) -> None:
        self.body = {"widgets": list(widgets)}
        self.asked: list[dict[str, Any]] = []

    def get_dashboard(self, *, DashboardName: str) -> dict[str, Any]:  # noqa: N803 - boto3's name
        assert DashboardName == "charge"
        return {"DashboardBody": json.dumps(self.body)}

    def get_paginator(self, operation: str) -> Any:
        assert operation == "get_metric_data"
        return self

    def paginate(self, **request: Any) -> list[dict[str, Any]]:
        self.asked.append(request)
        shown = [query["Id"] for query in request["MetricDataQueries"] if query["ReturnData"]]
        return [
            {"MetricDataResults": [{"Id": name, "Timestamps": [at], "Values": [value]} for name in shown]}
            for at, value in POINTS.items()
        ]

    def describe_alarms(self, *, AlarmNames: list[str], **_: Any) -> dict[str, Any]:  # noqa: N803
        known = {"a": "ALARM", "c": "OK"}
        alarms = [{"AlarmName": name, "StateValue": known[name]} for name in AlarmNames if name in known]
        return {"MetricAlarms": alarms[:1], "CompositeAlarms": alarms[1:]}


def metric(*metrics: Any, **properties: Any) -> dict[str, Any]:
    return {"type": "metric", "properties": {"title": "t", "metrics": list(metrics), **properties}}


def made(*widgets: dict[str, Any]) -> Recording:
    client: Any = CloudWatch(*widgets)
    return Recording.make(client, "charge", START, END)


def test_all_pages_of_what_is_visible_are_kept() -> None:
    shown = metric(["N", "M"], ["N", "Hidden", {"id": "h", "visible": False}], stat="Sum")
    assert made(shown).series == ({"series0": POINTS},)


@pytest.mark.parametrize(("stat", "number"), [("Sum", 3.0), ("Maximum", 2.0), ("Minimum", 0.0)])
def test_one_number_for_the_whole_time_is_made_by_the_statistic(stat: str, number: float) -> None:
    shown = metric(["N", "M"], stat=stat, view="singleValue", setPeriodToTimeRange=True)
    assert made(shown).series == ({"series0": {START: number}},)


def test_one_number_of_averages_is_refused() -> None:
    with pytest.raises(DefinitionError, match="t: one number for the whole time"):
        made(metric(["N", "M"], stat="Average", setPeriodToTimeRange=True))


def test_states_of_alarms_are_kept_and_an_alarm_that_does_not_exist_is_named() -> None:
    shown = {"type": "alarm", "properties": {"title": "t", "alarms": [f"{ALARM}a", f"{ALARM}c"]}}
    assert made(shown).alarms == {"a": "ALARM", "c": "OK"}
    gone = {"type": "alarm", "properties": {"title": "t", "alarms": [f"{ALARM}a", f"{ALARM}gone"]}}
    with pytest.raises(DefinitionError, match="do not exist are shown: gone"):
        made(gone)


def test_a_file_gives_back_what_was_recorded(tmp_path: Path) -> None:
    recording = made(metric(["N", "M"]), {"type": "alarm", "properties": {"alarms": [f"{ALARM}a"]}})
    recording.save(tmp_path / "file")
    assert Recording.load(tmp_path / "file") == recording
