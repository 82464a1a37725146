"""Metrics: what is stored of a point, and the statistics of a span of time.

Source: Amazon CloudWatch User Guide, "Metrics concepts" (a metric is its namespace, name and exact set of
dimensions; retention; resolution) and "CloudWatch statistics definitions" (percentiles).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

MINUTE = 60
# One-minute data points are kept for 15 days.
RETENTION_SECONDS = 15 * 86_400
STATISTICS = ("SampleCount", "Average", "Sum", "Minimum", "Maximum")
_PERCENTILE = re.compile(r"p(\d{1,2}(\.\d{0,10})?|100)")


class Metric(NamedTuple):
    """What tells one metric from another; `dimensions` are sorted pairs of name and value."""

    namespace: str
    name: str
    dimensions: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, namespace: str, name: str, dimensions: Mapping[str, str] | None = None) -> Metric:
        """Build the metric with exactly these dimensions."""
        return cls(namespace, name, tuple(sorted((dimensions or {}).items())))


@dataclass(slots=True)
class Point:
    """A value, seen `count` times at `time` (seconds of the epoch)."""

    time: float
    value: float
    count: float = 1.0
    unit: str = "None"
    high_resolution: bool = False


@dataclass(slots=True)
class Summary:
    """What is known of the samples of one span: enough for every statistic.

    `samples` (value to count) is None once a statistic set went in that does not tell its samples.
    """

    count: float = 0.0
    total: float = 0.0
    minimum: float = float("inf")
    maximum: float = float("-inf")
    samples: dict[float, float] | None = field(default_factory=dict)

    def add(self, value: float, count: float) -> None:
        """Take in a value that was seen COUNT times."""
        self.count += count
        self.total += value * count
        self.minimum = min(self.minimum, value)
        self.maximum = max(self.maximum, value)
        if self.samples is not None:
            self.samples[value] = self.samples.get(value, 0.0) + count

    def merge(self, other: Summary) -> None:
        """Take in another summary."""
        self.count += other.count
        self.total += other.total
        self.minimum = min(self.minimum, other.minimum)
        self.maximum = max(self.maximum, other.maximum)
        if self.samples is None or other.samples is None:
            self.samples = None
            return
        for value, count in other.samples.items():
            self.samples[value] = self.samples.get(value, 0.0) + count

    def statistic(self, name: str) -> float | None:
        """Return a statistic by its name (`Sum`, `p99`, …); None where a percentile is not to be had.

        A percentile needs the samples, and none of them negative.
        """
        if (percentile := percentile_of(name)) is not None:
            return self._percentile(percentile)
        match name:
            case "SampleCount":
                return self.count
            case "Average":
                return self.total / self.count
            case "Sum":
                return self.total
            case "Minimum":
                return self.minimum
        return self.maximum

    def _percentile(self, percentile: float) -> float | None:
        """The value at a rank among the samples, interpolated between its neighbours."""
        if not self.samples or self.minimum < 0:
            return None
        rank = percentile / 100 * max(self.count - 1, 0.0)
        lower = self._at(int(rank))
        return lower + (rank - int(rank)) * (self._at(int(rank) + 1) - lower)

    def _at(self, index: int) -> float:
        seen = 0.0
        for value, count in sorted((self.samples or {}).items()):
            seen += count
            if index < seen:
                return value
        return self.maximum


def percentile_of(statistic: str) -> float | None:
    """Return 99.0 for `p99`; None if the statistic is no percentile."""
    return float(statistic[1:]) if _PERCENTILE.fullmatch(statistic) else None


def too_few_samples(statistic: str, count: float) -> bool:
    """Whether a percentile of COUNT samples says little.

    Source: "Percentile-based CloudWatch alarms and low data samples": fewer than 10/(1-p) for p of 0.5 and
    more, fewer than 10/p below.
    """
    percentile = percentile_of(statistic)
    if percentile is None or not 0 < percentile < 100:
        return False
    share = percentile / 100
    return count < 10 / (1 - share if share >= 0.5 else share)


class Store:
    """Every metric's points, one bucket for each minute (each second for high-resolution points) and unit.

    Safe to use from several threads; its lock is never held while anything else is called.
    """

    def __init__(self) -> None:
        self._minutes: dict[Metric, dict[int, dict[tuple[int, str], Summary]]] = {}
        self._changed: set[Metric] = set()
        self._lock = threading.Lock()

    def put(self, metric: Metric, point: Point) -> None:
        """Add a point."""
        with self._lock:
            self._bucket(metric, point.time, point.unit, point.high_resolution).add(point.value, point.count)

    def put_statistics(
        self, metric: Metric, time: float, statistics: Mapping[str, float], unit: str = "None"
    ) -> None:
        """Add a statistic set: SampleCount, Sum, Minimum, Maximum."""
        low, high = float(statistics["Minimum"]), float(statistics["Maximum"])
        count, total = float(statistics["SampleCount"]), float(statistics["Sum"])
        known = {low: count} if low == high and total == low * count else None
        with self._lock:
            self._bucket(metric, time, unit, False).merge(Summary(count, total, low, high, known))

    def _bucket(self, metric: Metric, time: float, unit: str, high_resolution: bool) -> Summary:
        minute = int(time // MINUTE) * MINUTE
        start = int(time) if high_resolution else minute
        self._changed.add(metric)
        buckets = self._minutes.setdefault(metric, {}).setdefault(minute, {})
        return buckets.setdefault((start, unit), Summary())

    def summary(self, metric: Metric, start: int, end: int, unit: str | None = None) -> Summary | None:
        """Summarise the points from START up to before END, of one unit or of all; None without any."""
        with self._lock:
            found = list(self._between(metric, start, end, unit))
            if not found:
                return None
            total = Summary()
            for bucket in found:
                total.merge(bucket)
            return total

    def _between(self, metric: Metric, start: int, end: int, unit: str | None) -> Iterator[Summary]:
        minutes = self._minutes.get(metric)
        if minutes is None:
            return
        span = range(start - start % MINUTE, end, MINUTE)
        for minute in span if len(span) < len(minutes) else sorted(minutes.keys() & set(span)):
            for (moment, kind), bucket in minutes.get(minute, {}).items():
                if start <= moment < end and unit in (None, kind):
                    yield bucket

    def has_points(self, metric: Metric, start: int, end: int) -> bool:
        """Whether there is any point from START up to before END."""
        with self._lock:
            return any(True for _ in self._between(metric, start, end, None))

    def take_changed(self) -> set[Metric]:
        """Return the metrics that got points since the last call."""
        with self._lock:
            changed, self._changed = self._changed, set()
            return changed

    def metrics(self) -> list[Metric]:
        """Return every metric that has points."""
        with self._lock:
            return sorted(self._minutes)

    def forget(self, before: float) -> None:
        """Drop the points that are older than BEFORE."""
        with self._lock:
            for metric, minutes in list(self._minutes.items()):
                for minute in [minute for minute in minutes if minute + MINUTE <= before]:
                    del minutes[minute]
                if not minutes:
                    del self._minutes[metric]
