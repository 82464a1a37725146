"""Every alarm sees the trouble that it is for, where AWS documents that it shows, and sees it end.

And none does once it looks elsewhere, or with other eyes.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest
from rich.console import Console

from tests.alarms.conftest import Stage
from tests.alarms.documented import IDS
from tests.alarms.proof import Proof, Trial, table, trials

pytestmark = [pytest.mark.emulator, pytest.mark.terraform]

_ANSWERED: Final = (
    "AlarmArn",
    "AlarmConfigurationUpdatedTimestamp",
    "EvaluationState",
    "StateReason",
    "StateReasonData",
    "StateTransitionedTimestamp",
    "StateUpdatedTimestamp",
    "StateValue",
)
"""What DescribeAlarms has and PutMetricAlarm has not."""


def test_the_whole_catalogue_is_documented(stage: Stage) -> None:
    assert sorted(stage.ids) == sorted(IDS)


def test_every_alarm_fires_and_recovers(stage: Stage) -> None:
    of_all = trials(stage.watched, stage.alarms)
    Proof(stage.aws, of_all).run()
    Console(width=180).print(table(of_all))
    assert unproven(of_all) == []


def unproven(of_all: list[Trial]) -> list[tuple[str, str, str]]:
    return [(trial.key, trial.fired, trial.recovered) for trial in of_all if not trial.proven]


Alarm = dict[str, Any]
Change = Callable[[Alarm], None]


def _metrics(alarm: Alarm) -> Iterator[Alarm]:
    """The metrics of an alarm, with where each has its dimensions, name and namespace."""
    if "MetricName" in alarm:
        yield alarm
    for query in alarm.get("Metrics", ()):
        if "MetricStat" in query:
            yield query["MetricStat"]["Metric"]


def another_value(alarm: Alarm) -> None:
    for metric in _metrics(alarm):
        dimensions = metric.setdefault("Dimensions", [])
        if dimensions:
            dimensions[0]["Value"] += "x"
        else:
            dimensions.append({"Name": "TableName", "Value": "x"})


def a_dimension_more(alarm: Alarm) -> None:
    for metric in _metrics(alarm):
        metric.setdefault("Dimensions", []).append({"Name": "Stage", "Value": "prod"})


def another_namespace(alarm: Alarm) -> None:
    for metric in _metrics(alarm):
        metric["Namespace"] += "/Other"


def another_name(alarm: Alarm) -> None:
    for metric in _metrics(alarm):
        metric["MetricName"] += "s"


def the_average(alarm: Alarm) -> None:
    alarm.pop("ExtendedStatistic", None)
    alarm.pop("EvaluateLowSampleCountPercentile", None)
    if "MetricName" in alarm:
        alarm["Statistic"] = "Average"
    for query in alarm.get("Metrics", ()):
        if "MetricStat" in query:
            query["MetricStat"]["Stat"] = "Average"


def the_other_side_of_the_threshold(alarm: Alarm) -> None:
    sides = {
        "GreaterThanThreshold": "GreaterThanOrEqualToThreshold",
        "GreaterThanOrEqualToThreshold": "GreaterThanThreshold",
    }
    alarm["ComparisonOperator"] = sides[alarm["ComparisonOperator"]]


def a_single_point(alarm: Alarm) -> None:
    alarm["EvaluationPeriods"] = alarm["DatapointsToAlarm"] = 1


@contextmanager
def changed(stage: Stage, names: set[str], change: Change) -> Iterator[None]:
    """The alarms, changed for a while."""
    client = stage.aws.client("cloudwatch")
    before: list[Alarm] = []
    for page in client.get_paginator("describe_alarms").paginate(AlarmTypes=["MetricAlarm"]):
        before += [alarm for alarm in page["MetricAlarms"] if alarm["AlarmName"] in names]
    assert {alarm["AlarmName"] for alarm in before} == names

    def put(edit: Change) -> None:
        for alarm in before:
            wanted = {key: value for key, value in alarm.items() if key not in _ANSWERED}
            wanted = {key: value for key, value in wanted.items() if value not in ([], None, "")}
            copy = _copied(wanted)
            edit(copy)
            client.put_metric_alarm(**copy)

    put(change)
    try:
        yield
    finally:
        put(lambda _alarm: None)


def _copied(value: Any) -> Any:
    match value:
        case dict():
            return {key: _copied(part) for key, part in value.items()}
        case list():
            return [_copied(part) for part in value]
        case _:
            return value


SAME_WITH_AVERAGES: Final = {"function-error-rate", "mapping-stalled", "queue-stalled"}
"""A share of averages is that of sums, and an average is over 0 where a sum is."""
FAR_FROM_THE_THRESHOLD: Final = {"queue-empty-receives"}
"""10,000 an hour are no whole number a minute."""


@pytest.mark.parametrize(
    ("change", "meant"),
    [
        (another_value, lambda _trial: True),
        (a_dimension_more, lambda _trial: True),
        (another_namespace, lambda _trial: True),
        (another_name, lambda _trial: True),
        (the_average, lambda trial: trial.entry.id not in SAME_WITH_AVERAGES),
        (the_other_side_of_the_threshold, lambda trial: trial.entry.id not in FAR_FROM_THE_THRESHOLD),
        (a_single_point, lambda trial: trial.entry.lasting),
    ],
    ids=lambda value: getattr(value, "__name__", "").strip("<>"),
)
def test_no_alarm_that_looks_elsewhere_or_otherwise_passes(
    stage: Stage, change: Change, meant: Callable[[Trial], bool]
) -> None:
    of_all = [trial for trial in trials(stage.watched, stage.alarms) if meant(trial)]
    with changed(stage, {trial.alarm for trial in of_all}, change):
        Proof(stage.aws, of_all).run()
    assert {trial.key for trial in of_all} == {key for key, _, _ in unproven(of_all)}
