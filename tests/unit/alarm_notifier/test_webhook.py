"""With a webhook: a message when an incident begins, becomes graver, and ends."""

from datetime import timedelta

import pytest

from job_runtime import aws
from local.slack_stub import Fault
from tests.support.slack import alarm
from tests.unit.alarm_notifier.conftest import Bench

MINUTE = timedelta(minutes=1)


@pytest.fixture
def hook(bench: Bench) -> Bench:
    bench.store_secret(bench.slack.webhook)
    return bench


def signs(hook: Bench) -> list[str]:
    return [message.text.split()[0] for message in hook.slack.messages]


def test_begin_rise_and_end_are_told_and_nothing_between(hook: Bench) -> None:
    at = hook.clock.now()
    for body in (
        alarm("function-errors", at, severity="warning"),
        alarm("queue-depth", at, severity="warning"),
        alarm("dlq-visible", at),
        alarm("queue-stalled", at),
        alarm("dlq-visible", at + MINUTE, "OK"),
        alarm("queue-stalled", at + MINUTE, "OK"),
        alarm("queue-depth", at + MINUTE, "OK", severity="warning"),
        alarm("function-errors", at + MINUTE, "OK", severity="warning"),
    ):
        assert hook.deliver(body, body) == []
    assert signs(hook) == [":warning:", ":rotating_light:", ":white_check_mark:"]


def test_an_incident_that_was_over_before_it_was_told_is_one_message(hook: Bench) -> None:
    at = hook.clock.now()
    assert hook.deliver(alarm("dlq-visible", at), alarm("dlq-visible", at + MINUTE, "OK")) == []
    assert signs(hook) == [":white_check_mark:"]


@pytest.mark.parametrize("fault", [Fault.UNAVAILABLE, Fault.SLOW_DOWN, Fault.INVALID_AUTH])
def test_what_the_webhook_does_not_take_comes_back(hook: Bench, fault: Fault) -> None:
    hook.slack.faults = {fault: 1}
    body = alarm("dlq-visible", hook.clock.now())
    assert hook.deliver(body) == ["m0"]
    hook.slack.faults = {}
    assert hook.deliver(body) == []
    assert signs(hook) == [":rotating_light:"]


def test_from_webhook_to_token_the_incident_goes_on_in_its_channel(hook: Bench) -> None:
    at = hook.clock.now()
    hook.deliver(alarm("dlq-visible", at))
    hook.store_secret(f'{{"token": "{hook.slack.token}"}}')
    hook.clock.advance(300)
    hook.deliver(alarm("queue-stalled", at))
    assert [message.channel for message in hook.slack.messages] == ["webhook", "C0CRITICAL"]


def test_the_secret_may_be_in_secrets_manager(bench: Bench) -> None:
    aws.secretsmanager().create_secret(Name="slack", SecretString=bench.slack.webhook)
    bench.use(SLACK_PARAMETER="", SLACK_SECRET="slack")
    assert bench.deliver(alarm("dlq-visible", bench.clock.now())) == []
    assert signs(bench) == [":rotating_light:"]
