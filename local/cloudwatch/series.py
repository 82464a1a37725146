"""The data points that an alarm or GetMetricData sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from local.cloudwatch import expressions
from local.cloudwatch.definitions import MetricAlarm, Query
from local.cloudwatch.evaluation import evaluation_range
from local.cloudwatch.expressions import Series
from local.cloudwatch.metrics import MINUTE, Store, too_few_samples

# How often alarms on metrics of standard and of high resolution are evaluated.
_HIGH_RESOLUTION_STEP = 10


@dataclass(frozen=True)
class Points:
    """Data points from the oldest to the newest.

    `starts` are the beginnings of the periods, `counts` the samples of the first metric in each, `sparse` the
    positions at which a percentile has too few samples to say much.
    """

    starts: tuple[int, ...]
    values: Series
    counts: tuple[float, ...]
    sparse: frozenset[int]


def compute(queries: Sequence[Query], store: Store, starts: Sequence[int], period: int) -> dict[str, Series]:
    """Return a series for each query, by id: one point for each of the periods that begin at STARTS."""
    found: dict[str, Series] = {}
    for query in queries:
        if query.expression is not None:
            value = expressions.evaluate(query.expression, found, len(starts))
            found[query.id] = [value] * len(starts) if isinstance(value, float) else value  # type: ignore[assignment]
        elif query.metric is not None:
            summaries = (store.summary(query.metric, start, start + period, query.unit) for start in starts)
            found[query.id] = [None if s is None else s.statistic(query.statistic) for s in summaries]
    return found


def periods_before(alarm: MetricAlarm, store: Store, now: float) -> list[int]:
    """Return the beginnings of the periods that an evaluation at NOW looks at, oldest first.

    The newest one ends with the current minute once that has data, otherwise with the last full minute;
    periods are counted back from there. (On AWS an alarm's periods slide with the minute too, but the
    current minute takes part only when it is over.)
    """
    step = MINUTE if alarm.period >= MINUTE else _HIGH_RESOLUTION_STEP
    end = int(now // step) * step
    if any(store.has_points(metric, end, end + step) for metric in alarm.metrics):
        end += step
    count = evaluation_range(alarm.evaluation_periods)
    return [end - alarm.period * back for back in range(count, 0, -1)]


def points_of(alarm: MetricAlarm, store: Store, now: float) -> Points:
    """Return the data points that an evaluation at NOW looks at."""
    starts = periods_before(alarm, store, now)
    values = compute(alarm.queries, store, starts, alarm.period)[alarm.result]
    first = alarm.queries[0]
    counts: list[float] = []
    sparse: set[int] = set()
    for at, start in enumerate(starts):
        metric = first.metric
        summary = metric and store.summary(metric, start, start + alarm.period, first.unit)
        counts.append(summary.count if summary else 0.0)
        if summary and too_few_samples(first.statistic, summary.count):
            sparse.add(at)
    return Points(tuple(starts), values, tuple(counts), frozenset(sparse))
