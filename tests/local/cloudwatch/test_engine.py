"""Alarms at work on a clock of the test's own."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from local.cloudwatch.engine import Engine, Transition
from local.cloudwatch.metrics import Metric, Point, Store
from local.cloudwatch.notifications import Notification, Place
from local.cloudwatch.refusal import RefusedError

START = 1_800_000_000.0
TOPIC = "arn:aws:sns:ap-northeast-1:111122223333:critical"
PLACE = Place("111122223333", "ap-northeast-1", "Asia Pacific (Tokyo)")


class World:
    """An engine, its clock, and what it has said so far."""

    def __init__(self) -> None:
        self.store = Store()
        self.alarms: dict[str, dict[str, Any]] = {}
        self.composites: dict[str, dict[str, Any]] = {}
        self.transitions: list[Transition] = []
        self.messages: list[Notification] = []
        self.engine = Engine(self.store, PLACE, self.alarms, self.composites, self.transitions.append)
        self.now = START

    def alarm(self, name: str = "dead-letters", **changes: Any) -> None:
        self.engine.put_metric_alarm(
            {
                "AlarmName": name,
                "AlarmDescription": "look into the queue",
                "Namespace": "AWS/SQS",
                "MetricName": "ApproximateNumberOfMessagesVisible",
                "Dimensions": [{"Name": "QueueName", "Value": "q"}],
                "Statistic": "Maximum",
                "Period": 60,
                "EvaluationPeriods": 1,
                "Threshold": 1.0,
                "ComparisonOperator": "GreaterThanOrEqualToThreshold",
                "TreatMissingData": "notBreaching",
                "AlarmActions": [TOPIC],
                "OKActions": [TOPIC],
                **changes,
            },
            self.now,
        )

    def composite(self, rule: str, name: str = "broken", **changes: Any) -> None:
        self.engine.put_composite_alarm(
            {"AlarmName": name, "AlarmRule": rule, "AlarmActions": [TOPIC], "OKActions": [TOPIC], **changes},
            self.now,
        )

    def point(self, value: float, name: str = "ApproximateNumberOfMessagesVisible", queue: str = "q") -> None:
        self.store.put(Metric.of("AWS/SQS", name, {"QueueName": queue}), Point(self.now, value))

    def run(self, seconds: int = 1) -> None:
        for _ in range(seconds):
            self.now += 1
            self.messages += self.engine.tick(self.now)

    def state(self, name: str = "dead-letters") -> str:
        return str((self.alarms.get(name) or self.composites[name])["StateValue"])

    def told(self) -> list[tuple[str, str]]:
        return [(message.alarm, json.loads(message.message)["NewStateValue"]) for message in self.messages]


@pytest.fixture
def world() -> World:
    return World()


def test_alarm_fires_within_a_second_of_the_point_and_recovers(world: World) -> None:
    world.alarm()
    world.run()
    assert world.state() == "OK"
    world.point(1.0)
    world.run()
    assert world.state() == "ALARM"
    world.now += 60
    world.point(0.0)
    world.run()
    assert world.state() == "OK"
    assert world.told() == [("dead-letters", "OK"), ("dead-letters", "ALARM"), ("dead-letters", "OK")]


@pytest.mark.parametrize(
    "dimensions", [[], [{"Name": "QueueName", "Value": "other"}], [{"Name": "Queue", "Value": "q"}]]
)
def test_alarm_with_other_dimensions_never_fires(world: World, dimensions: list[dict[str, str]]) -> None:
    world.alarm(Dimensions=dimensions)
    world.point(100.0)
    world.run(120)
    assert world.state() == "OK"


def test_m_of_n_periods(world: World) -> None:
    world.alarm(EvaluationPeriods=5, DatapointsToAlarm=3)
    for value, state in [(1, "OK"), (0, "OK"), (1, "OK"), (0, "OK"), (1, "ALARM")]:
        world.point(value)
        world.run()
        assert world.state() == state
        world.now += 60


def test_alarm_on_dynamodb_keeps_its_state_without_data(world: World) -> None:
    world.alarm(Namespace="AWS/DynamoDB", MetricName="SystemErrors", Dimensions=[])
    world.store.put(Metric.of("AWS/DynamoDB", "SystemErrors"), Point(world.now, 5.0))
    world.run(1200)
    assert world.state() == "ALARM"


def test_fill_brings_an_alarm_on_dynamodb_back(world: World) -> None:
    stat = {
        "Metric": {"Namespace": "AWS/DynamoDB", "MetricName": "SystemErrors"},
        "Period": 60,
        "Stat": "Sum",
    }
    metrics = [
        {"Id": "m1", "MetricStat": stat, "ReturnData": False},
        {"Id": "e1", "Expression": "SUM(FILL(METRICS(), 0))", "ReturnData": True},
    ]
    world.alarm(
        Metrics=metrics, Namespace=None, MetricName=None, Dimensions=None, Statistic=None, Period=None
    )
    world.store.put(Metric.of("AWS/DynamoDB", "SystemErrors"), Point(world.now, 5.0))
    world.run()
    assert world.state() == "ALARM"
    world.run(121)  # once the last full minute is one without errors
    assert world.state() == "OK"


def test_percentile_of_few_samples_keeps_the_state_when_told_to_ignore_them(world: World) -> None:
    world.alarm(
        "ignoring", Statistic=None, ExtendedStatistic="p99", EvaluateLowSampleCountPercentile="ignore"
    )
    world.alarm("evaluating", Statistic=None, ExtendedStatistic="p99")
    world.run()
    world.point(50.0)
    world.run()
    assert (world.state("ignoring"), world.state("evaluating")) == ("OK", "ALARM")


def test_points_yet_to_come_count_when_their_time_has_come(world: World) -> None:
    world.alarm()
    world.store.put(
        Metric.of("AWS/SQS", "ApproximateNumberOfMessagesVisible", {"QueueName": "q"}),
        Point(world.now + 120, 1.0),
    )
    world.run(59)
    assert world.state() == "OK"
    world.run(62)
    assert world.state() == "ALARM"


def test_periods_slide_with_the_minute(world: World) -> None:
    world.alarm(Period=300, Statistic="Sum", Threshold=2.0)
    world.now = START + 240  # the fifth minute of a five-minute span
    world.point(1.0)
    world.now += 60  # the first of the next
    world.point(1.0)
    world.run()
    assert world.state() == "ALARM"


def test_message_of_a_metric_alarm_has_the_documented_fields(world: World) -> None:
    world.alarm()
    world.point(3.0)
    world.run()
    (message,) = world.messages
    body = json.loads(message.message)
    assert message.subject == 'ALARM: "dead-letters" in Asia Pacific (Tokyo)'
    assert set(body) == {
        "AlarmName", "AlarmDescription", "AWSAccountId", "AlarmConfigurationUpdatedTimestamp",
        "NewStateValue", "NewStateReason", "StateChangeTime", "Region", "AlarmArn", "OldStateValue",
        "OKActions", "AlarmActions", "InsufficientDataActions", "Trigger",
    }  # fmt: skip
    assert body["OldStateValue"] == "INSUFFICIENT_DATA"
    assert body["StateChangeTime"] == "2027-01-15T08:00:01.000+0000"
    assert body["NewStateReason"] == (
        "Threshold Crossed: 1 out of the last 1 datapoints [3.0 (15/01/27 08:00:00)] was greater than or "
        "equal to the threshold (1.0) (minimum 1 datapoint for INSUFFICIENT_DATA -> ALARM transition)."
    )
    assert body["Trigger"] == {
        "MetricName": "ApproximateNumberOfMessagesVisible",
        "Namespace": "AWS/SQS",
        "StatisticType": "Statistic",
        "Statistic": "MAXIMUM",
        "Unit": None,
        "Dimensions": [{"value": "q", "name": "QueueName"}],
        "Period": 60,
        "EvaluationPeriods": 1,
        "DatapointsToAlarm": 1,
        "ComparisonOperator": "GreaterThanOrEqualToThreshold",
        "Threshold": 1.0,
        "TreatMissingData": "notBreaching",
        "EvaluateLowSampleCountPercentile": "",
    }
    data = json.loads(world.alarms["dead-letters"]["StateReasonData"])
    assert data["recentDatapoints"] == [3.0]
    assert data["evaluatedDatapoints"] == [
        {"timestamp": "2027-01-15T08:00:00.000+0000", "sampleCount": 1.0, "value": 3.0}
    ]


def test_composite_follows_its_children_and_names_them(world: World) -> None:
    world.alarm("one", AlarmActions=[], OKActions=[])
    world.alarm("two", MetricName="Other", AlarmActions=[], OKActions=[])
    world.composite('ALARM("one") OR ALARM("two")')
    world.run()
    world.point(1.0)
    world.run()
    world.now += 400
    world.run()
    assert world.told() == [("broken", "OK"), ("broken", "ALARM"), ("broken", "OK")]
    body = json.loads(world.messages[1].message)
    assert "Trigger" not in body
    assert body["AlarmRule"] == 'ALARM("one") OR ALARM("two")'
    assert body["TriggeringChildren"] == [
        {
            "Arn": "arn:aws:cloudwatch:ap-northeast-1:111122223333:alarm:one",
            "State": {"Value": "ALARM", "Timestamp": "2027-01-15T08:00:02.000+0000"},
        }
    ]


def test_composite_of_composites_follows_in_the_same_moment(world: World) -> None:
    world.alarm()
    world.composite('ALARM("dead-letters")', "inner")
    world.composite('ALARM("inner")', "outer")
    world.point(1.0)
    world.run()
    assert world.state("outer") == "ALARM"


def test_composites_in_a_circle_come_to_rest(world: World) -> None:
    world.alarm()
    world.composite('ALARM("dead-letters")', "left")
    world.composite('ALARM("left")', "right")
    world.composite('ALARM("dead-letters") OR NOT ALARM("right")', "left")
    world.point(1.0)
    world.run(5)
    assert world.state() == "ALARM"


def test_composite_needs_children_that_exist(world: World) -> None:
    with pytest.raises(RefusedError, match=r"alarms \[.*:alarm:nobody\] in the alarm rule do not exist"):
        world.composite('ALARM("nobody")')


def test_child_and_suppressor_of_a_composite_are_told_as_its_own(world: World) -> None:
    world.alarm("child")
    world.alarm("maintenance")
    periods: dict[str, Any] = {"ActionsSuppressorWaitPeriod": 60, "ActionsSuppressorExtensionPeriod": 60}
    world.composite('ALARM("child")', ActionsSuppressor="maintenance", **periods)
    assert world.engine.dependents("child") == world.engine.dependents("maintenance") == ["broken"]
    world.composite("FALSE")
    assert world.engine.dependents("child") == world.engine.dependents("maintenance") == []


def test_suppressor_holds_a_composites_messages_back_until_its_extension_is_over(world: World) -> None:
    world.alarm("child", AlarmActions=[], OKActions=[])
    world.alarm("maintenance", MetricName="Maintenance", AlarmActions=[], OKActions=[])
    periods: dict[str, Any] = {"ActionsSuppressorWaitPeriod": 0, "ActionsSuppressorExtensionPeriod": 30}
    world.composite('ALARM("child")', ActionsSuppressor="maintenance", **periods)
    world.run()
    world.messages.clear()
    world.point(1.0, "Maintenance")
    world.run()
    world.point(1.0)
    world.run()
    assert world.state("broken") == "ALARM"
    assert world.composites["broken"]["ActionsSuppressedBy"] == "Alarm"
    assert world.told() == []
    while world.state("maintenance") == "ALARM":
        world.point(1.0)
        world.run(10)
    world.point(1.0)
    world.run(35)
    assert world.told() == [("broken", "ALARM")]
    assert "ActionsSuppressedBy" not in world.composites["broken"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"ActionsSuppressor": "nobody"}, "needs a wait and an extension"),
        (
            {
                "ActionsSuppressor": "nobody",
                "ActionsSuppressorWaitPeriod": 1,
                "ActionsSuppressorExtensionPeriod": 1,
            },
            "nobody does not exist",
        ),
        ({"ActionsSuppressorWaitPeriod": 1}, "need an ActionsSuppressor"),
    ],
)
def test_suppressor_is_refused(world: World, changes: dict[str, Any], says: str) -> None:
    world.alarm()
    with pytest.raises(RefusedError, match=says):
        world.composite('ALARM("dead-letters")', **changes)


def test_disabled_actions_are_not_taken(world: World) -> None:
    world.alarm(ActionsEnabled=False)
    world.point(1.0)
    world.run()
    assert world.state() == "ALARM"
    assert world.messages == []


def test_updated_alarm_keeps_its_state_and_looks_at_its_new_metric(world: World) -> None:
    world.alarm()
    world.point(1.0)
    world.run()
    world.alarm(MetricName="Other")
    assert world.state() == "ALARM"
    world.run()
    assert world.state() == "OK"


def test_state_that_is_set_lasts_until_the_next_evaluation(world: World) -> None:
    world.alarm()
    world.run()
    assert world.engine.set_state("dead-letters", "ALARM", "a drill", "", world.now)
    assert world.state() == "ALARM"
    world.run(61)
    assert world.state() == "OK"
    assert not world.engine.set_state("nobody", "ALARM", "a drill", "", world.now)


def test_a_hundred_and_fifty_alarms_take_no_noticeable_time(world: World) -> None:
    for number in range(150):
        world.alarm(f"alarm-{number}", Dimensions=[{"Name": "QueueName", "Value": f"q{number}"}], Period=300)
        world.point(0.0, queue=f"q{number}")
    world.run()
    started = time.process_time()
    for _ in range(10):
        world.point(0.0, queue="q1")
        world.run()
    each_second = (time.process_time() - started) / 10
    started = time.process_time()
    world.run(60)
    each_minute = time.process_time() - started
    assert each_second < 0.02
    assert each_minute < 0.2
