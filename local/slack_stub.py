"""A Slack to run here: it takes messages as Slack does, and fails in the ways that Slack fails.

    python -m local.slack_stub --port 8098 --fault unavailable:10

`chat.postMessage`, `chat.update` and `conversations.history` below `/api` with the bearer token, and a
webhook. It keeps to Block Kit's limits, so that a message which Slack would refuse is refused here. It
listens on loopback only.
"""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from http.server import BaseHTTPRequestHandler
from typing import Any, cast
from urllib.parse import parse_qsl, urlsplit

from local.stub_server import StubServer, arguments

TOKEN = "xoxb-stand-in"  # noqa: S105 - opens this stand-in and nothing else
CHANNELS = ("C0CRITICAL", "C0WARNING", "C0INFO")
RETRY_AFTER = 7
_LONGEST_TEXT = 40_000


class Fault(StrEnum):
    """What goes wrong with a request."""

    UNAVAILABLE = "unavailable"
    """Nothing is taken, the answer is 503."""
    SLOW_DOWN = "slow-down"
    """Nothing is taken, the answer is 429 with Retry-After."""
    TOOK_HANGS = "took-hangs"
    """The message is taken, no answer comes."""
    TOOK_DROPS = "took-drops"
    """The message is taken, the connection is closed without an answer."""
    INVALID_AUTH = "invalid-auth"
    """Nothing is taken: the credentials are refused."""


