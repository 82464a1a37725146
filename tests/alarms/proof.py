"""Publishes each documented trouble where its metric is documented to be, and looks which alarms see it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from rich.table import Table

from local.emulator import Emulator
from tests.alarms.deployed import Watched
from tests.alarms.documented import DOCUMENTED, Documented, Feed, Place, Thing

_GRACE: Final = 5
"""Minutes after those of the trouble within which an alarm has to follow: a period has to be over."""


@dataclass
class Trial:
    """One trouble of one thing. `alarm`: the name of the alarm that has to see it."""

    key: str
    alarm: str
    entry: Documented
    thing: Thing
    feeds: tuple[Feed, ...]
    fired: str = "no"
    recovered: str = "no"

    @property
    def places(self) -> tuple[Place, ...]:
        """Where it publishes."""
        return tuple(feed.place(self.thing) for feed in self.feeds)

    @property
    def proven(self) -> bool:
        """Whether the alarm has seen the trouble come and go."""
        return self.fired == self.recovered == "yes"


def trials(watched: Watched, alarms: Mapping[str, str]) -> list[Trial]:
    """Every trouble of everything that is watched. `alarms`: names by `<id>/<key>`.

    Raises AssertionError when an alarm has no documented trouble, or the other way round.
    """
    found = [
        Trial(f"{entry.id}/{key}", alarms.get(f"{entry.id}/{key}", "none"), entry, thing, feeds)
        for entry in DOCUMENTED
        for key, thing in watched[entry.kind].items()
        if entry.applies(thing)
        for feeds in entry.variants
    ]
    keys = {trial.key for trial in found}
    assert keys == set(alarms), f"alarm or trouble only: {sorted(keys ^ set(alarms))}"
    return found


@dataclass
class Proof:
    """Trials on a local AWS; `run` fills in what came of each."""

    aws: Emulator
    trials: list[Trial]
    rounds: list[list[Trial]] = field(init=False)
    _now: datetime = field(init=False)

    def __post_init__(self) -> None:
        """Side by side go trials that last equally long and publish in different places."""
        self.rounds = []
        for trial in sorted(self.trials, key=_length):
            for others in self.rounds:
                taken = {place for other in others for place in other.places}
                alike = _length(others[0]) == _length(trial)
                if alike and taken.isdisjoint(trial.places) and trial.alarm not in _alarms(others):
                    others.append(trial)
                    break
            else:
                self.rounds.append([trial])

    def run(self) -> None:
        """Let trouble come and go, round by round, after an hour of calm."""
        self._now = datetime.fromisoformat(self.aws.advance_alarms(3600)["now"])
        for together in self.rounds:
            self._round(together, *_length(together[0]))

    def _round(self, together: list[Trial], minutes: int, stays: int) -> None:
        self._align(minutes)
        before = self._states(together)
        seen = len(self.aws.alarm_history())
        self._publish(together, minutes // 2, wrong=True)
        early = self._fired(seen)
        self._publish(together, minutes - minutes // 2 + (_GRACE if minutes > 1 else 0), wrong=True)
        fired, seen = self._fired(seen), len(self.aws.alarm_history())
        # What is under way ends in the middle of a period; a whole one has to follow.
        self._publish(together, stays + 2 * minutes + _GRACE, wrong=False)
        again, after = self._fired(seen), self._states(together)
        for trial in together:
            if before[trial.alarm] == "ALARM":
                trial.fired = "before"
            elif trial.entry.lasting and trial.alarm in early:
                trial.fired = "early"
            elif trial.alarm in fired:
                trial.fired = "yes"
                over = after[trial.alarm] == "OK" and trial.alarm not in again
                trial.recovered = "yes" if over else "no"

    def _fired(self, seen: int) -> set[str]:
        """The alarms that have gone on since so many changes of state were seen."""
        return {change["alarm"] for change in self.aws.alarm_history()[seen:] if change["new"] == "ALARM"}

    def _align(self, minutes: int) -> None:
        """Let time pass until a period begins: five minutes or an hour for what lasts so long."""
        period = 60 * next(whole for whole in (60, 5, 1) if minutes >= whole)
        self._pass(period)

    def _publish(self, together: list[Trial], minutes: int, *, wrong: bool) -> None:
        """Publish for as many minutes, and let them pass."""
        for _ in range(minutes):
            points = [point for trial in together for point in _points(trial, self._now, wrong=wrong)]
            if points:
                self.aws.publish(points)
            self._pass(60)

    def _pass(self, period: int) -> None:
        """Let time pass until a period begins."""
        answer = self.aws.advance_alarms(period - self._now.timestamp() % period)
        self._now = datetime.fromisoformat(answer["now"])

    def _states(self, together: Iterable[Trial]) -> dict[str, str]:
        names = sorted({trial.alarm for trial in together})
        found: dict[str, str] = dict.fromkeys(names, "none")
        client = self.aws.client("cloudwatch")
        for some in (names[place : place + 100] for place in range(0, len(names), 100)):
            answer = client.describe_alarms(AlarmNames=some, MaxRecords=100)
            found |= {alarm["AlarmName"]: alarm["StateValue"] for alarm in answer["MetricAlarms"]}
        return found


def _length(trial: Trial) -> tuple[int, int]:
    return trial.entry.minutes, trial.entry.stays(trial.thing)


def _alarms(together: Iterable[Trial]) -> set[str]:
    return {trial.alarm for trial in together}


def _points(trial: Trial, now: datetime, *, wrong: bool) -> Iterator[dict[str, Any]]:
    for feed, place in zip(trial.feeds, trial.places, strict=True):
        samples = (feed.wrong if wrong else feed.right)(trial.thing)
        if samples:
            yield {
                "Namespace": place.namespace,
                "MetricName": place.metric,
                "Dimensions": dict(place.dimensions),
                "Values": list(samples),
                "Counts": [1] * len(samples),
                "Unit": feed.unit,
                "Timestamp": now - timedelta(seconds=trial.thing[feed.late] if feed.late else 0),
            }


def table(of: Iterable[Trial]) -> Table:
    """A row a trial: id and key, coordinates, fired, recovered."""
    shown = Table("alarm", "published at", "fired", "recovered", title="Alarms", title_justify="left")
    for trial in sorted(of, key=lambda trial: trial.key):
        colour = "green" if trial.proven else "bold red"
        words = (f"[{colour}]{word}[/]" for word in (trial.fired, trial.recovered))
        shown.add_row(trial.key, "\n".join(map(str, trial.places)), *words)
    return shown
