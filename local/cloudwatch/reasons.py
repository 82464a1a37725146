"""The words and the data with which CloudWatch explains a state.

The wording follows what AWS's notifications and DescribeAlarms show, so that what reads them can be tested.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from local.cloudwatch.definitions import MetricAlarm
from local.cloudwatch.evaluation import COMPARISONS, INSUFFICIENT_DATA, Verdict
from local.cloudwatch.series import Points

INITIAL = "Unchecked: Initial alarm creation"


def moment(time: float) -> str:
    """Return a time as notifications and reason data have it: 2026-11-30T17:54:00.000+0000."""
    at = datetime.fromtimestamp(time, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}+0000"


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _comparison(alarm: MetricAlarm) -> str:
    words = re.findall(r"[A-Z][a-z]+", alarm.comparison.removesuffix("Threshold"))
    return " ".join(word.lower() for word in words)


def reason(alarm: MetricAlarm, points: Points, verdict: Verdict, old: str) -> str:
    """Say in one sentence why the alarm goes from the state OLD to that of the verdict."""
    if verdict.state == INSUFFICIENT_DATA:
        verb = "was" if verdict.filled == 1 else "were"
        return f"Insufficient Data: {_many(verdict.filled, 'datapoint')} {verb} unknown."
    treated = "Breaching" if alarm.treatment == "breaching" else "NonBreaching"
    filled = _many(verdict.filled, "missing datapoint")
    verb = "was" if verdict.filled == 1 else "were"
    if not verdict.used:
        periods = _many(alarm.evaluation_periods, "period")
        return (
            f"Threshold Crossed: no datapoints were received for {periods} and {filled} {verb} treated as "
            f"[{treated}]."
        )
    shown = ", ".join(
        f"{points.values[at]} ({datetime.fromtimestamp(points.starts[at], UTC):%d/%m/%y %H:%M:%S})"
        for at in verdict.used
    )
    breaching = verdict.state == "ALARM"
    number = (
        alarm.datapoints_to_alarm if breaching else alarm.evaluation_periods - alarm.datapoints_to_alarm + 1
    )
    matching = sum(_breaches(alarm, points, at) == breaching for at in verdict.used)
    text = (
        f"Threshold Crossed: {matching} out of the last {len(verdict.used)} datapoints [{shown}] "
        f"{'was' if matching == 1 else 'were'} {'' if breaching else 'not '}{_comparison(alarm)} "
        f"the threshold ({alarm.threshold})"
    )
    if verdict.filled and alarm.treatment in ("breaching", "notBreaching"):
        text += f" and {filled} {verb} treated as [{treated}]"
    return f"{text} (minimum {_many(number, 'datapoint')} for {old} -> {verdict.state} transition)."


def _breaches(alarm: MetricAlarm, points: Points, at: int) -> bool:
    value = points.values[at]
    return value is not None and COMPARISONS[alarm.comparison](value, alarm.threshold)


def reason_data(alarm: MetricAlarm, points: Points, verdict: Verdict, now: float) -> dict[str, Any]:
    """Return StateReasonData: the data points that decided, newest first in `evaluatedDatapoints`."""
    query = next(query for query in alarm.queries if query.id == alarm.result)
    newest = list(reversed(range(len(points.starts))))[: alarm.evaluation_periods]
    shown = verdict.used or tuple(newest)
    return {
        "version": "1.0",
        "queryDate": moment(now),
        **({"startDate": moment(points.starts[verdict.used[-1]])} if verdict.used else {}),
        **({"unit": query.unit} if query.unit else {}),
        **({"statistic": query.statistic} if query.metric else {}),
        "period": alarm.period,
        "recentDatapoints": [points.values[at] for at in reversed(verdict.used)],
        "threshold": alarm.threshold,
        "evaluatedDatapoints": [
            {
                "timestamp": moment(points.starts[at]),
                **({"sampleCount": points.counts[at]} if query.metric and points.counts[at] else {}),
                **({"value": points.values[at]} if points.values[at] is not None else {}),
            }
            for at in shown
        ],
    }
