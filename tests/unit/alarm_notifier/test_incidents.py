"""From alarms to Slack: one message an incident, whatever order and however often its alarms come."""

import itertools
import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from botocore.exceptions import EndpointConnectionError

from job_runtime import aws
from local.slack_stub import Fault
from tests.support.output import Output
from tests.support.slack import alarm, composite
from tests.unit.alarm_notifier.conftest import Bench

MINUTE = timedelta(minutes=1)


def test_an_alarm_is_one_message_with_all_that_is_needed(bench: Bench, output: Callable[[], Output]) -> None:
    assert bench.deliver(alarm("dlq-visible", bench.clock.now() - 3 * MINUTE)) == []
    (message,) = bench.slack.messages
    assert message.channel == "C0CRITICAL"
    for told in (
        "*charge*",
        "prod",
        "critical: dlq-visible",
        "5 ≥ 1",
        "since 2026-11-30 17:57 UTC (3 min)",
        "A charge failed for good.",
        "<https://runbooks.example.com/charge#dlq-visible|Runbook>",
        "<https://console.example.com/dashboards#charge|Dashboard>",
    ):
        assert told in message.text
    assert output().metrics == {"Notified": 1}


def test_the_same_notification_again_is_no_second_message(bench: Bench, output: Callable[[], Output]) -> None:
    body = alarm("dlq-visible", bench.clock.now())
    for _ in range(3):
        assert bench.deliver(body, body) == []
    assert len(bench.slack.messages) == 1
    assert bench.slack.requests == {"chat.postMessage": 1}
    assert output().metrics == {"Notified": 1, "Duplicate": 5}


def test_alarms_of_one_service_share_a_message_and_the_thread_tells_the_news(bench: Bench) -> None:
    at = bench.clock.now()
    bench.deliver(alarm("dlq-visible", at), alarm("function-errors", at, severity="warning"))
    bench.deliver(alarm("queue-stalled", at + MINUTE))
    (message,) = bench.slack.incidents()
    assert "critical: dlq-visible, queue-stalled, function-errors" in message.text
    (reply,) = bench.slack.replies(message)
    assert reply.text == "• raised: queue-stalled (5 ≥ 1)"


def test_services_have_messages_of_their_own(bench: Bench) -> None:
    other = alarm("dlq-visible", bench.clock.now()).replace("service: charge", "service: co2")
    bench.deliver(alarm("dlq-visible", bench.clock.now()), other.replace("prod-charge-", "prod-co2-"))
    assert len(bench.slack.incidents()) == 2


def test_an_incident_ends_with_its_last_alarm_and_the_next_one_is_another_message(bench: Bench) -> None:
    at = bench.clock.now()
    bench.deliver(alarm("dlq-visible", at), alarm("queue-stalled", at))
    bench.deliver(alarm("dlq-visible", at + MINUTE, "OK"))
    (message,) = bench.slack.incidents()
    assert ":rotating_light:" in message.text
    bench.clock.advance(600)
    bench.deliver(alarm("queue-stalled", at + 2 * MINUTE, "OK"))
    assert ":white_check_mark:" in message.text
    assert "over: " in message.text
    assert "to 2026-11-30 18:10 UTC (10 min)" in message.text
    bench.deliver(alarm("dlq-visible", at + 20 * MINUTE))
    assert len(bench.slack.incidents()) == 2


def test_an_alarm_that_follows_the_end_in_the_same_batch_goes_on_with_its_message(bench: Bench) -> None:
    at = bench.clock.now()
    bench.deliver(alarm("dlq-visible", at))
    bench.deliver(alarm("dlq-visible", at + MINUTE, "OK"), alarm("queue-stalled", at + 2 * MINUTE))
    (message,) = bench.slack.incidents()
    assert "critical: queue-stalled" in message.text
    assert "dlq-visible* · 5 ≥ 1 · over" in message.text


def test_an_ok_before_its_alarm_leaves_nothing_on_and_still_tells_that_it_was(bench: Bench) -> None:
    at = bench.clock.now()
    bench.deliver(alarm("dlq-visible", at + MINUTE, "OK"))
    assert bench.slack.messages == []
    bench.deliver(alarm("dlq-visible", at))
    (message,) = bench.slack.messages
    assert ":white_check_mark:" in message.text
    bench.deliver(alarm("dlq-visible", at))
    assert len(bench.slack.messages) == 1


