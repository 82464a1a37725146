"""The automatic redrive: what it puts back, what it leaves to a person, when it waits."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from dlq_redriver.redriver import Redriver
from dlq_redriver.wiring import build
from job_runtime import aws
from job_runtime.config import ConfigurationError, Settings
from tests.support.clock import FakeClock
from tests.support.lambda_context import FakeContext
from tests.support.output import Output
from tests.support.queues import Sqs

QUEUE, DEAD = "https://sqs/1/charge.fifo", "https://sqs/1/charge-dlq.fifo"
ENVIRONMENT = {
    "JOB_NAME": "charge",
    "QUEUE_URL": QUEUE,
    "DLQ_URL": DEAD,
    "ALARM_NAMES": "consumer-errors, charging-is-broken",
}


class Alarms:
    """CloudWatch, with two alarms: states by name, and when they changed."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        long_ago = clock.now() - timedelta(days=1)
        self.states: dict[str, tuple[str, datetime]] = {
            "consumer-errors": ("OK", long_ago),
            "charging-is-broken": ("INSUFFICIENT_DATA", long_ago),
        }

    def describe_alarms(
        self,
        *,
        AlarmNames: list[str],  # noqa: N803 - boto3's names
        AlarmTypes: list[str],  # noqa: N803
        MaxRecords: int = 50,  # noqa: N803
    ) -> dict[str, Any]:
        assert AlarmTypes == ["MetricAlarm", "CompositeAlarm"]
        assert len(AlarmNames) <= 100
        assert MaxRecords <= 100
        alarms = [
            {
                "AlarmName": name,
                "StateValue": state,
                "StateTransitionedTimestamp": since,
                "StateUpdatedTimestamp": self.clock.now(),
            }
            for name, (state, since) in self.states.items()
            if name in AlarmNames
        ][:MaxRecords]
        return {"MetricAlarms": alarms[:1], "CompositeAlarms": alarms[1:]}


