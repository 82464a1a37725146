"""Which month a firing bills."""

from datetime import UTC, datetime
from typing import Any

import pytest

from job_runtime.period import (
    PeriodPolicy,
    ScheduleError,
    load_zone,
    parse_period,
    parse_scheduled_time,
    period_of,
)

TOKYO = load_zone("Asia/Tokyo")


def period(scheduled_time: str, policy: PeriodPolicy, zone: str = "Asia/Tokyo") -> str:
    return period_of(parse_scheduled_time(scheduled_time), load_zone(zone), policy)


@pytest.mark.parametrize(
    ("scheduled_time", "previous", "current"),
    [
        ("2026-06-30T18:00:00Z", "2026-06", "2026-07"),
        ("2026-06-30T14:59:59Z", "2026-05", "2026-06"),
        ("2026-06-30T15:00:00Z", "2026-06", "2026-07"),
        ("2026-12-31T18:00:00Z", "2026-12", "2027-01"),
        ("2028-02-29T18:00:00Z", "2028-02", "2028-03"),
        ("2026-03-30T18:00:00Z", "2026-02", "2026-03"),
    ],
)
def test_the_month_is_that_of_the_schedules_zone_not_of_utc(
    scheduled_time: str, previous: str, current: str
) -> None:
    assert period(scheduled_time, PeriodPolicy.PREVIOUS_MONTH) == previous
    assert period(scheduled_time, PeriodPolicy.CURRENT_MONTH) == current


@pytest.mark.parametrize(
    ("scheduled_time", "expected"),
    [("2026-11-01T03:59:59Z", "2026-10"), ("2026-11-01T04:00:00Z", "2026-11")],
)
def test_summer_time_counts_on_the_night_it_ends(scheduled_time: str, expected: str) -> None:
    assert period(scheduled_time, PeriodPolicy.CURRENT_MONTH, "America/New_York") == expected


@pytest.mark.parametrize(
    "placeholder",
    [
        "<aws.scheduler.scheduled-time>",
        "\\u003caws.scheduler.scheduled-time\\u003e",
        "&lt;aws.scheduler.scheduled-time&gt;",
    ],
)
def test_a_keyword_that_was_not_substituted_is_refused_and_explained(placeholder: str) -> None:
    with pytest.raises(ScheduleError, match=r"scheduled_time: the keyword .* not substituted.*jsonencode"):
        parse_scheduled_time(placeholder)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "2026-12-01",
        "2026-12-01T00:00:00",
        "2026-12-01T00:00:00+09:00",
        "2026-12-01 00:00:00Z",
        "2026-12-01T00:00:00Z\n",
        "2026-12-01T00:00:00.000Z",
        "20261201T000000Z",
        "01/12/2026 00:00",
        "\uff12026-12-01T00:00:00Z",
        "1796083200",
    ],
)
def test_any_other_form_than_the_services_is_refused(text: str) -> None:
    with pytest.raises(ScheduleError, match="scheduled_time: must be UTC in the form"):
        parse_scheduled_time(text)


@pytest.mark.parametrize("text", ["2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z", "2026-12-01T24:00:00Z"])
def test_what_is_no_date_of_the_calendar_is_refused(text: str) -> None:
    with pytest.raises(ScheduleError, match="scheduled_time: is no date"):
        parse_scheduled_time(text)


@pytest.mark.parametrize("value", [None, 1796083200, 1.5, True, ["2026-12-01T00:00:00Z"], {}])
def test_what_is_no_text_is_refused_by_its_type(value: Any) -> None:
    with pytest.raises(ScheduleError, match=f"scheduled_time: must be a string.*{type(value).__name__}"):
        parse_scheduled_time(value)


def test_the_instant_is_aware_and_in_utc() -> None:
    assert parse_scheduled_time("2026-11-30T18:00:01Z") == datetime(2026, 11, 30, 18, 0, 1, tzinfo=UTC)


def test_a_naive_instant_has_no_month() -> None:
    with pytest.raises(ScheduleError, match="no UTC offset"):
        period_of(datetime(2026, 11, 30, 18, 0), TOKYO, PeriodPolicy.PREVIOUS_MONTH)  # noqa: DTZ001 - the fault


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00Z", "9999-12-31T23:00:00Z"])
def test_the_edges_of_the_calendar_are_refused_not_crashed_into(text: str) -> None:
    with pytest.raises(ScheduleError):
        period_of(parse_scheduled_time(text), TOKYO, PeriodPolicy.PREVIOUS_MONTH)


def test_a_month_that_no_message_may_carry_is_refused() -> None:
    with pytest.raises(ScheduleError, match="period: must be a month"):
        period("1999-06-01T00:00:00Z", PeriodPolicy.CURRENT_MONTH)


@pytest.mark.parametrize("name", ["JST", "Asia/Tokio", "", "/etc/localtime", "../Tokyo", "+09:00", "Asia"])
def test_a_zone_that_the_iana_database_does_not_have_is_refused(name: str) -> None:
    with pytest.raises(ScheduleError, match="IANA database, such as Asia/Tokyo"):
        load_zone(name)


def test_a_period_given_by_hand_is_taken_as_it_is() -> None:
    assert parse_period("2026-11") == "2026-11"


@pytest.mark.parametrize(
    "value", ["2026-13", "2026-00", "2026-1", "26-11", "2026-11-01", "2026-11\n", "", None, 202611]
)
def test_a_period_given_by_hand_must_be_a_month(value: Any) -> None:
    with pytest.raises(ScheduleError, match="period: must be a month in the form YYYY-MM"):
        parse_period(value)
