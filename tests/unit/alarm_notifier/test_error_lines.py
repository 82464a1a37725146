"""Error lines: counted by kind, in the incident of their service, and over when it has been quiet."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from job_runtime.envelope import MalformedMessageError
from local.slack_stub import Fault
from tests.support.lambda_context import FakeContext
from tests.support.output import Output
from tests.support.slack import alarm, error_line, log_event
from tests.unit.alarm_notifier.conftest import OWN_LOG_GROUP, Bench

QUIET = 900
REQUEST = "3f1c2b1a-0000-4000-8000-0123456789ab"
MINUTE = timedelta(minutes=1)


def settle(bench: Bench, seconds: float = QUIET) -> None:
    """Let time pass, and the looks that were asked for come."""
    bench.clock.advance(seconds)
    assert bench.deliver('{"kind": "quiet-check", "service": "charge"}') == []


def test_lines_that_say_the_same_are_one_with_a_count(bench: Bench) -> None:
    lines = [error_line(f"attempt {number} failed") for number in range(40)]
    assert bench.log(log_event(*lines, error_line("not quarantined"))) == []
    (message,) = bench.slack.messages
    assert message.channel == "C0WARNING"
    assert "warning: 41 errors in the log" in message.text
    assert "40x prod-charge-consumer: attempt 0 failed" in message.text
    assert "1x prod-charge-consumer: not quarantined" in message.text


def test_a_later_batch_adds_to_the_count_and_is_no_message_of_its_own(bench: Bench) -> None:
    bench.log(log_event(error_line("attempt 1 failed")))
    (message,) = bench.slack.messages
    assert "1x prod-charge-consumer: attempt 1 failed · 2026-11-30 18:00 UTC\n" in message.text
    bench.clock.advance(180)
    bench.log(log_event(error_line("attempt 2 failed"), stream="other"))
    assert len(bench.slack.messages) == 1
    last = "2026-11-30 18:00 to 2026-11-30 18:03 UTC"
    assert f"2x prod-charge-consumer: attempt 1 failed · {last}\n" in message.text


@pytest.mark.parametrize(
    "odd",
    [
        '{"level": "ERROR", "message": {"x": NaN}}',
        '{"level": "ERROR", "message": {"x": 1e999}}',
        '{"level": "ERROR", "message": ' + "[" * 400 + "]" * 400 + "}",
        '{"level": "ERROR", "message": ' + "[" * 2000 + "]" * 2000 + "}",
        '{"level": "ERROR", "message": ' + "9" * 5000 + "}",
    ],
)
def test_an_odd_line_takes_no_other_line_with_it(bench: Bench, odd: str) -> None:
    assert bench.log(log_event(odd, error_line("not quarantined"))) == []
    texts = "\n".join(message.text for message in bench.slack.messages)
    assert "1x prod-charge-consumer: not quarantined" in texts


def test_the_same_delivery_again_is_not_counted_twice(bench: Bench, output: Callable[[], Output]) -> None:
    event = log_event(error_line("a"))
    for _ in range(3):
        bench.log(event)
    assert "1x prod-charge-consumer: a" in bench.slack.messages[0].text
    assert output().metrics["Duplicate"] == 2


def test_lines_join_the_incident_that_is_on(bench: Bench) -> None:
    bench.deliver(alarm("dlq-visible", bench.clock.now()))
    bench.log(log_event(error_line("not quarantined")))
    (message,) = bench.slack.incidents()
    assert "critical: dlq-visible" in message.text
    assert "1x prod-charge-consumer: not quarantined" in message.text
    assert [reply.text for reply in bench.slack.replies(message)] == [
        "• error: prod-charge-consumer: not quarantined"
    ]


def test_an_incident_of_lines_only_ends_after_a_quiet_time(bench: Bench) -> None:
    bench.log(log_event(error_line("a")))
    settle(bench, 600)
    bench.log(log_event(error_line("a"), stream="later"))
    settle(bench, 600)
    (message,) = bench.slack.incidents()
    assert ":warning:" in message.text
    settle(bench, 300)
    assert ":white_check_mark:" in message.text
    assert "2x prod-charge-consumer: a" in message.text
    settle(bench)
    bench.log(log_event(error_line("a"), stream="a day later"))
    assert len(bench.slack.incidents()) == 2


def test_the_look_is_asked_for_before_the_lines_are_kept(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(bench.notifier.sqs, "send_message", lambda **entry: sent.append(entry))
    bench.notifier(log_event(error_line("a")), FakeContext())
    bench.slack.faults = {Fault.UNAVAILABLE: 1}
    assert bench.deliver(sent[0]["MessageBody"]) == ["m0"]
    assert json.loads(sent[1]["MessageBody"]) == {"kind": "quiet-check", "service": "charge"}
    assert sent[1]["DelaySeconds"] == QUIET


def test_an_incident_lasts_as_long_as_its_lines_or_its_alarms(bench: Bench) -> None:
    at = bench.clock.now()
    bench.deliver(alarm("dlq-visible", at))
    bench.log(log_event(error_line("a")))
    bench.deliver(alarm("dlq-visible", at + MINUTE, "OK"))
    assert ":rotating_light:" in bench.slack.incidents()[0].text
    settle(bench)
    assert ":white_check_mark:" in bench.slack.incidents()[0].text


def test_a_critical_line_makes_the_incident_critical(bench: Bench) -> None:
    bench.log(log_event(error_line("a"), error_line("b", level="CRITICAL")))
    assert bench.slack.messages[0].channel == "C0CRITICAL"


def test_what_only_mentions_an_error_is_none(bench: Bench) -> None:
    assert bench.log(log_event(error_line("ERROR in 0 of 5", level="INFO"), '{"text": "ERROR"}')) == []
    assert bench.slack.messages == []


def test_own_lines_and_control_messages_are_none(bench: Bench) -> None:
    bench.log(log_event(error_line("a"), group=OWN_LOG_GROUP))
    bench.log(log_event("CWL CONTROL MESSAGE: Checking health", kind="CONTROL_MESSAGE"))
    assert bench.slack.messages == []


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (
            f"2026-11-30T18:00:00.123Z {REQUEST} Task timed out after 60.06 seconds\n\n",
            "Task timed out after 60.06 seconds",
        ),
        (f"[ERROR]\t2026-11-30T18:00:00.123Z\t{REQUEST}\tno way", "no way"),
        ("[ERROR] KeyError: 'amount'\nTraceback (most recent call last):\n …", "KeyError: 'amount'"),
        (
            f"RequestId: {REQUEST} Error: Runtime exited with error: signal: killed",
            "Error: Runtime exited with error: signal: killed",
        ),
        ("[ERROR]", "no message"),
        (json.dumps({"level": "ERROR", "errorType": "KeyError", "errorMessage": "'a'"}), "'a': KeyError"),
        (json.dumps({"level": "ERROR", "message": {"what": 1}}), '{"what":1}'),
    ],
)
def test_lines_without_a_service_are_an_incident_of_their_function(
    bench: Bench, line: str, shown: str
) -> None:
    bench.log(log_event(line))
    (message,) = bench.slack.messages
    assert "*prod-charge-consumer*" in message.text
    assert f"1x prod-charge-consumer: {shown}" in message.text


def test_a_flood_of_texts_that_differ_stays_one_readable_message(bench: Bench) -> None:
    words = [f"{chr(97 + a)}{chr(97 + b)}" for a in range(20) for b in range(20)]
    lines = [error_line(word * 100) for word in words]
    assert bench.log(log_event(*lines)) == []
    assert bench.log(log_event(error_line("one more kind"), stream="s2")) == []
    (message,) = bench.slack.incidents()
    assert "401 errors in the log" in message.text
    assert "other errors" in message.text
    assert len(bench.row()["situation"]["errors"]) <= 21


@pytest.mark.parametrize("data", ["", "!", "AAAA", None, {"data": 1}])
def test_a_delivery_that_cannot_be_read_is_told_and_kept_by_lambda(bench: Bench, data: Any) -> None:
    event = {"awslogs": {"data": data}}
    for _ in range(3):
        with pytest.raises(MalformedMessageError, match=r"awslogs.data: must be base64 of gzip of JSON"):
            bench.notifier(event, FakeContext())
    assert bench.deliver(*bench.drain()) == []
    (message,) = bench.slack.messages
    assert "1x alerts: a delivery of log lines could not be read" in message.text