@pytest.fixture
def sqs(clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> Sqs:
    client = Sqs(clock, "charge.fifo", "charge-dlq.fifo")
    monkeypatch.setattr(aws, "sqs", lambda: client)
    return client


@pytest.fixture
def alarms(clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> Alarms:
    client = Alarms(clock)
    monkeypatch.setattr(aws, "cloudwatch", lambda: client)
    return client


Make = Callable[..., Redriver]


@pytest.fixture
def make(clock: FakeClock, sqs: Sqs, alarms: Alarms) -> Make:
    return lambda **more: build(Settings({**ENVIRONMENT, **more}), clock)


def bury(sqs: Sqs, name: str, failure: str | None, **more: str) -> None:
    texts = {"failure_class": failure, **more} if failure else more
    sqs.send_message(
        QueueUrl=DEAD,
        MessageBody=json.dumps({"idempotency_key": name, "holder": "Taro Yamada"}),
        MessageGroupId="g",
        MessageDeduplicationId=f"{name}{len(sqs.calls)}",
        MessageAttributes={key: {"DataType": "String", "StringValue": value} for key, value in texts.items()},
    )


def names(sqs: Sqs, url: str) -> list[str]:
    return [json.loads(body)["idempotency_key"] for body in sqs.queues[url].bodies()]


EVENT = {"job": "charge"}


def test_what_passes_is_put_back_and_the_rest_waits_for_a_person(
    make: Make, sqs: Sqs, clock: FakeClock
) -> None:
    for name, failure in (
        ("r1", "rejected"),
        ("t1", "transient"),
        ("m1", "malformed"),
        ("x1", None),
        ("u1", "unknown"),
        ("h1", "halted"),
    ):
        bury(sqs, name, failure)
    clock.advance(901)
    answer = make()(EVENT, FakeContext())
    assert names(sqs, QUEUE) == ["t1", "x1"]
    assert names(sqs, DEAD) == ["r1", "m1", "u1", "h1"]
    assert answer == {
        "redriven": 2,
        "by_class": {"transient": 1, "exhausted": 1},
        "capped": 0,
        "failed": 0,
        "left": 4,
    }
    assert make(REDRIVE_CLASSES="unknown")(EVENT, FakeContext())["redriven"] == 1


def test_a_message_is_redriven_no_more_often_than_allowed_and_then_alarms(
    make: Make, sqs: Sqs, clock: FakeClock, output: Callable[[], Output]
) -> None:
    bury(sqs, "k3", "transient", redrives="3")
    bury(sqs, "k2", "transient", redrives="2")
    clock.advance(86_400)
    assert make()(EVENT, FakeContext())["capped"] == 1
    assert names(sqs, QUEUE) == ["k2"]
    printed = output()
    assert printed.metrics == {"Redriven": 1, "RedriveCapReached": 1}
    assert printed.dimensions == {(("service", "charge"),)}
    (capped,) = [line for line in printed.lines if line["message"] == "redriven as often as allowed"]
    assert (capped["level"], capped["idempotency_keys"]) == ("ERROR", ["k3"])


@pytest.mark.parametrize(("redrives", "seconds"), [(0, 900), (1, 1800), (2, 3600)])
def test_each_redrive_is_followed_by_a_longer_pause(
    make: Make, sqs: Sqs, clock: FakeClock, redrives: int, seconds: int
) -> None:
    bury(sqs, "k", "transient", redrives=str(redrives))
    clock.advance(seconds - 1)
    assert make()(EVENT, FakeContext())["redriven"] == 0
    clock.advance(1)
    assert make()(EVENT, FakeContext())["redriven"] == 1


@pytest.mark.parametrize("name", ["consumer-errors", "charging-is-broken"])
def test_nothing_is_touched_while_an_alarm_is_on_or_was_until_just_now(
    make: Make, sqs: Sqs, alarms: Alarms, clock: FakeClock, name: str
) -> None:
    bury(sqs, "k", "transient")
    clock.advance(3600)
    alarms.states[name] = ("ALARM", clock.now() - timedelta(days=1))
    sqs.calls.clear()
    assert make()(EVENT, FakeContext()) == {"redriven": 0, "waiting": f"{name} is on"}
    alarms.states[name] = ("OK", clock.now())
    clock.advance(899)
    assert make()(EVENT, FakeContext())["waiting"] == f"{name} changed less than 900 s ago"
    assert sqs.calls == []
    clock.advance(1)
    assert make()(EVENT, FakeContext())["redriven"] == 1


def test_an_alarm_that_does_not_exist_stops_it(make: Make, alarms: Alarms) -> None:
    del alarms.states["consumer-errors"]
    with pytest.raises(ConfigurationError, match="consumer-errors must exist"):
        make()(EVENT, FakeContext())


def test_every_one_of_many_alarms_counts(make: Make, sqs: Sqs, alarms: Alarms, clock: FakeClock) -> None:
    bury(sqs, "k", "transient")
    clock.advance(3600)
    many = [f"a{number:03}" for number in range(120)]
    alarms.states = dict.fromkeys(many, ("OK", clock.now() - timedelta(days=1)))
    alarms.states["a119"] = ("ALARM", clock.now())
    redriver = make(ALARM_NAMES=",".join(many))
    assert redriver(EVENT, FakeContext())["waiting"] == "a119 is on"
    alarms.states["a119"] = ("OK", clock.now() - timedelta(days=1))
    assert redriver(EVENT, FakeContext())["redriven"] == 1


def test_a_run_that_ends_in_an_error_has_written_what_it_put_back(
    make: Make, sqs: Sqs, clock: FakeClock, output: Callable[[], Output], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(12):
        bury(sqs, f"k{number:02}", "transient")
    clock.advance(3600)
    receive = sqs.receive_message

    def denied_at_last(**request: Any) -> dict[str, Any]:
        if len(sqs.queues[QUEUE].messages) == 10:
            raise ConnectionError("AWS is gone")
        return receive(**request)

    monkeypatch.setattr(sqs, "receive_message", denied_at_last)
    with pytest.raises(ConnectionError):
        make()(EVENT, FakeContext())
    printed = output()
    (line,) = [line for line in printed.lines if line["message"] == "redrive"]
    assert line["idempotency_keys"] == [f"k{number:02}" for number in range(10)]
    assert printed.metrics == {"Redriven": 10}


def test_a_run_has_a_limit_and_a_rate(make: Make, sqs: Sqs, clock: FakeClock) -> None:
    for number in range(30):
        bury(sqs, f"k{number:02}", "transient")
    clock.advance(3600)
    before = clock.monotonic()
    assert make(REDRIVE_LIMIT="20", REDRIVE_RATE="2")(EVENT, FakeContext())["redriven"] == 20
    assert clock.monotonic() - before >= 19 / 2
    assert names(sqs, QUEUE) == [f"k{number:02}" for number in range(20)]


def test_it_stops_in_time(make: Make, sqs: Sqs, clock: FakeClock) -> None:
    bury(sqs, "k", "transient")
    clock.advance(3600)
    assert make()(EVENT, FakeContext(remaining=20_000))["redriven"] == 0
    assert make()(EVENT, FakeContext(remaining=20_001))["redriven"] == 1


def test_it_writes_what_it_did_and_nothing_personal(
    make: Make, sqs: Sqs, clock: FakeClock, output: Callable[[], Output]
) -> None:
    bury(sqs, "k", "transient")
    clock.advance(3600)
    make()(EVENT, FakeContext())
    printed = output()
    (line,) = [line for line in printed.lines if line["message"] == "redrive"]
    assert (line["idempotency_keys"], line["redriven"], line["left"]) == (["k"], 1, 0)
    assert "Taro" not in printed.text


def test_what_sqs_refuses_is_counted_and_stays(
    make: Make, sqs: Sqs, clock: FakeClock, output: Callable[[], Output]
) -> None:
    bury(sqs, "k", "transient")
    clock.advance(3600)
    sqs.refusing[sqs.queues[DEAD].bodies()[0]] = 5
    assert make()(EVENT, FakeContext())["failed"] == 1
    assert names(sqs, DEAD) == ["k"]
    assert output().metrics == {"RedriveFailed": 1}


@pytest.mark.parametrize("event", [{}, {"job": "co2"}])
def test_another_jobs_event_is_refused(make: Make, event: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be charge"):
        make()(event, FakeContext())


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"ALARM_NAMES": ""}, "ALARM_NAMES"),
        ({"ALARM_NAMES": " , "}, "ALARM_NAMES"),
        ({"REDRIVE_CLASSES": "transient,rejected"}, "REDRIVE_CLASSES must be some of: transient"),
        ({"REDRIVE_CLASSES": "malformed"}, "REDRIVE_CLASSES"),
        ({"REDRIVE_CLASSES": "halted"}, "REDRIVE_CLASSES"),
        ({"REDRIVE_CLASSES": ","}, "REDRIVE_CLASSES"),
        ({"MAX_REDRIVES": "0"}, "MAX_REDRIVES"),
        ({"MAX_REDRIVES": "21"}, "MAX_REDRIVES"),
        ({"PAUSE_SECONDS": "-1"}, "PAUSE_SECONDS"),
        ({"REDRIVE_LIMIT": "1001"}, "REDRIVE_LIMIT"),
        ({"REDRIVE_RATE": "0"}, "REDRIVE_RATE"),
        ({"ON_QUARANTINE": "halt-group"}, "ON_QUARANTINE must be continue"),
    ],
)
def test_a_wrong_setting_stops_it_by_name(make: Make, change: dict[str, str], named: str) -> None:
    with pytest.raises(ConfigurationError, match=named):
        make(**change)