def test_an_older_state_never_replaces_a_newer(bench: Bench) -> None:
    at = bench.clock.now()
    bench.deliver(alarm("dlq-visible", at + 2 * MINUTE))
    bench.deliver(alarm("dlq-visible", at + MINUTE, "OK"), alarm("dlq-visible", at))
    (message,) = bench.slack.messages
    assert ":rotating_light:" in message.text


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_every_order_of_arrival_ends_in_the_same_state(bench: Bench, order: tuple[int, ...]) -> None:
    at = bench.clock.now()
    bodies = [
        alarm("dlq-visible", at),
        alarm("dlq-visible", at + MINUTE, "OK"),
        alarm("queue-stalled", at + MINUTE),
        alarm("dlq-visible", at + 2 * MINUTE, value=9),
    ]
    for place in order:
        assert bench.deliver(bodies[place], bodies[place]) == []
    incidents = bench.slack.incidents()
    *ended, last = incidents
    assert all(":white_check_mark:" in message.text for message in ended)
    assert ":rotating_light:" in last.text
    assert "dlq-visible* · 9 ≥ 1" in last.text
    assert "queue-stalled* · 5 ≥ 1" in last.text


def test_a_graver_alarm_moves_the_incident_to_the_channel_of_its_severity(bench: Bench) -> None:
    at = bench.clock.now()
    bench.deliver(alarm("function-errors", at, severity="warning"))
    bench.deliver(alarm("dlq-visible", at))
    first, second = bench.slack.incidents()
    assert (first.channel, second.channel) == ("C0WARNING", "C0CRITICAL")
    assert first.text == ":rotating_light: This has become critical and goes on in <#C0CRITICAL>."
    bench.deliver(alarm("queue-stalled", at))
    assert len(bench.slack.incidents()) == 2
    assert len(bench.slack.replies(second)) == 1


def test_a_graver_alarm_in_the_same_channel_is_shown_to_all_of_it(bench: Bench) -> None:
    bench.use(SLACK_CHANNEL_WARNING="C0CRITICAL")
    at = bench.clock.now()
    bench.deliver(alarm("function-errors", at, severity="warning"))
    bench.deliver(alarm("dlq-visible", at))
    (message,) = bench.slack.incidents()
    assert [reply.payload["reply_broadcast"] for reply in bench.slack.replies(message)] == [True]
    bench.deliver(alarm("queue-stalled", at))
    assert [reply.payload["reply_broadcast"] for reply in bench.slack.replies(message)] == [True, False]


def test_a_composite_names_what_is_behind_it_with_value_and_threshold(bench: Bench) -> None:
    at = bench.clock.now()
    bench.cloudwatch.firing["prod-charge-dlq-visible"] = {
        "StateReasonData": json.dumps({"recentDatapoints": [2.0, 3.0, None], "threshold": 1.0}),
        "ComparisonOperator": "GreaterThanOrEqualToThreshold",
        "Threshold": 1.0,
        "StateTransitionedTimestamp": at - 5 * MINUTE,
    }
    bench.deliver(composite("broken", at))
    (message,) = bench.slack.messages
    assert ":rotating_light: *charge is broken* · prod · critical: dlq-visible\n" in message.text
    assert "◦ dlq-visible · 3 ≥ 1 · since 2026-11-30 17:55 UTC (5 min)" in message.text
    assert "queue-stalled" not in message.text
    assert bench.cloudwatch.asked == [["prod-charge-dlq-visible", "prod-charge-queue-stalled"]]
    bench.clock.advance(60)
    bench.deliver(composite("broken", at + MINUTE, "OK"))
    assert ":white_check_mark: *charge is no longer broken* · prod · over: after 1 min\n" in message.text
    assert "dlq-visible" not in message.text
    assert [reply.text for reply in bench.slack.replies(message)] == ["• charge is no longer broken"]


def test_a_composite_joins_an_incident_by_what_the_service_is(bench: Bench) -> None:
    at = bench.clock.now()
    bench.deliver(alarm("function-errors", at, severity="warning"))
    bench.deliver(composite("slow", at, severity="warning"))
    (message,) = bench.slack.incidents()
    assert "*charge is slow* · prod · warning: function-errors\n" in message.text
    assert [reply.text for reply in bench.slack.replies(message)] == ["• charge is slow"]


def test_what_is_over_says_no_longer_what_to_do(bench: Bench) -> None:
    at = bench.clock.now()
    bench.deliver(alarm("dlq-visible", at), alarm("queue-stalled", at))
    bench.deliver(alarm("dlq-visible", at + MINUTE, "OK"), alarm("queue-stalled", at + MINUTE, "OK"))
    (message,) = bench.slack.incidents()
    assert "A charge failed for good." not in message.text
    assert "#dlq-visible|Runbook>" in message.text


def test_of_many_alarms_the_subject_names_the_gravest(bench: Bench) -> None:
    at = bench.clock.now()
    names = ["a", "b", "c", "d", "e"]
    bench.deliver(alarm("warned", at, severity="warning"), *(alarm(name, at) for name in names))
    assert "critical: a, b, c and 3 more\n" in bench.slack.messages[0].text


def test_a_composite_is_told_although_cloudwatch_does_not_answer(
    bench: Bench, output: Callable[[], Output]
) -> None:
    bench.cloudwatch.broken = aws.dynamodb().exceptions.ClientError(
        {"Error": {"Code": "Throttling"}}, "DescribeAlarms"
    )
    assert bench.deliver(composite("broken", bench.clock.now())) == []
    assert "*charge is broken* · prod · critical\n" in bench.slack.messages[0].text
    assert [line["message"] for line in output().lines] == ["alarms not described"]


