"""A declared window: what is put where the suppressor looks, and how it is made up for."""

import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
import pytest
from moto import mock_aws

from job_runtime import aws
from operations.maintenance.__main__ import main
from operations.maintenance.window import LONGEST_MINUTES
from operations.outcome import Exit
from tests.support.clock import FakeClock

ALARM = "fanout-dev-charge-maintenance"
PLACE: dict[str, Any] = {
    "Namespace": "FanoutOnce",
    "MetricName": "Maintenance",
    "Dimensions": [{"Name": "service", "Value": "fanout-dev-charge"}],
}
RULE: dict[str, Any] = {
    "Statistic": "Sum",
    "Period": 60,
    "ComparisonOperator": "GreaterThanOrEqualToThreshold",
    "Threshold": 1.0,
    "EvaluationPeriods": 1,
    "TreatMissingData": "notBreaching",
}
HEAD = ["--env", "dev", "--job", "charge", "--reason", "deploy of 1.4"]


@pytest.fixture
def cloudwatch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "ap-northeast-1")
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    with mock_aws():
        aws.forget_clients()
        client = boto3.client("cloudwatch")
        client.put_metric_alarm(AlarmName=ALARM, **PLACE, **RULE)
        yield client
    aws.forget_clients()


@pytest.fixture
def now() -> FakeClock:
    """A clock near the present: points far from it are refused."""
    return FakeClock(datetime.now(UTC).replace(second=20, microsecond=0))


def declared(client: Any, clock: FakeClock) -> list[int]:
    """The minutes, counted from the present one, in which the suppressor is on."""
    first = clock.now().replace(second=0)
    answer = client.get_metric_statistics(
        **PLACE,
        StartTime=first - timedelta(hours=1),
        EndTime=first + timedelta(hours=3),
        Period=60,
        Statistics=["Sum"],
    )
    return sorted(
        int((point["Timestamp"] - first) / timedelta(minutes=1))
        for point in answer["Datapoints"]
        if point["Sum"] >= 1
    )


def state(client: Any) -> dict[str, Any]:
    (alarm,) = client.describe_alarms(AlarmNames=[ALARM])["MetricAlarms"]
    return dict(alarm)


def test_each_minute_from_the_present_one_on_is_declared(cloudwatch: Any, now: FakeClock) -> None:
    assert main([*HEAD, "--minutes", "5"], now) is Exit.DONE
    assert declared(cloudwatch, now) == [0, 1, 2, 3, 4]


def test_the_longest_window_goes_as_far_ahead_as_points_may(cloudwatch: Any, now: FakeClock) -> None:
    assert main([*HEAD, "--minutes", str(LONGEST_MINUTES)], now) is Exit.DONE
    last = now.now().replace(second=0) + timedelta(minutes=declared(cloudwatch, now)[-1])
    assert last < now.now() + timedelta(hours=2)


def test_what_is_declared_twice_is_ended_once(cloudwatch: Any, now: FakeClock) -> None:
    main([*HEAD, "--minutes", "5"], now)
    main([*HEAD, "--minutes", "10"], now)
    assert declared(cloudwatch, now) == [*range(10)]
    now.advance(120)
    assert main([*HEAD, "--end"], now) is Exit.DONE
    assert declared(cloudwatch, now) == [-2, -1]


def test_an_ended_window_can_be_declared_again(cloudwatch: Any, now: FakeClock) -> None:
    main([*HEAD, "--minutes", "30"], now)
    main([*HEAD, "--end"], now)
    assert declared(cloudwatch, now) == []
    main([*HEAD, "--minutes", "3"], now)
    assert declared(cloudwatch, now) == [0, 1, 2]


def test_an_end_that_is_said_twice_does_not_weigh_on_the_next_window(cloudwatch: Any, now: FakeClock) -> None:
    main([*HEAD, "--minutes", "3"], now)
    main([*HEAD, "--end"], now)
    assert main([*HEAD, "--end"], now) is Exit.PART
    main([*HEAD, "--minutes", "3"], now)
    assert declared(cloudwatch, now) == [0, 1, 2]


