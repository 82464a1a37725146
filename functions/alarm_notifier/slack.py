"""Slack's two doors: a bot's Web API, which knows its messages again, and an incoming webhook, which does
not.

Documented by Slack: chat.postMessage, chat.update, conversations.history, incoming webhooks, rate limits.
"""

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from job_runtime.failures import TransientError, UnknownOutcomeError
from job_runtime.outside_http import Answer, OutsideApi

METADATA_EVENT: Final = "fanout_once_incident"
_FORM: Final = {"Content-Type": "application/json; charset=utf-8"}
_CREDENTIALS: Final = frozenset(
    {
        "account_inactive",
        "invalid_auth",
        "invalid_token",
        "no_service",
        "not_authed",
        "token_expired",
        "token_revoked",
    }
)
_PASSING: Final = frozenset(
    {
        "fatal_error",
        "internal_error",
        "request_timeout",
        "rollup_error",
        "service_unavailable",
        "team_added_to_org",
    }
)
_LIMITED: Final = frozenset({"ratelimited", "rate_limited", "message_limit_exceeded"})
_GONE: Final = frozenset({"cant_update_message", "edit_window_closed", "message_not_found"})
_PAUSE: Final = 30
_LONGEST_PAUSE: Final = 3600

Payload = Mapping[str, Any]
"""What a message says: `text`, `attachments`."""


class SlackRefusedError(Exception):
    """Slack says no, and will until somebody changes something. The text holds Slack's own code only."""


class CredentialsRefusedError(SlackRefusedError):
    """Slack does not take the credentials."""


class MessageGoneError(Exception):
    """The message to update is not there any more, or may not be changed."""


class SlowDownError(TransientError):
    """Slack asks to come back in `seconds`."""

    def __init__(self, seconds: int) -> None:
        super().__init__("slack: asks to slow down")
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class Posted:
    """A message in Slack: the id of its channel and its `ts`, which is its id there."""

    channel: str
    ts: str


class WebApi:
    """Slack as a bot."""

    def __init__(self, api: OutsideApi, token: str) -> None:
        """`api`: usually at https://slack.com/api."""
        self._api = api
        self._headers = {**_FORM, "Authorization": f"Bearer {token}"}

    def post(self, channel: str, payload: Payload, *, incident: str) -> Posted:
        """Post a message that can be found again by its incident. Raises as `reply`."""
        metadata = {"event_type": METADATA_EVENT, "event_payload": {"incident": incident}}
        answer = self._call("chat.postMessage", {**payload, "channel": channel, "metadata": metadata})
        return _posted(answer)

    def reply(self, to: Posted, text: str, *, broadcast: bool) -> None:
        """Write into a message's thread, and into the channel too with `broadcast`.

        Raises SlackRefusedError, SlowDownError, TransientError, and UnknownOutcomeError when there is no
        telling whether Slack took it.
        """
        arguments = {"channel": to.channel, "thread_ts": to.ts, "text": text, "unfurl_links": False}
        self._call("chat.postMessage", {**arguments, "reply_broadcast": broadcast})

    def update(self, message: Posted, payload: Payload) -> None:
        """Change a message. Raises as `reply`, and MessageGoneError."""
        self._call("chat.update", {**payload, "channel": message.channel, "ts": message.ts})

    def find(self, channel: str, *, incident: str, since: float) -> Posted | None:
        """The message of an incident, posted since an instant (epoch seconds), if there is one.

        Raises as `reply`; SlackRefusedError when the bot may not read the channel's history.
        """
        query = {"channel": channel, "oldest": f"{since:.6f}", "include_all_metadata": "true", "limit": "200"}
        answer = self._read("conversations.history", query)
        for message in answer.get("messages", []):
            metadata = message.get("metadata") or {}
            if (metadata.get("event_payload") or {}).get("incident") == incident:
                return Posted(channel, str(message["ts"]))
        return None

    def _call(self, method: str, arguments: Payload) -> Mapping[str, Any]:
        body = json.dumps(arguments).encode()
        return _checked(method, self._api.request("POST", f"/{method}", self._headers, body))

    def _read(self, method: str, query: Mapping[str, str]) -> Mapping[str, Any]:
        return _checked(method, self._api.request("GET", f"/{method}?{urlencode(query)}", self._headers))


class IncomingWebhook:
    """Slack by a webhook: one channel, and no message is ever seen again."""

    def __init__(self, api: OutsideApi) -> None:
        """`api`: at the webhook's own URL."""
        self._api = api

    def post(self, payload: Payload) -> None:
        """Post a message. Raises SlackRefusedError, SlowDownError, TransientError, UnknownOutcomeError."""
        answer = self._api.request("POST", "", _FORM, json.dumps(payload).encode())
        _check_status("webhook", answer)
        if answer.status != http.client.OK:
            code = answer.body[:64].decode("ascii", "replace").strip()
            raise _refusal("webhook", code if code.replace("_", "").isalpha() else f"HTTP {answer.status}")


def _check_status(method: str, answer: Answer) -> None:
    if answer.status == http.client.TOO_MANY_REQUESTS:
        raise SlowDownError(_retry_after(answer))
    if answer.status >= http.client.INTERNAL_SERVER_ERROR:
        raise UnknownOutcomeError(
            f"slack: HTTP {answer.status} to {method} does not say whether it was taken"
        )


def _checked(method: str, answer: Answer) -> Mapping[str, Any]:
    _check_status(method, answer)
    try:
        document = json.loads(answer.body)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise UnknownOutcomeError(f"slack: the answer to {method} is no JSON object")
    if document.get("ok") is True:
        return document
    code = str(document.get("error") or f"HTTP {answer.status}")
    if code in _LIMITED:
        raise SlowDownError(_retry_after(answer))
    if code in _PASSING:
        raise UnknownOutcomeError(f"slack: {code} to {method} does not say whether it was taken")
    if code in _GONE:
        raise MessageGoneError(f"slack: {code}")
    raise _refusal(method, code)


def _refusal(method: str, code: str) -> SlackRefusedError:
    kind = CredentialsRefusedError if code in _CREDENTIALS else SlackRefusedError
    return kind(f"slack: {method} was refused: {code[:64]}")


def _retry_after(answer: Answer) -> int:
    text = answer.headers.get("retry-after", "")
    return min(max(1, int(text)), _LONGEST_PAUSE) if text.isascii() and text.isdigit() else _PAUSE


def _posted(answer: Mapping[str, Any]) -> Posted:
    channel, ts = answer.get("channel"), answer.get("ts")
    if not isinstance(channel, str) or not isinstance(ts, str):
        raise UnknownOutcomeError("slack: the answer to chat.postMessage names no message")
    return Posted(channel, ts)
