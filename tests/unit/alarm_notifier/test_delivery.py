"""At least once in, once out: faults of Slack, crashes, neighbours, and what can never be told."""

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError

from alarm_notifier.slack import WebApi
from alarm_notifier.store import BusyError
from job_runtime import aws
from job_runtime.visibility import Backoff
from local.slack_stub import RETRY_AFTER, Fault, SlackStub
from tests.support.lambda_context import FakeContext
from tests.support.output import Output
from tests.support.slack import alarm
from tests.support.sqs_events import STANDARD_ARN, sqs_event, sqs_record
from tests.terraform.modules import REPOSITORY
from tests.unit.alarm_notifier.conftest import PARAMETER, Bench

MINUTE = timedelta(minutes=1)
EVERY = 1


@pytest.mark.parametrize("fault", [Fault.UNAVAILABLE, Fault.SLOW_DOWN, Fault.TOOK_DROPS, Fault.INVALID_AUTH])
def test_what_slack_does_not_take_comes_back_and_is_told_once_it_does(
    bench: Bench, fault: Fault, output: Callable[[], Output]
) -> None:
    body = alarm("dlq-visible", bench.clock.now())
    bench.slack.faults = {fault: EVERY}
    for receives in (1, 2, 3):
        assert bench.deliver(body, receives=receives) == ["m0"]
    assert output().metrics["NotificationFailed"] == 3
    bench.slack.faults = {}
    assert bench.deliver(body, receives=4) == []
    assert len(bench.slack.messages) == 1
    assert output().metrics == {"Notified": 1, "Duplicate": 1}


def test_slack_says_when_to_come_back(bench: Bench) -> None:
    bench.slack.faults = {Fault.SLOW_DOWN: EVERY}
    bench.deliver(alarm("dlq-visible", bench.clock.now()))
    assert bench.pauses.asked == [RETRY_AFTER]


def test_the_pause_grows_to_a_quarter_of_an_hour(bench: Bench) -> None:
    bench.slack.faults = {Fault.UNAVAILABLE: EVERY}
    for receives in (1, 5, 9, 20):
        bench.deliver(alarm("dlq-visible", bench.clock.now()), receives=receives)
    *growing, longest = bench.pauses.asked
    assert growing == sorted(growing)
    assert longest >= 450  # the cap, less half of it for jitter
    assert max(bench.pauses.asked) <= 900


def test_the_receives_of_the_channel_s_queue_last_for_an_hour_at_the_least() -> None:
    text = (REPOSITORY / "modules" / "alert-channel" / "main.slack.tf").read_text(encoding="utf-8")
    receives = re.search(r"maximum_receive_count = (\d+)\n", text)
    assert receives is not None
    shortest = Backoff(uniform=lambda low, _high: low)
    assert sum(shortest.seconds(times) for times in range(1, int(receives[1]))) > 3600


def test_a_slack_that_cannot_be_reached_loses_nothing(bench: Bench) -> None:
    bench.use(SLACK_API_URL="http://127.0.0.1:9")
    body = alarm("dlq-visible", bench.clock.now())
    assert bench.deliver(body) == ["m0"]
    bench.use()
    assert bench.deliver(body) == []
    assert len(bench.slack.messages) == 1


def test_a_channel_that_is_not_there_is_an_error_in_the_log_and_no_loss(
    bench: Bench, output: Callable[[], Output]
) -> None:
    bench.use(SLACK_CHANNEL_CRITICAL="C0ELSEWHERE")
    assert bench.deliver(alarm("dlq-visible", bench.clock.now())) == ["m0"]
    (line,) = output().lines
    assert (line["level"], line["summary"]) == (
        "ERROR",
        "slack: chat.postMessage was refused: channel_not_found",
    )


@pytest.mark.parametrize("history", [True, False])
def test_a_message_that_was_taken_without_an_answer_is_found_again(bench: Bench, *, history: bool) -> None:
    bench.slack.history = history
    body = alarm("dlq-visible", bench.clock.now())
    bench.slack.faults = {Fault.TOOK_DROPS: EVERY}
    assert bench.deliver(body) == ["m0"]
    bench.slack.faults = {}
    assert bench.deliver(body) == []
    # Without the right to read the channel there is no telling: rather twice than not at all.
    assert len(bench.slack.messages) == (1 if history else 2)
    assert bench.deliver(alarm("queue-stalled", bench.clock.now())) == []
    assert len(bench.slack.incidents()) == (1 if history else 2)


