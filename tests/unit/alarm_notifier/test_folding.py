"""Folding events into a situation, in any order and as often as one likes."""

from datetime import UTC, datetime, timedelta

from hypothesis import example, given
from hypothesis import strategies as st

from alarm_notifier.events import AlarmChange, ErrorKind, ErrorLines, Event, QuietCheck
from alarm_notifier.severity import Severity
from alarm_notifier.situation import Situation
from job_runtime.clock import timestamp

START = datetime(2026, 11, 30, 18, 0, tzinfo=UTC)
QUIET = timedelta(minutes=15)

changes = st.builds(
    lambda name, minute, severity: AlarmChange(
        name=name,
        # An alarm changes to one state at one time.
        state="OK" if minute % 2 else "ALARM",
        changed_at=timestamp(START + timedelta(minutes=minute)),
        service="charge",
        label=name,
        severity=severity,
        text="",
    ),
    st.sampled_from("abc"),
    st.integers(0, 9),
    st.sampled_from(list(Severity)),
)
lines = st.builds(
    lambda delivery, severity: ErrorLines("charge", str(delivery), (ErrorKind("f", "no", severity, 1),)),
    st.integers(0, 5),
    st.sampled_from(list(Severity)),
)
events = st.lists(st.one_of(changes, lines, st.just(QuietCheck("charge"))), max_size=25)


def folded(given_events: list[Event], *, told: bool = True) -> Situation:
    situation = Situation("charge")
    for place, event in enumerate(given_events):
        situation.fold(event, START + timedelta(minutes=place), quiet=QUIET, told=told)
    return situation


@given(events)
def test_what_is_on_is_what_changed_last_whatever_came_last(given_events: list[Event]) -> None:
    latest: dict[str, AlarmChange] = {}
    for event in given_events:
        if isinstance(event, AlarmChange):
            known = latest.get(event.name)
            if known is None or event.changed_at > known.changed_at:
                latest[event.name] = event
    on = {name for name, change in latest.items() if change.state == "ALARM"}
    assert {alarm.name for alarm in folded(given_events).firing()} == on


@given(events, st.booleans())
def test_an_incident_is_open_exactly_while_something_is_on(given_events: list[Event], told: bool) -> None:
    situation = folded(given_events, told=told)
    is_open = situation.incident is not None and not situation.incident.closed_at
    assert is_open == bool(situation.firing() or situation.quiet_at)


def _change(minute: int) -> AlarmChange:
    at = timestamp(START + timedelta(minutes=minute))
    state = "OK" if minute % 2 else "ALARM"
    return AlarmChange(
        name="c", state=state, changed_at=at, service="charge", label="c", severity=Severity.CRITICAL, text=""
    )


@given(events)
@example([_change(0), _change(2), _change(3)])  # its OK in between was not heard
def test_everything_a_second_time_changes_nothing(given_events: list[Event]) -> None:
    situation = folded(given_events)
    before = situation.document()
    repeated = [event for event in given_events if not isinstance(event, QuietCheck)]
    assert not [e for e in repeated if situation.fold(e, START, quiet=QUIET, told=True)]
    assert situation.document() == before


@given(events)
def test_a_situation_survives_being_written_and_read(given_events: list[Event]) -> None:
    situation = folded(given_events)
    assert Situation.of(situation.document()) == situation


@given(events)
def test_untold_incidents_stay_one_until_they_are_told(given_events: list[Event]) -> None:
    first = next((n for n in range(1, len(given_events) + 1) if folded(given_events[:n]).incident), None)
    if first is None:
        return
    begun = folded(given_events[:first], told=False).incident
    ended = folded(given_events, told=False).incident
    assert begun is not None
    assert ended is not None
    assert ended.id == begun.id
