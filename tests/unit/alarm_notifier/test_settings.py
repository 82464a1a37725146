"""The environment of the notifier: a wrong one stops it by name, at cold start."""

import re

import pytest

from alarm_notifier.credentials import Bot, CredentialsError, Webhook, parse
from job_runtime.config import ConfigurationError
from job_runtime.failures import TransientError, UnknownOutcomeError
from job_runtime.outside_http import OutsideApi
from local.slack_stub import Fault, SlackStub
from tests.support.slack import alarm
from tests.unit.alarm_notifier.conftest import PARAMETER, Bench


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"CHANNEL_TABLE": ""}, "CHANNEL_TABLE is not set"),
        ({"ENVIRONMENT": ""}, "ENVIRONMENT is not set"),
        ({"QUEUE_URL": "alerts"}, "QUEUE_URL must be an absolute URL"),
        ({"DLQ_URL": ""}, "DLQ_URL is not set"),
        ({"QUIET_SECONDS": "901"}, "QUIET_SECONDS must be a whole number from 1 to 900"),
        ({"LEASE_SECONDS": "1"}, "LEASE_SECONDS must be a whole number from 2 to 960"),
        ({"SLACK_PARAMETER": ""}, "SLACK_PARAMETER, SLACK_SECRET: exactly one must be set"),
        ({"SLACK_SECRET": "s", "SLACK_PARAMETER": PARAMETER}, "exactly one must be set"),
        ({"SLACK_API_URL": "http://slack.example.com/api"}, "SLACK_API_URL must be https"),
    ],
)
def test_a_wrong_variable_is_named(bench: Bench, given: dict[str, str], told: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(told)):
        bench.build(**given)


def test_a_token_needs_a_channel_for_each_severity(bench: Bench) -> None:
    bench.use(SLACK_CHANNEL_INFO="")
    assert bench.deliver(alarm("a", bench.clock.now())) == ["m0"]
    with pytest.raises(ConfigurationError, match="SLACK_CHANNEL_INFO is not set"):
        bench.notifier.voice()
    bench.store_secret(bench.slack.webhook)
    bench.use(SLACK_CHANNEL_INFO="")
    assert bench.deliver(alarm("a", bench.clock.now())) == []


def test_slack_s_own_address_is_the_default(bench: Bench) -> None:
    assert bench.build(SLACK_API_URL="").voice() is not None


@pytest.mark.parametrize(
    ("text", "credentials"),
    [
        (' {"token": "xoxb-1"}\n', Bot("xoxb-1")),
        ("https://hooks.slack.com/services/T/B/x\n", Webhook("https://hooks.slack.com/services/T/B/x")),
        ("http://127.0.0.1:1/x", Webhook("http://127.0.0.1:1/x")),
    ],
)
def test_a_secret_is_a_token_or_a_webhook(text: str, credentials: Bot | Webhook) -> None:
    assert parse(text) == credentials


@pytest.mark.parametrize(
    "text",
    [
        "",
        "xoxb-1",
        "{",
        "{}",
        '{"token": 1}',
        '{"token": "a\\nb"}',
        "http://hooks.slack.com/x",
        "https://",
        "https://h:99999/x",
        "https://[/x",
        "file:///etc/passwd",
    ],
)
def test_any_other_secret_is_refused_without_being_shown(text: str) -> None:
    with pytest.raises(CredentialsError) as refused:
        parse(text)
    assert len(text) < 9 or text not in str(refused.value), "its own words may hold a few characters"


def test_credentials_do_not_show_themselves() -> None:
    assert "xoxb" not in repr(Bot("xoxb-1"))
    assert "hooks" not in repr(Webhook("https://hooks.slack.com/x"))


def test_a_slack_that_hangs_is_not_waited_for_without_end(slack: SlackStub) -> None:
    slack.faults = {Fault.TOOK_HANGS: 1}
    with pytest.raises(UnknownOutcomeError, match="slack: no answer from the API"):
        OutsideApi("slack", slack.api, timeout=0.05).request("POST", "/chat.postMessage", {}, "{}")


def test_an_address_that_nobody_listens_on_has_taken_nothing() -> None:
    with pytest.raises(TransientError, match="slack: the API cannot be reached; nothing was sent") as refused:
        OutsideApi("slack", "http://127.0.0.1:9/services/secret").request("POST", "", {})
    assert "secret" not in str(refused.value)
