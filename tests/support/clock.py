"""A clock that moves only when told to."""

from datetime import UTC, datetime, timedelta


class FakeClock:
    """Stands in for `job_runtime.clock.SystemClock`; `pauses` lists every sleep asked for, in seconds."""

    def __init__(self, start: datetime = datetime(2026, 11, 30, 18, 0, tzinfo=UTC)) -> None:
        self._now = start
        self._elapsed = 0.0
        self.pauses: list[float] = []

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._elapsed

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.advance(seconds)

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
        self._elapsed += seconds
