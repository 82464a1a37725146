"""Brings Slack up to a situation: what is missing there is sent, what is there already is not sent again.

Slack takes no idempotency key. What a crash between Slack and the table can double is therefore: a line in a
thread; with a webhook, a message; and a bot's message only if the bot may not read the channel's history.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from alarm_notifier import rendering
from alarm_notifier.severity import Severity
from alarm_notifier.situation import Incident, Situation
from alarm_notifier.slack import (
    CredentialsRefusedError,
    IncomingWebhook,
    MessageGoneError,
    Posted,
    SlackRefusedError,
    WebApi,
)

Kept = Mapping[str, Any]
Keep = Callable[[Kept], None]
"""Writes what is known of Slack's messages, before the next step is taken."""


@dataclass(frozen=True)
class Conversation:
    """The way of a bot: one message an incident, updated, with news in its thread.

    An incident that becomes graver moves to the channel of its severity; where that is the same channel,
    the news is shown in the channel too, since nobody is told of an update.
    """

    api: WebApi
    channels: Mapping[Severity, str]
    environment: str

    def tell(self, situation: Situation, incident: Incident, kept: Kept, keep: Keep, now: datetime) -> Kept:
        """Tell what is missing; what is known of Slack's messages then. Raises what `WebApi` raises."""
        known: Kept = kept if kept.get("incident") == incident.id else {"incident": incident.id, "posts": {}}
        channel = self.channels[incident.severity]
        payload = rendering.payload(situation, incident, now, self.environment)
        post = _read(known["posts"].get(channel))
        try:
            if post is None:
                known, post = self._begin(situation, incident, known, keep, payload)
            else:
                self.api.update(post, payload)
        except MessageGoneError:
            posts = {name: at for name, at in known["posts"].items() if name != channel}
            known, post = self._begin(situation, incident, {**known, "posts": posts}, keep, payload)
        graver = Severity(known["severity"]).rank > incident.severity.rank
        news = [item for item in situation.news if item.number > known["replied"]]
        if news:
            self.api.reply(post, rendering.reply(news), broadcast=graver)
        return {
            **known,
            "replied": situation.number,
            "severity": incident.severity,
            "moved": self._point(incident, known, post),
        }

    def _begin(
        self, situation: Situation, incident: Incident, known: Kept, keep: Keep, payload: Mapping[str, Any]
    ) -> tuple[Kept, Posted]:
        """Post the message, unless a try that nobody knows the end of has done so."""
        channel = self.channels[incident.severity]
        post = None
        if (known.get("posting") or {}).get("channel") == channel:
            post = self._find(channel, incident, known["posting"]["since"])
        else:
            # A clock that differs from Slack's by minutes still finds the message.
            since = datetime.fromisoformat(incident.opened_at).timestamp() - 600
            known = {**known, "posting": {"channel": channel, "since": since}}
            keep(known)
        if post is None:
            post = self.api.post(channel, payload, incident=incident.id)
        else:
            self.api.update(post, payload)
        known = {
            **known,
            "posts": {**known["posts"], channel: asdict(post)},
            "replied": situation.number,
            "severity": incident.severity,
            "posting": None,
        }
        keep(known)
        return known, post

    def _point(self, incident: Incident, known: Kept, to: Posted) -> list[str]:
        """Let the messages in milder channels point to the one that goes on; the channels where they do."""
        moved = list(known.get("moved", []))
        current = self.channels[incident.severity]
        for channel, post in known["posts"].items():
            if channel == current or channel in moved:
                continue
            with suppress(MessageGoneError):  # a message that is not there misleads nobody
                self.api.update(Posted(**post), rendering.elsewhere(incident, to.channel))
            moved.append(channel)
        return moved

    def _find(self, channel: str, incident: Incident, since: float) -> Posted | None:
        try:
            return self.api.find(channel, incident=incident.id, since=since)
        except CredentialsRefusedError:
            raise
        except SlackRefusedError:
            return None  # a bot that may not read the history posts again: rather twice than not at all


@dataclass(frozen=True)
class Announcements:
    """The way of a webhook: a message when an incident begins, when it becomes graver, and when it ends."""

    hook: IncomingWebhook
    environment: str

    def tell(self, situation: Situation, incident: Incident, kept: Kept, keep: Keep, now: datetime) -> Kept:
        """Tell what is missing; what is known of Slack's messages then. Raises what `IncomingWebhook`
        raises."""
        del keep  # one message at most: nothing to write on the way
        closed = bool(incident.closed_at)
        same = kept.get("incident") == incident.id and "severity" in kept
        graver = same and Severity(kept["severity"]).rank > incident.severity.rank
        if not same or graver or closed != kept.get("closed", False):
            self.hook.post(rendering.payload(situation, incident, now, self.environment))
        return {
            "incident": incident.id,
            "posts": {},
            "severity": incident.severity,
            "closed": closed,
            "replied": situation.number,
        }


def _read(post: Mapping[str, str] | None) -> Posted | None:
    return Posted(post["channel"], post["ts"]) if post else None


Voice = Conversation | Announcements
