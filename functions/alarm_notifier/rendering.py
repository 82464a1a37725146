"""A situation as Slack shows it: Block Kit inside its limits, and nothing in it that Slack would take for
markup."""

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from alarm_notifier import words
from alarm_notifier.severity import Severity
from alarm_notifier.situation import Alarm, Errors, Incident, News, Situation

TEXT_LIMIT: Final = 3000
"""Characters of a section's text; a message has 50 blocks at most (Slack, Block Kit reference)."""

_HALF_ENTITY: Final = re.compile(r"&[a-z]{0,4}$")
_TEXT_OF_AN_ALARM: Final = 1000
ALARMS_SHOWN: Final = 15
_TEXT_OF_AN_ERROR: Final = 150
_ERRORS_SHOWN: Final = 12
_NEWS_SHOWN: Final = 30
_COLOURS: Final = {Severity.CRITICAL: "#c0182b", Severity.WARNING: "#d9902f", Severity.INFO: "#5b7c99"}
_OVER_COLOUR: Final = "#2e8540"
_SIGNS: Final = {
    Severity.CRITICAL: ":rotating_light:",
    Severity.WARNING: ":warning:",
    Severity.INFO: ":information_source:",
}
_OVER_SIGN: Final = ":white_check_mark:"

Block = dict[str, Any]


def escaped(text: str) -> str:
    """Text without anything that Slack reads as a link, a mention or a formatting mark of its own."""
    # A zero-width space keeps @here from calling anybody and a star from making the text bold.
    return html.escape(text, quote=False).replace("@", "@\u200b").replace("`", "'").replace("*", "*\u200b")


def payload(situation: Situation, incident: Incident, now: datetime, environment: str) -> dict[str, Any]:
    """The message of an incident as it stands: `text`, which notifications show, and `attachments`."""
    over = bool(incident.closed_at)
    sign = _OVER_SIGN if over else _SIGNS[incident.severity]
    title, detail = _subject(situation, incident)
    text = f"{sign} *{escaped(title)}* · {escaped(environment)} · {escaped(detail)}"
    blocks = list(_blocks(situation, incident, now))
    colour = _OVER_COLOUR if over else _COLOURS[incident.severity]
    return {
        "text": _cut(text),
        "attachments": [{"color": colour, "fallback": _cut(text), "blocks": blocks}],
        "unfurl_links": False,
        "unfurl_media": False,
    }


def elsewhere(incident: Incident, channel: str) -> dict[str, Any]:
    """What takes the place of a message whose incident has become graver and goes on in another channel."""
    text = f"{_SIGNS[incident.severity]} This has become {incident.severity} and goes on in <#{channel}>."
    return {"text": text, "attachments": []}


def reply(news: Sequence[News]) -> str:
    """What is new, for the thread."""
    lines = [f"• {escaped(item.text)}" for item in news[-_NEWS_SHOWN:]]
    if len(news) > _NEWS_SHOWN:
        lines.insert(0, f"• {len(news) - _NEWS_SHOWN} earlier changes are not listed")
    return _cut("\n".join(lines))


def _subject(situation: Situation, incident: Incident) -> tuple[str, str]:
    """What a lock screen has room for: what the service is, and which alarms say so, those that are on if any
    are."""
    involved = _involved(situation, incident)
    shown = [alarm for alarm in involved if alarm.is_on] or involved
    conditions = [alarm.label for alarm in shown if words.is_condition(alarm.label)]
    names = [name for alarm in shown for name in _names(alarm)]
    if not shown:
        total = sum(errors.count for errors in situation.errors.values())
        names = [f"{total} errors in the log" if total != 1 else "an error in the log"]
    named = words.listed(names)
    if incident.closed_at:
        lasted = datetime.fromisoformat(incident.closed_at) - datetime.fromisoformat(incident.opened_at)
        title = words.over(situation.service, conditions[0]) if conditions else situation.service
        return title, f"over: {named + ', ' if named else ''}after {_lasting(lasted)}"
    title = words.raised(situation.service, conditions[0], "") if conditions else situation.service
    return title, f"{incident.severity}: {named}" if named else str(incident.severity)


def _names(alarm: Alarm) -> list[str]:
    """The alarm by its label; one that says what the service is, by the alarms behind it."""
    if not words.is_condition(alarm.label):
        return [alarm.label]
    return [_short(child.name, alarm) for child in alarm.children]


def _short(name: str, composite: Alarm) -> str:
    """A child's name without what it begins with as its composite does."""
    return name.removeprefix(composite.name.removesuffix(composite.label))