def test_a_function_that_dies_after_slack_took_it_posts_no_second_message(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    post = WebApi.post

    def post_and_die(*arguments: Any, **named: Any) -> Any:
        post(*arguments, **named)
        raise SystemExit

    body = alarm("dlq-visible", bench.clock.now())
    with monkeypatch.context() as dying:
        dying.setattr(WebApi, "post", post_and_die)
        dying.setattr(type(bench.notifier.store), "release", lambda *_: None)
        with pytest.raises(SystemExit):
            bench.deliver(body)
    assert bench.deliver(body) == ["m0"], "the lease of the dead one still counts"
    bench.clock.advance(91)
    assert bench.deliver(body) == []
    assert len(bench.slack.messages) == 1


def test_while_one_tells_another_waits_and_one_message_results(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    post = WebApi.post
    answers: list[list[str]] = []
    at = bench.clock.now()

    def post_slowly(*arguments: Any, **named: Any) -> Any:
        monkeypatch.setattr(WebApi, "post", post)
        answers.append(bench.deliver(alarm("queue-stalled", at), alarm("dlq-visible", at)))
        return post(*arguments, **named)

    monkeypatch.setattr(WebApi, "post", post_slowly)
    assert bench.deliver(alarm("dlq-visible", at)) == []
    assert answers == [["m0", "m1"]]
    (message,) = bench.slack.incidents()
    assert "queue-stalled" in message.text, "the one that tells takes along what came meanwhile"
    assert bench.deliver(alarm("queue-stalled", at), alarm("dlq-visible", at)) == []
    assert len(bench.slack.incidents()) == 1


def test_a_lease_that_was_lost_stops_its_former_holder(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    post = WebApi.post
    body = alarm("dlq-visible", bench.clock.now())

    def post_too_slowly(*arguments: Any, **named: Any) -> Any:
        monkeypatch.setattr(WebApi, "post", post)
        posted = post(*arguments, **named)
        bench.clock.advance(91)
        assert bench.deliver(body) == []
        return posted

    monkeypatch.setattr(WebApi, "post", post_too_slowly)
    assert bench.deliver(body) == ["m0"]
    assert bench.deliver(body) == []
    assert len(bench.slack.messages) == 1


def test_two_folds_at_once_lose_neither(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    store = type(bench.notifier.store)
    save = store.save
    at = bench.clock.now()

    def save_late(*arguments: Any) -> None:
        monkeypatch.setattr(store, "save", save)
        bench.deliver(alarm("queue-stalled", at))
        save(*arguments)

    monkeypatch.setattr(store, "save", save_late)
    assert bench.deliver(alarm("dlq-visible", at)) == []
    assert "critical: dlq-visible, queue-stalled" in bench.slack.incidents()[0].text


def test_a_row_that_never_stands_still_hands_the_batch_back(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overtaken(*_: Any) -> None:
        raise BusyError("another delivery is at the same incident")

    monkeypatch.setattr(type(bench.notifier.store), "save", overtaken)
    assert bench.deliver(alarm("dlq-visible", bench.clock.now())) == ["m0"]
    assert bench.pauses.asked == [5]


def test_a_database_that_fails_hands_the_batch_back(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, output: Callable[[], Output]
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise ClientError({"Error": {"Code": "AccessDeniedException"}}, "UpdateItem")

    monkeypatch.setattr(aws.dynamodb(), "update_item", refuse)
    assert bench.deliver(alarm("dlq-visible", bench.clock.now())) == ["m0"]
    assert [(line["level"], line["summary"]) for line in output().lines] == [
        ("ERROR", "UpdateItem: AccessDeniedException")
    ]


def test_without_time_left_the_batch_goes_back_untouched(bench: Bench) -> None:
    class Ending(FakeContext):
        """Time for the first service only."""

        def get_remaining_time_in_millis(self) -> int:
            self.remaining -= 9_000
            return self.remaining

    at = bench.clock.now()
    bodies = [alarm("a", at), alarm("b", at).replace("service: charge", "service: co2")]
    records = [sqs_record(body, f"m{place}", arn=STANDARD_ARN) for place, body in enumerate(bodies)]
    answer = bench.notifier(sqs_event(*records), Ending(45_000))
    assert answer == {"batchItemFailures": [{"itemIdentifier": "m1"}]}
    assert bench.pauses.asked == [0]


@pytest.mark.parametrize(
    "body",
    [
        "hello",
        "[]",
        "null",
        "{}",
        '{"AlarmName": "a", "NewStateValue": "RED", "StateChangeTime": "2026-11-30T18:00:00.000+0000"}',
        '{"AlarmName": "a", "NewStateValue": "OK", "StateChangeTime": "yesterday"}',
        '{"kind": "error-lines", "service": "charge"}',
        '{"kind": "other", "service": "charge"}',
        "[" * 100_000,
        '{"AlarmName": "a", "NewStateValue": "OK", "StateChangeTime": "0001-01-01T00:00:00+09:00"}',
        '{"AlarmName": "a", "NewStateValue": "OK", "StateChangeTime": "2026-11-30T18:00:00Z", "Trigger": '
        '{"MetricName": "m", "Threshold": 1e999, "Period": 60, "Statistic": "MAXIMUM"}, "AlarmActions": 7}',
    ],
)
def test_an_unreadable_message_is_told_kept_and_not_tried_for_ever(
    bench: Bench, body: str, output: Callable[[], Output]
) -> None:
    assert bench.deliver(body, alarm("dlq-visible", bench.clock.now())) == []
    assert bench.drain(bench.dead) == [body]
    texts = "\n".join(message.text for message in bench.slack.messages)
    assert "a message could not be read" in texts
    assert "dlq-visible" in texts
    assert output().metrics["Unreadable"] == 1


def test_an_unreadable_message_says_why_in_the_dead_letter_queue(bench: Bench) -> None:
    bench.deliver("hello")
    (message,) = aws.sqs().receive_message(QueueUrl=bench.dead, MessageAttributeNames=["All"])["Messages"]
    told = {name: value["StringValue"] for name, value in message["MessageAttributes"].items()}
    assert told["failure_class"] == "malformed"
    assert told["summary"] == "body: must be JSON"
    assert told["source_message_id"] == "m0"


def test_an_event_of_somebody_else_is_refused(bench: Bench) -> None:
    with pytest.raises(ValueError, match="batch of SQS records"):
        bench.notifier({"Records": [{"eventSource": "aws:sns"}]}, FakeContext())


def test_a_changed_token_is_taken_up_after_slack_has_refused_the_old_one(bench: Bench) -> None:
    bench.deliver(alarm("dlq-visible", bench.clock.now()))
    bench.slack.token = "xoxb-new"
    bench.store_secret('{"token": "xoxb-new"}')
    assert bench.deliver(alarm("queue-stalled", bench.clock.now())) == []
    assert "queue-stalled" in bench.slack.incidents()[0].text


def test_the_secret_is_read_every_five_minutes_only(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    get = aws.ssm().get_parameter

    def counted(**arguments: Any) -> Any:
        reads.append(arguments["Name"])
        return get(**arguments)

    monkeypatch.setattr(aws.ssm(), "get_parameter", counted)
    for number in range(4):
        bench.deliver(alarm(f"a{number}", bench.clock.now()))
        bench.clock.advance(150)
    assert reads == [PARAMETER, PARAMETER]


def test_the_credentials_are_nowhere(bench: Bench, slack: SlackStub, output: Callable[[], Output]) -> None:
    body = alarm("dlq-visible", bench.clock.now())
    for fault in Fault:
        if fault is not Fault.TOOK_HANGS:
            slack.faults = {fault: EVERY}
            bench.deliver(body)
    bench.store_secret(slack.webhook)
    bench.use()
    bench.deliver(body)
    bench.use(SLACK_API_URL="http://127.0.0.1:9")
    bench.store_secret("neither one nor the other")
    bench.deliver(body)
    everything = output().text + json.dumps(bench.row()) + repr(vars(bench.notifier))
    for secret in (slack.token, slack.webhook, "/services/", "neither one nor the other"):
        assert secret not in everything


def test_a_secret_that_is_neither_says_what_to_store(bench: Bench, output: Callable[[], Output]) -> None:
    bench.store_secret("hunter2")
    assert bench.deliver(alarm("dlq-visible", bench.clock.now())) == ["m0"]
    (line,) = output().lines
    assert line["level"] == "ERROR"
    assert line["summary"].startswith("the Slack secret must hold a webhook's URL")
    assert "hunter2" not in json.dumps(line)
