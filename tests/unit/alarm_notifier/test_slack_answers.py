"""What Slack's answers mean: try again, give up the credentials, or nothing that another try would help."""

import json
from collections.abc import Mapping
from typing import Any, cast

import pytest

from alarm_notifier.slack import (
    CredentialsRefusedError,
    IncomingWebhook,
    MessageGoneError,
    Posted,
    SlackRefusedError,
    SlowDownError,
    WebApi,
)
from job_runtime.failures import UnknownOutcomeError
from job_runtime.outside_http import Answer, OutsideApi


class Answering:
    """An API that always says the same."""

    def __init__(self, status: int, body: Any, headers: Mapping[str, str] | None = None) -> None:
        content = body if isinstance(body, str) else json.dumps(body)
        self._answer = Answer(status, headers or {}, content.encode())

    def request(self, *_: Any) -> Answer:
        return self._answer


def post(status: int, body: Any, headers: Mapping[str, str] | None = None) -> Posted:
    api = cast("OutsideApi", Answering(status, body, headers))
    return WebApi(api, "xoxb-1").post("C0", {"text": "a"}, incident="i")


@pytest.mark.parametrize(
    ("status", "body", "error", "told"),
    [
        (503, "", UnknownOutcomeError, "HTTP 503 to chat.postMessage does not say"),
        (200, "<html>", UnknownOutcomeError, "is no JSON object"),
        (200, "[]", UnknownOutcomeError, "is no JSON object"),
        (200, {"ok": True}, UnknownOutcomeError, "names no message"),
        (200, {"ok": False, "error": "internal_error"}, UnknownOutcomeError, "internal_error"),
        (200, {"ok": False, "error": "message_not_found"}, MessageGoneError, "message_not_found"),
        (200, {"ok": False, "error": "token_revoked"}, CredentialsRefusedError, "token_revoked"),
        (200, {"ok": False, "error": "is_archived"}, SlackRefusedError, "is_archived"),
        (200, {"ok": False}, SlackRefusedError, "HTTP 200"),
        (404, {}, SlackRefusedError, "HTTP 404"),
    ],
)
def test_an_answer_that_is_no_success(status: int, body: Any, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        post(status, body)


@pytest.mark.parametrize(
    ("status", "body", "headers", "seconds"),
    [
        (429, "", {"retry-after": "12"}, 12),
        (429, "", {"retry-after": "0"}, 1),
        (429, "", {"retry-after": "999999"}, 3600),
        (429, "", {"retry-after": "soon"}, 30),
        (429, "", {}, 30),
        (200, {"ok": False, "error": "ratelimited"}, {"retry-after": "3"}, 3),
    ],
)
def test_slowing_down_takes_the_time_that_slack_asks_for(
    status: int, body: Any, headers: dict[str, str], seconds: int
) -> None:
    with pytest.raises(SlowDownError) as slow:
        post(status, body, headers)
    assert slow.value.seconds == seconds


@pytest.mark.parametrize(
    ("status", "body", "error", "told"),
    [
        (403, "invalid_token", CredentialsRefusedError, "webhook was refused: invalid_token"),
        (404, "no_service", CredentialsRefusedError, "no_service"),
        (410, "channel_is_archived", SlackRefusedError, "channel_is_archived"),
        (
            302,
            "<a href=https://hooks.slack.com/x>",
            SlackRefusedError,
            "webhook was refused: HTTP 302",
        ),
        (500, "no", UnknownOutcomeError, "HTTP 500 to webhook"),
    ],
)
def test_an_answer_to_a_webhook_that_is_no_success(
    status: int, body: str, error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told) as refused:
        IncomingWebhook(cast("OutsideApi", Answering(status, body))).post({"text": "a"})
    assert "https" not in str(refused.value)