def _involved(situation: Situation, incident: Incident) -> list[Alarm]:
    found = [situation.alarms[name] for name in incident.alarms if name in situation.alarms]
    return sorted(
        found, key=lambda alarm: (not alarm.is_on, alarm.severity.rank, alarm.raised_at, alarm.name)
    )


def _blocks(situation: Situation, incident: Incident, now: datetime) -> Iterator[Block]:
    alarms = _involved(situation, incident)
    for alarm in alarms[:ALARMS_SHOWN]:
        yield _section(_alarm(alarm, now))
    if len(alarms) > ALARMS_SHOWN:
        yield _section(f"and {len(alarms) - ALARMS_SHOWN} more alarms")
    if situation.errors:
        yield _section(_errors(situation.errors.values()))
    end = f" to {_instant(incident.closed_at)}" if incident.closed_at else ""
    since = datetime.fromisoformat(incident.opened_at)
    until = datetime.fromisoformat(incident.closed_at) if incident.closed_at else now
    yield {
        "type": "context",
        "elements": [_markdown(f"since {_instant(incident.opened_at)}{end} UTC ({_age(since, until)})")],
    }


def _alarm(alarm: Alarm, now: datetime) -> str:
    parts = [f"*{escaped(alarm.label)}*"]
    if alarm.reading:
        parts.append(f"{escaped(alarm.reading)}")
    if alarm.is_on:
        raised = datetime.fromisoformat(alarm.raised_at)
        parts.append(f"since {_instant(alarm.raised_at)} UTC ({_age(raised, now)})")
    else:
        parts.append("over" if alarm.state == "OK" else "no data any more")
    lines = [" · ".join(parts)]
    if alarm.is_on:
        lines += filter(None, [_cut(escaped(alarm.text), _TEXT_OF_AN_ALARM)])
        lines += _children(alarm, now)
    links = [
        f"<{html.escape(url, quote=False)}|{word}>"
        for word, url in (("Runbook", alarm.runbook), ("Dashboard", alarm.dashboard))
        if url
    ]
    # Cut before the links: half a link would be shown as text.
    last = " · ".join(links)
    return "\n".join(filter(None, [_cut("\n".join(lines), TEXT_LIMIT - len(last) - 1), last]))


def _children(alarm: Alarm, now: datetime) -> Iterator[str]:
    for child in alarm.children:
        parts = [escaped(_short(child.name, alarm)), *([escaped(child.reading)] if child.reading else [])]
        if child.since:
            parts.append(
                f"since {_instant(child.since)} UTC ({_age(datetime.fromisoformat(child.since), now)})"
            )
        yield "  ◦ " + " · ".join(parts)
    if alarm.more_children:
        yield f"  ◦ and {alarm.more_children} more"


def _errors(errors: Iterable[Errors]) -> str:
    ranked = sorted(errors, key=lambda kind: (kind.severity.rank, -kind.count, kind.text))
    lines = ["*Errors in the log*"]
    for kind in ranked[:_ERRORS_SHOWN]:
        where = f"{escaped(kind.function)}: " if kind.function else ""
        lines.append(f"{kind.count}x {where}{_cut(escaped(kind.text), _TEXT_OF_AN_ERROR)} · {_span(kind)}")
    if len(ranked) > _ERRORS_SHOWN:
        lines.append(f"and {len(ranked) - _ERRORS_SHOWN} more kinds")
    return _cut("\n".join(lines))


def _span(kind: Errors) -> str:
    first, last = _instant(kind.first_at), _instant(kind.last_at)
    return f"{first} UTC" if first == last else f"{first} to {last} UTC"


def _section(text: str) -> Block:
    return {"type": "section", "text": _markdown(text)}


def _markdown(text: str) -> Block:
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def _cut(text: str, limit: int = TEXT_LIMIT) -> str:
    if len(text) <= limit:
        return text
    # An entity that is cut in two would show its half.
    return _HALF_ENTITY.sub("", text[: limit - 1]) + "…"


def _instant(text: str) -> str:
    return datetime.fromisoformat(text).astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def _age(since: datetime, until: datetime) -> str:
    return _lasting(until - since)


def _lasting(time: timedelta) -> str:
    minutes = max(0, int(time.total_seconds())) // 60
    if minutes < 1:
        return "less than a minute"
    if minutes < 120:
        return f"{minutes} min"
    hours = minutes // 60
    return f"{hours} h" if hours < 48 else f"{hours // 24} days"
