"""The clock of the machine, and instants as text."""

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest

from job_runtime.clock import SystemClock, timestamp


def test_the_present_is_in_utc() -> None:
    before = datetime.now(UTC)
    now = SystemClock().now()
    assert before <= now <= datetime.now(UTC)
    assert now.utcoffset() == timedelta(0)


def test_monotonic_time_does_not_go_back_and_passes_while_asleep() -> None:
    clock = SystemClock()
    started = clock.monotonic()
    clock.sleep(0.001)
    assert clock.monotonic() - started >= 0.001


def test_the_zone_of_the_machine_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert timestamp(datetime(2026, 12, 1, 3, 0, tzinfo=UTC)) == "2026-12-01T03:00:00.000000Z"
        assert SystemClock().now().utcoffset() == timedelta(0)
    finally:
        monkeypatch.undo()
        time.tzset()


def test_an_instant_is_written_in_utc_with_microseconds_always() -> None:
    tokyo = timezone(timedelta(hours=9))
    assert timestamp(datetime(2026, 12, 1, 3, 0, tzinfo=tokyo)) == "2026-11-30T18:00:00.000000Z"
    assert timestamp(datetime(2026, 12, 1, 3, 0, 0, 5, tzinfo=UTC)) == "2026-12-01T03:00:00.000005Z"
