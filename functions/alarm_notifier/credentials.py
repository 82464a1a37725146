"""What opens Slack: a webhook's URL or a bot's token, read when needed and forgotten after minutes."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

from job_runtime.clock import Clock

_KEPT: Final = timedelta(minutes=5)
_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost"})


class CredentialsError(Exception):
    """What is stored opens nothing. The text says what to store, and never what is."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """An incoming webhook: whoever knows the URL may post, so it is not shown."""

    url: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot's token."""

    token: str = field(repr=False)


Credentials = Webhook | Bot


def parse(text: str) -> Credentials:
    """The credentials in a secret's text: a webhook's URL, or JSON such as `{"token": "xoxb-…"}`.

    Plain http is taken on loopback only, where a stand-in listens. Raises CredentialsError.
    """
    text = text.strip()
    if text.startswith("{"):
        try:
            token = json.loads(text).get("token")
        except ValueError:
            token = None
        if isinstance(token, str) and token.isascii() and token.isprintable() and token.strip():
            return Bot(token.strip())
    elif is_safe(text):
        return Webhook(text)
    raise CredentialsError(
        "the Slack secret must hold a webhook's URL (https://…) or JSON such as "
        '{"token": "xoxb-…"}; store one of them'
    )


def is_safe(address: str) -> bool:
    """Whether an address is https, or loopback."""
    try:
        parts = urlsplit(address)
        valid = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False
    return valid and (parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK))


class Keyring:
    """The credentials, kept for five minutes: a changed secret is taken up without a deployment."""

    def __init__(self, read: Callable[[], str], clock: Clock) -> None:
        """`read`: gets the secret's text from where it is stored."""
        self._read = read
        self._clock = clock
        self._held: tuple[datetime, Credentials] | None = None

    def get(self) -> Credentials:
        """The credentials. Raises CredentialsError, and what `read` raises."""
        now = self._clock.now()
        if self._held is None or now - self._held[0] >= _KEPT:
            self._held = (now, parse(self._read()))
        return self._held[1]

    def forget(self) -> None:
        """Read them anew the next time: Slack has refused these."""
        self._held = None