def test_the_alarm_is_on_at_once_and_says_who_and_why(cloudwatch: Any, now: FakeClock) -> None:
    main([*HEAD, "--minutes", "5"], now)
    until = (now.now() + timedelta(minutes=5)).strftime("%Y-%m-%dT%H:%MZ")
    on = state(cloudwatch)
    assert on["StateValue"] == "ALARM"
    arn = boto3.client("sts").get_caller_identity()["Arn"]
    assert on["StateReason"] == f"maintenance declared by {arn}: deploy of 1.4 (until {until})"
    main([*HEAD, "--end"], now)
    off = state(cloudwatch)
    assert (off["StateValue"], off["StateReason"]) == (
        "OK",
        f"maintenance ended by {arn}: deploy of 1.4",
    )


def test_the_document_says_what_was_declared(
    cloudwatch: Any, now: FakeClock, capsys: pytest.CaptureFixture[str]
) -> None:
    main([*HEAD, "--minutes", "5", "--json"], now)
    found = json.loads(capsys.readouterr().out)
    assert found["until"] == (now.now() + timedelta(minutes=5)).strftime("%Y-%m-%dT%H:%MZ")
    assert (found["state"], found["alarm"], found["reason"]) == ("declared", ALARM, "deploy of 1.4")


@pytest.mark.parametrize(
    "rule", [{"Statistic": "Maximum"}, {"Period": 300}, {"Threshold": 2.0}, {"Statistic": "Average"}]
)
def test_an_alarm_that_a_window_would_not_turn_on_and_off_is_refused(
    cloudwatch: Any, now: FakeClock, capsys: pytest.CaptureFixture[str], rule: dict[str, Any]
) -> None:
    cloudwatch.put_metric_alarm(AlarmName=ALARM, **PLACE, **{**RULE, **rule})
    assert main([*HEAD, "--minutes", "5"], now) is Exit.REFUSED
    assert f"maintenance: {ALARM}: it must be on for a Sum of 1" in _flat(capsys.readouterr().err)
    assert declared(cloudwatch, now) == []


def test_a_job_without_alarms_is_refused_by_the_alarms_name(
    cloudwatch: Any, now: FakeClock, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = ["--env", "dev", "--job", "co2", "--reason", "r", "--minutes", "5"]
    assert main(wrong, now) is Exit.REFUSED
    assert "fanout-dev-co2-maintenance: there is no such alarm" in _flat(capsys.readouterr().err)
    assert main([*wrong, "--alarm", ALARM], now) is Exit.DONE


@pytest.mark.parametrize(
    ("option", "named"), [("--env", "../prod"), ("--env", ""), ("--job", ""), ("--job", "charge co2")]
)
def test_what_is_no_name_is_refused_before_aws_is_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], option: str, named: str
) -> None:
    monkeypatch.setattr(boto3, "client", lambda *_: pytest.fail("asked"))
    assert main([*HEAD, "--minutes", "5", option, named]) is Exit.REFUSED
    assert f"maintenance: {option}: 1 to 64 letters" in capsys.readouterr().err


@pytest.mark.parametrize("stopped", ["put_metric_data", "set_alarm_state"])
def test_what_ctrl_c_cut_off_is_finished_by_saying_it_again(
    cloudwatch: Any, now: FakeClock, monkeypatch: pytest.MonkeyPatch, stopped: str
) -> None:
    def interrupt(**_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(aws.cloudwatch(), stopped, interrupt)
        assert main([*HEAD, "--minutes", "5"], now) is Exit.INTERRUPTED
    assert main([*HEAD, "--minutes", "5"], now) is Exit.DONE
    assert declared(cloudwatch, now) == [0, 1, 2, 3, 4]
    assert state(cloudwatch)["StateValue"] == "ALARM"


def test_production_is_confirmed_by_its_name(
    cloudwatch: Any, now: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    prod = ["--env", "prod", "--job", "charge", "--alarm", ALARM, "--reason", "r", "--minutes", "5"]
    monkeypatch.setattr("sys.stderr", io.StringIO())
    assert main(prod, now) is Exit.REFUSED
    assert declared(cloudwatch, now) == []
    assert main([*prod, "--yes"], now) is Exit.DONE


@pytest.mark.parametrize(
    "wrong",
    [
        [*HEAD],
        [*HEAD, "--minutes", "0"],
        [*HEAD, "--minutes", "121"],
        [*HEAD, "--minutes", "soon"],
        [*HEAD, "--minutes", "5", "--end"],
        ["--env", "dev", "--job", "charge", "--minutes", "5"],
        ["--env", "dev", "--job", "charge", "--minutes", "5", "--reason", " "],
    ],
)
def test_wrong_use_ends_with_status_2(wrong: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(wrong)
    assert ended.value.code == 2


def _flat(text: str) -> str:
    return " ".join(text.split())
