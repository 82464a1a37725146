"""What is wrong with one service right now, as far as was heard; every piece of news is heard once.

An incident begins when something is on (an alarm in ALARM, or error lines that have not been quiet for long
enough) and ends when nothing is. Folding an event in is free of side effects and changes nothing the second
time.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, Self

from alarm_notifier import words
from alarm_notifier.events import AlarmChange, Child, ErrorLines, Event, QuietCheck
from alarm_notifier.severity import Severity, gravest
from job_runtime.clock import timestamp
from job_runtime.identity import canonical_json

KINDS_AT_MOST: Final = 20
_DELIVERIES_KEPT: Final = 200
_NEWS_KEPT: Final = 100
_CHILDREN_KEPT: Final = 10
_REMEMBERED: Final = timedelta(days=15)
"""How long an alarm that is over is remembered: longer than a dead-letter queue keeps an older state of
it."""

_TOLERANCE: Final = timedelta(seconds=5)
_OTHERS: Final = "other errors"


@dataclass
class Alarm:
    """The latest that was heard of one alarm. `raised_at`: its latest change to ALARM, empty for none."""

    name: str
    label: str
    state: str
    severity: Severity
    changed_at: str
    raised_at: str
    text: str
    reading: str
    runbook: str
    dashboard: str
    children: list[Child]
    more_children: int

    @property
    def is_on(self) -> bool:
        """Whether it is in ALARM."""
        return self.state == "ALARM"


@dataclass
class Errors:
    """Error lines of one kind in this incident."""

    function: str
    text: str
    severity: Severity
    count: int
    first_at: str
    last_at: str


@dataclass
class Incident:
    """From the first thing on to the last thing over. `severity` is the gravest it ever had; `closed_at` is
    empty while it lasts; `alarms` names those that took part."""

    id: str
    opened_at: str
    severity: Severity
    closed_at: str = ""
    alarms: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class News:
    """A line for those who follow the incident. `number` grows by one each time."""

    number: int
    text: str


@dataclass
class Situation:
    """The state of one service. Instants are ISO 8601 UTC; `quiet_at`: when its error lines count as
    stopped, empty when there are none."""

    service: str
    alarms: dict[str, Alarm] = field(default_factory=dict)
    errors: dict[str, Errors] = field(default_factory=dict)
    quiet_at: str = ""
    incident: Incident | None = None
    news: list[News] = field(default_factory=list)
    number: int = 0
    deliveries: list[str] = field(default_factory=list)

    def fold(self, event: Event, now: datetime, *, quiet: timedelta, told: bool) -> bool:
        """Take in one event; whether anything is different now.

        `told`: everything up to here has reached Slack. An incident that ended and was not told yet goes on
        when something new is on, so that no incident is ever passed over.
        """
        match event:
            case AlarmChange():
                changed = self._alarm(event, told=told)
            case ErrorLines():
                changed = self._errors(event, now, quiet, told=told)
            case QuietCheck():
                changed = self._quiet(now)
        if changed:
            self._settle(now)
        return changed

    def firing(self) -> list[Alarm]:
        """The alarms that are in ALARM, gravest first, then oldest first."""
        on = [alarm for alarm in self.alarms.values() if alarm.is_on]
        return sorted(on, key=lambda alarm: (alarm.severity.rank, alarm.raised_at, alarm.name))

    def _alarm(self, change: AlarmChange, *, told: bool) -> bool:
        known = self.alarms.get(change.name)
        if known and change.changed_at <= known.changed_at:
            return self._late(change, known, told=told)
        was_on = known is not None and known.is_on
        is_on = change.state == "ALARM"
        before = known.raised_at if known else ""
        self.alarms[change.name] = Alarm(
            name=change.name,
            label=change.label,
            state=change.state,
            severity=change.severity,
            changed_at=change.changed_at,
            raised_at=change.changed_at if is_on else before,
            text=change.text or (known.text if known else ""),
            reading=change.reading if is_on or not known else known.reading,
            runbook=change.runbook,
            dashboard=change.dashboard,
            children=list(change.children[:_CHILDREN_KEPT]),
            more_children=len(change.children[_CHILDREN_KEPT:]),
        )
        if is_on:
            self._take_part(self.alarms[change.name], change.changed_at, told=told)
        if is_on and not was_on:
            self._tell(words.raised(self.service, change.label, change.reading))
        elif was_on and not is_on:
            no_data = "" if change.state == "OK" else " (no data any more)"
            self._tell(words.over(self.service, change.label) + no_data)
        return True

    def _late(self, change: AlarmChange, known: Alarm, *, told: bool) -> bool:
        """An older state than the one that is known: of use only when it is an ALARM that nobody was told
        of."""
        if change.state != "ALARM" or known.is_on or change.changed_at <= known.raised_at:
            return False
        known.raised_at = change.changed_at
        known.reading = change.reading
        known.text = known.text or change.text
        self._take_part(known, change.changed_at, told=told)
        self._tell(f"was on and is over: {change.label}" + (f" ({change.reading})" if change.reading else ""))
        return True

    def _errors(self, lines: ErrorLines, now: datetime, quiet: timedelta, *, told: bool) -> bool:
        if lines.delivery in self.deliveries:
            return False
        self.deliveries = [*self.deliveries, lines.delivery][-_DELIVERIES_KEPT:]
        at = timestamp(now)
        incident = self._open(at, gravest([kind.severity for kind in lines.kinds]), told=told)
        self.quiet_at = timestamp(now + quiet)
        for kind in lines.kinds:
            known = self.errors.get(kind.likeness)
            key, text, function = kind.likeness, kind.text, kind.function
            if known is None and len(self.errors) >= KINDS_AT_MOST:
                key, text, function = _OTHERS, _OTHERS, ""
                known = self.errors.get(key)
            if known is None:
                self.errors[key] = Errors(function, text, kind.severity, kind.count, at, at)
                self._tell(f"error: {function}: {text}" if function else f"error: {text}")
            else:
                known.count += kind.count
                known.last_at = at
            incident.severity = gravest([incident.severity, kind.severity])
        return True

    def _quiet(self, now: datetime) -> bool:
        if not self.quiet_at or timestamp(now + _TOLERANCE) < self.quiet_at:
            return False
        self.quiet_at = ""
        self._tell("no more errors in the log")
        return True

    def _take_part(self, alarm: Alarm, at: str, *, told: bool) -> None:
        incident = self._open(at, alarm.severity, told=told)
        incident.severity = gravest([incident.severity, alarm.severity])
        if alarm.name not in incident.alarms:
            incident.alarms.append(alarm.name)

    def _open(self, at: str, severity: Severity, *, told: bool) -> Incident:
        """The incident that is on; a new one when there is none, or the last has ended and that was told."""
        if self.incident and (not self.incident.closed_at or not told):
            self.incident.closed_at = ""
            return self.incident
        digest = hashlib.sha256(canonical_json([self.service, at, self.number]).encode()).hexdigest()
        self.incident = Incident(digest[:32], at, severity)
        self.errors = {}
        self.news = []
        return self.incident

    def _settle(self, now: datetime) -> None:
        """End the incident when nothing is on, and forget what is long over."""
        if self.incident and not self.incident.closed_at and not self.firing() and not self.quiet_at:
            self.incident.closed_at = timestamp(now)
        horizon = timestamp(now - _REMEMBERED)
        involved = set(self.incident.alarms) if self.incident else set()
        self.alarms = {
            name: alarm
            for name, alarm in self.alarms.items()
            if alarm.is_on or name in involved or alarm.changed_at > horizon
        }

    def _tell(self, text: str) -> None:
        self.number += 1
        self.news = [*self.news, News(self.number, text)][-_NEWS_KEPT:]

    def document(self) -> dict[str, Any]:
        """The situation as JSON's types."""
        return asdict(self)

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        """The situation that `document` gave."""
        incident = document["incident"]
        return cls(
            service=document["service"],
            alarms={
                name: Alarm(
                    **{
                        **alarm,
                        "severity": Severity(alarm["severity"]),
                        "children": [Child(**child) for child in alarm["children"]],
                    }
                )
                for name, alarm in document["alarms"].items()
            },
            errors={
                key: Errors(**{**errors, "severity": Severity(errors["severity"])})
                for key, errors in document["errors"].items()
            },
            quiet_at=document["quiet_at"],
            incident=Incident(**{**incident, "severity": Severity(incident["severity"])})
            if incident
            else None,
            news=[News(**news) for news in document["news"]],
            number=document["number"],
            deliveries=list(document["deliveries"]),
        )