@dataclass
class Message:
    """A message, with the instant it came (epoch seconds). `thread_ts` is empty for one that is no reply,
    `ts` for one that came by the webhook; `versions` holds what it said before each update, `updated` when
    each update came."""

    channel: str
    ts: str
    arrived: float
    payload: dict[str, Any]
    thread_ts: str = ""
    versions: list[dict[str, Any]] = field(default_factory=list)
    updated: list[float] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All that is to be read in it."""
        return _text(self.payload)

    def first_said(self, words: str) -> float | None:
        """The instant since which it has said WORDS; None if it never did."""
        instants = [self.arrived, *self.updated]
        said = zip(instants, [*self.versions, self.payload], strict=True)
        return next((instant for instant, payload in said if words in _text(payload)), None)


class SlackStub(StubServer[Fault]):
    """The server. Use it as a context; `api` and `webhook` are its addresses, `messages` all that was
    taken, in order, `requests` how often each method was called, `met` how often each fault was met.

    `faults` maps a fault to n: every n-th request meets it, the rarer one winning. With `history` off the
    bot may not read channels.
    """

    def __init__(
        self, port: int = 0, faults: Mapping[Fault, int] | None = None, *, history: bool = True
    ) -> None:
        """`port`: 0 for a free one. Raises ValueError for an n below 1."""
        super().__init__(port, _Handler, faults or {})
        self.messages: list[Message] = []
        self.history = history
        self.token = TOKEN
        self.api = f"{self.root}/api"
        self.webhook = f"{self.root}/services/T0/B0/secret"

    def incidents(self) -> list[Message]:
        """The messages that are no replies."""
        return [message for message in self.messages if not message.thread_ts]

    def replies(self, to: Message) -> list[Message]:
        """The thread of a message."""
        return [message for message in self.messages if message.thread_ts == to.ts]

    def delete(self, message: Message) -> None:
        """Take a message away, as a person may."""
        with self._lock:
            self.messages.remove(message)

    def fault(self, method: str) -> Fault | None:
        """Count one request, and the fault that it meets."""
        with self._lock:
            self.requests[method] += 1
            return self._fault_of(self.requests.total())

    def call(self, method: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The answer of one method of the Web API."""
        if method != "conversations.history" and (broken := broken_limit(arguments)):
            return {"ok": False, "error": broken}
        if arguments.get("channel") not in CHANNELS:
            return {"ok": False, "error": "channel_not_found"}
        with self._lock:
            match method:
                case "chat.postMessage":
                    message = self._post(str(arguments["channel"]), arguments)
                    return {"ok": True, "channel": message.channel, "ts": message.ts}
                case "chat.update":
                    return self._update(arguments)
                case "conversations.history":
                    return self._history(arguments)
                case _:
                    return {"ok": False, "error": "unknown_method"}

    def announce(self, payload: Mapping[str, Any]) -> str | None:
        """Take a message of the webhook; the code with which it is refused."""
        broken = broken_limit(payload)
        if broken is None:
            with self._lock:
                self.messages.append(Message("webhook", "", time.time(), dict(payload)))
        return "invalid_payload" if broken else None

    def _post(self, channel: str, arguments: Mapping[str, Any]) -> Message:
        now = time.time()
        ts = f"{int(now)}.{len(self.messages) + 1:06d}"
        message = Message(channel, ts, now, dict(arguments), str(arguments.get("thread_ts", "")))
        self.messages.append(message)
        return message

    def _update(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        for message in self.messages:
            if (message.channel, message.ts) == (arguments["channel"], arguments["ts"]):
                message.versions.append(message.payload)
                message.updated.append(time.time())
                message.payload = {**message.payload, **arguments}
                return {"ok": True, "channel": message.channel, "ts": message.ts}
        return {"ok": False, "error": "message_not_found"}

    def _history(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if not self.history:
            return {"ok": False, "error": "missing_scope"}
        found = [
            {"ts": message.ts, "metadata": message.payload.get("metadata")}
            for message in reversed(self.messages)
            if message.channel == arguments["channel"] and not message.thread_ts
        ]
        return {"ok": True, "messages": found}


def _text(payload: Mapping[str, Any]) -> str:
    parts = [str(payload.get("text", ""))]
    for attachment in payload.get("attachments") or []:
        for block in attachment.get("blocks", []):
            parts += [part["text"] for part in [block.get("text"), *block.get("elements", [])] if part]
    return "\n".join(parts)


def broken_limit(payload: Mapping[str, Any]) -> str | None:
    """Slack's code for a message that breaks its limits: 40,000 characters of text, 50 blocks, 3,000
    characters a section, 10 elements of context of 2,000 each."""
    if not payload.get("text"):
        return "no_text"
    if len(payload["text"]) > _LONGEST_TEXT:
        return "msg_too_long"
    for attachment in payload.get("attachments") or []:
        blocks = attachment.get("blocks", [])
        sections = [block["text"]["text"] for block in blocks if block["type"] == "section"]
        elements = [block["elements"] for block in blocks if block["type"] == "context"]
        if (
            len(blocks) > 50
            or any(not 1 <= len(text) <= 3000 for text in sections)
            or any(len(group) > 10 or any(len(item["text"]) > 2000 for item in group) for group in elements)
        ):
            return "invalid_blocks"
    return None


class _Handler(BaseHTTPRequestHandler):
    @property
    def _stub(self) -> SlackStub:
        return cast("SlackStub", self.server.stub)  # type: ignore[attr-defined]

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        self._serve(url.path, dict(parse_qsl(url.query)))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self._serve(self.path, json.loads(body))

    def _serve(self, path: str, arguments: dict[str, Any]) -> None:
        by_webhook = path == urlsplit(self._stub.webhook).path
        method = path.removeprefix("/api/")
        fault = self._stub.fault("webhook" if by_webhook else method)
        match fault:
            case Fault.UNAVAILABLE:
                self._answer(503, {"ok": False, "error": "service_unavailable"})
                return
            case Fault.SLOW_DOWN:
                self._answer(429, {"ok": False, "error": "ratelimited"}, {"Retry-After": str(RETRY_AFTER)})
                return
        if by_webhook:
            refused = "invalid_token" if fault is Fault.INVALID_AUTH else self._stub.announce(arguments)
            status, answer = (403 if refused else 200), refused or "ok"
        elif fault is Fault.INVALID_AUTH or self.headers.get("Authorization") != f"Bearer {self._stub.token}":
            status, answer = 200, json.dumps({"ok": False, "error": "invalid_auth"})
        else:
            status, answer = 200, json.dumps(self._stub.call(method, arguments))
        if fault is Fault.TOOK_HANGS:
            self._stub.hang()
        if fault in {Fault.TOOK_HANGS, Fault.TOOK_DROPS}:
            self.close_connection = True
            return
        self._answer(status, answer)

    def _answer(self, status: int, answer: Any, headers: Mapping[str, str] | None = None) -> None:
        content = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """A request has no line of its own: the stub's counters tell what happened."""


def main() -> None:
    """Run the stub until it is interrupted, after printing its two addresses."""
    stub = SlackStub(*arguments("python -m local.slack_stub", __doc__, Fault))
    print(stub.api, stub.webhook, flush=True)
    stub.serve()


if __name__ == "__main__":
    main()