def test_an_alarm_that_was_deleted_while_on_does_not_keep_its_incident_open(bench: Bench) -> None:
    bench.deliver(alarm("dlq-visible", bench.clock.now()))
    bench.clock.advance(7200)
    bench.deliver(alarm("queue-stalled", bench.clock.now()))
    old, new = bench.slack.incidents()
    assert ":white_check_mark:" in old.text
    assert ":rotating_light:" in new.text
    assert "dlq-visible" not in new.text


def test_an_alarm_that_nobody_can_be_asked_for_stays_in_its_incident(bench: Bench) -> None:
    bench.deliver(alarm("dlq-visible", bench.clock.now()))
    bench.cloudwatch.broken = EndpointConnectionError(endpoint_url="https://monitoring")
    bench.clock.advance(7200)
    bench.deliver(alarm("queue-stalled", bench.clock.now()))
    assert "critical: dlq-visible, queue-stalled" in bench.slack.incidents()[0].text


def test_an_alarm_that_is_long_on_stays_in_its_incident(bench: Bench) -> None:
    bench.deliver(alarm("dlq-visible", bench.clock.now()))
    bench.cloudwatch.firing["prod-charge-dlq-visible"] = {}
    bench.clock.advance(7200)
    bench.deliver(alarm("queue-stalled", bench.clock.now()))
    (message,) = bench.slack.incidents()
    assert "dlq-visible* · 5 ≥ 1 · since 2026-11-30 18:00 UTC (2 h)" in message.text


def test_foreign_alarms_are_incidents_of_their_own_with_the_severity_of_their_topic(bench: Bench) -> None:
    bench.use(TOPIC_INFO="arn:aws:sns:ap-northeast-1:111122223333:prod-alerts-info")
    at = bench.clock.now()
    bench.deliver(
        alarm(
            "disk",
            at,
            AlarmDescription=None,
            AlarmActions=["arn:aws:sns:ap-northeast-1:111122223333:prod-alerts-info"],
        ),
        alarm("cpu", at, AlarmDescription="alarm: of somebody else\n\nhot", AlarmActions=[]),
    )
    disk, cpu = bench.slack.messages
    assert (disk.channel, cpu.channel) == ("C0INFO", "C0WARNING")
    assert "*prod-charge-disk*" in disk.text
    assert "Threshold Crossed" in disk.text
    assert "hot" in cpu.text


def test_an_alarm_without_data_is_over_and_says_so(bench: Bench) -> None:
    at = bench.clock.now()
    bench.deliver(alarm("dlq-visible", at))
    bench.deliver(alarm("dlq-visible", at + MINUTE, "INSUFFICIENT_DATA"))
    assert "no data any more" in bench.slack.incidents()[0].text


def test_what_began_and_ended_while_slack_was_down_is_told_once_it_is_up(bench: Bench) -> None:
    at = bench.clock.now()
    bench.slack.faults = {Fault.UNAVAILABLE: 1}
    first = [alarm("dlq-visible", at), alarm("dlq-visible", at + MINUTE, "OK")]
    for body in first:
        assert bench.deliver(body) == ["m0"]
    bench.slack.faults = {}
    assert bench.deliver(alarm("queue-stalled", at + 5 * MINUTE)) == []
    (message,) = bench.slack.incidents()
    assert "dlq-visible* · 5 ≥ 1 · over" in message.text
    assert "queue-stalled* · 5 ≥ 1 · since" in message.text
    assert bench.deliver(*first) == []
    assert len(bench.slack.incidents()) == 1


def test_a_message_that_a_person_deleted_is_posted_again(bench: Bench) -> None:
    at = bench.clock.now()
    bench.deliver(alarm("dlq-visible", at))
    bench.slack.delete(bench.slack.messages[0])
    assert bench.deliver(alarm("queue-stalled", at)) == []
    (message,) = bench.slack.messages
    assert "dlq-visible" in message.text


def test_a_deleted_message_of_the_milder_channel_is_no_obstacle(bench: Bench) -> None:
    at = bench.clock.now()
    bench.deliver(alarm("function-errors", at, severity="warning"))
    bench.slack.delete(bench.slack.messages[0])
    assert bench.deliver(alarm("dlq-visible", at)) == []
    assert [message.channel for message in bench.slack.messages] == ["C0CRITICAL"]


def test_what_is_long_over_is_forgotten(bench: Bench) -> None:
    at = bench.clock.now()
    for number in range(3):
        bench.deliver(alarm(f"a{number}", at), alarm(f"a{number}", at + MINUTE, "OK"))
    bench.clock.advance(16 * 86_400)
    bench.deliver(alarm("b", bench.clock.now()))
    assert set(bench.row()["situation"]["alarms"]) == {"prod-charge-b"}
