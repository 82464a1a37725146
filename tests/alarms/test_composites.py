"""Composites speak for their members, once; while maintenance is declared they say nothing."""

from datetime import UTC, datetime
from typing import Any

import pytest

from job_runtime import aws as clients
from operations.maintenance.__main__ import main as maintenance
from operations.outcome import Exit
from tests.alarms.conftest import Stage
from tests.support.clock import FakeClock

pytestmark = [pytest.mark.emulator, pytest.mark.terraform]

MEMBERS = {"broken": "job-payload-mismatch/main", "slow": "function-throttles/consumer"}
TROUBLE: dict[str, dict[str, Any]] = {
    "broken": {
        "Namespace": "FanoutOnce",
        "MetricName": "PayloadMismatch",
        "Dimensions": {"service": "charge"},
    },
    "slow": {
        "Namespace": "AWS/Lambda",
        "MetricName": "Throttles",
        "Dimensions": {"FunctionName": "watched-charge-consumer"},
    },
}
TOPICS = {"broken": "critical", "slow": "warning"}


def suffer(stage: Stage, composite: str, minutes: int) -> None:
    """Let the composite's trouble last for so many minutes."""
    for _ in range(minutes):
        stage.aws.publish([{**TROUBLE[composite], "Value": 1.0, "Unit": "Count"}])
        stage.aws.advance_alarms(60 - stage.aws.alarm_clock().timestamp() % 60)


def told(stage: Stage, seen: int) -> list[tuple[str, str, str]]:
    """What was sent since: alarm, its new state, the topic."""
    return [
        (message["alarm"], message["state"], message["action"].rsplit("-", 1)[1])
        for message in stage.aws.alarm_messages()[seen:]
        if message["dropped"] is None
    ]


def state(stage: Stage, name: str) -> str:
    answer = stage.aws.client("cloudwatch").describe_alarms(
        AlarmNames=[name], AlarmTypes=["CompositeAlarm", "MetricAlarm"]
    )
    found: list[dict[str, Any]] = answer["MetricAlarms"] + answer["CompositeAlarms"]
    return str(found[0]["StateValue"])


@pytest.fixture
def calm(stage: Stage) -> int:
    """All is well; how many messages have been sent so far."""
    stage.aws.advance_alarms(3600)
    assert state(stage, "watched-charge-broken") == state(stage, "watched-charge-slow") == "OK"
    return len(stage.aws.alarm_messages())


def operate(stage: Stage, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Exit:
    """Run the command at the time of the local CloudWatch's clock."""
    for name, value in stage.aws.credentials_env().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("boto3.DEFAULT_SESSION", None)
    clients.forget_clients()
    # The local AWS takes an operator's points by the time of this machine; all else there is by that clock.
    ahead = stage.aws.alarm_clock() - datetime.now(UTC)

    def in_real_time(params: dict[str, Any], **_: Any) -> None:
        for point in params["MetricData"]:
            point["Timestamp"] -= ahead

    clients.cloudwatch().meta.events.register("provide-client-params.cloudwatch.PutMetricData", in_real_time)
    head = ["--env", "local", "--job", "charge", "--alarm", "watched-charge-maintenance", "--reason", "test"]
    try:
        return maintenance([*head, *arguments], FakeClock(stage.aws.alarm_clock()))
    finally:
        clients.forget_clients()


@pytest.mark.parametrize("composite", MEMBERS)
def test_a_composite_tells_once_for_its_member_and_once_that_it_is_over(
    stage: Stage, calm: int, composite: str
) -> None:
    name = f"watched-charge-{composite}"
    suffer(stage, composite, 5)
    assert state(stage, stage.alarms[MEMBERS[composite]]) == state(stage, name) == "ALARM"
    stage.aws.advance_alarms(1800)
    assert state(stage, name) == "OK"
    assert told(stage, calm) == [(name, "ALARM", TOPICS[composite]), (name, "OK", TOPICS[composite])]


@pytest.mark.parametrize("pack", ["charge", "shared"])
def test_every_alarm_that_a_composite_speaks_for_is_in_its_rule_and_tells_nothing_itself(
    stage: Stage, pack: str
) -> None:
    outputs = stage.packs[pack]
    client = stage.aws.client("cloudwatch")
    for id, composite in outputs["composites"].items():
        answer = client.describe_alarms(AlarmNames=[composite["name"]], AlarmTypes=["CompositeAlarm"])
        (deployed,) = answer["CompositeAlarms"]
        members = {alarm["name"] for alarm in outputs["alarms"].values() if alarm["member_of"] == id}
        assert members
        rule = " OR ".join(f'ALARM("{name}")' for name in sorted(members))
        assert sorted(deployed["AlarmRule"].split(" OR ")) == sorted(rule.split(" OR "))
    for page in client.get_paginator("describe_alarms").paginate(AlarmTypes=["MetricAlarm"]):
        actions: dict[str, Any] = {
            alarm["AlarmName"]: alarm.get("AlarmActions", []) for alarm in page["MetricAlarms"]
        }
        for alarm in outputs["alarms"].values():
            if alarm["name"] in actions:
                assert bool(actions[alarm["name"]]) is (alarm["member_of"] is None)


def test_of_what_comes_and_goes_during_maintenance_no_trouble_is_told(
    stage: Stage, calm: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert operate(stage, monkeypatch, "--minutes", "30") is Exit.DONE
    suffer(stage, "broken", 10)
    assert state(stage, "watched-charge-broken") == "ALARM"
    stage.aws.advance_alarms(900)
    assert told(stage, calm) == []
    stage.aws.advance_alarms(3600)
    assert state(stage, "watched-charge-maintenance") == "OK"
    assert state(stage, "watched-charge-broken") == "OK"
    assert "ALARM" not in [new for _, new, _ in told(stage, calm)]


def test_what_is_still_broken_when_maintenance_ends_is_told_then(
    stage: Stage, calm: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    operate(stage, monkeypatch, "--minutes", "60")
    suffer(stage, "broken", 5)
    assert told(stage, calm) == []
    assert operate(stage, monkeypatch, "--end") is Exit.DONE
    suffer(stage, "broken", 5)
    assert state(stage, "watched-charge-maintenance") == "OK"
    assert told(stage, calm) == [("watched-charge-broken", "ALARM", "critical")]


def test_a_window_that_is_over_is_over_by_itself(
    stage: Stage, calm: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    operate(stage, monkeypatch, "--minutes", "5")
    stage.aws.advance_alarms(900)
    suffer(stage, "broken", 3)
    assert told(stage, calm) == [("watched-charge-broken", "ALARM", "critical")]


def test_a_look_that_hides_a_dead_letter_for_minutes_is_no_end_of_the_incident(
    stage: Stage, calm: int
) -> None:
    place = {"Namespace": "AWS/SQS", "MetricName": "ApproximateNumberOfMessagesVisible", "Unit": "Count"}
    dead = {**place, "Dimensions": {"QueueName": "watched-charge-dlq.fifo"}}
    for visible in (1, 0, 0, 0, 0, 1, 0, 0, 0, 0):
        stage.aws.publish([{**dead, "Value": float(visible)}])
        stage.aws.advance_alarms(60 - stage.aws.alarm_clock().timestamp() % 60)
    assert told(stage, calm) == [("watched-charge-broken", "ALARM", "critical")]
    stage.aws.advance_alarms(600)
    assert [new for _, new, _ in told(stage, calm)] == ["ALARM", "OK"]
