"""What PutMetricAlarm takes, and the alarm it defines.

Source: Amazon CloudWatch API Reference, PutMetricAlarm, PutMetricData, MetricDataQuery, MetricStat; User
Guide, "Creating alarms" (limits).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from local.cloudwatch import expressions
from local.cloudwatch.evaluation import COMPARISONS, TREATMENTS
from local.cloudwatch.metrics import STATISTICS, Metric, percentile_of
from local.cloudwatch.refusal import RefusedError

_ID = re.compile(r"[a-z][a-zA-Z0-9_]*")
_ARN = re.compile(r"arn:[a-z-]+:[a-z0-9-]+:[^:]*:[^:]*:.+")
_DAY, _WEEK = 86_400, 604_800
_HIGH_RESOLUTION_PERIODS = (10, 20, 30)
_MAXIMUM_DESCRIPTION = 1024
_MAXIMUM_NAME = 255
_MAXIMUM_ACTIONS = 5
_MAXIMUM_DIMENSIONS = 30
_MAXIMUM_QUERIES = 20
_MAXIMUM_METRICS = 10
ACTIONS = {"ALARM": "AlarmActions", "OK": "OKActions", "INSUFFICIENT_DATA": "InsufficientDataActions"}
_NOT_HERE = ("ThresholdMetricId", "EvaluationCriteria", "EvaluationInterval")
_BANDS = ("LessThanLowerOrGreaterThanUpperThreshold", "LessThanLowerThreshold", "GreaterThanUpperThreshold")


@dataclass(frozen=True)
class Query:
    """One element of an alarm's `Metrics`: a metric with its statistic, or an expression."""

    id: str
    metric: Metric | None = None
    statistic: str = ""
    unit: str | None = None
    expression: expressions.Node | None = None


@dataclass(frozen=True)
class MetricAlarm:
    """A metric alarm, checked: `queries` in the order in which they can be computed, `result` the id judged.

    `period` in seconds; `treatment` is that of missing data, `low_samples` that of percentiles of too few.
    """

    queries: tuple[Query, ...]
    result: str
    period: int
    evaluation_periods: int
    datapoints_to_alarm: int
    comparison: str
    threshold: float
    treatment: str
    low_samples: str

    @property
    def metrics(self) -> list[Metric]:
        """The metrics it looks at."""
        return [query.metric for query in self.queries if query.metric is not None]


def metric_of(values: Mapping[str, Any]) -> Metric:
    """Build the metric of a structure with Namespace, MetricName, Dimensions. Raises RefusedError."""
    name, namespace = values.get("MetricName"), values.get("Namespace")
    dimensions = values.get("Dimensions") or []
    _require(bool(name) and len(str(name)) <= 255, "MetricName has 1 to 255 characters")
    _require(
        bool(namespace) and len(str(namespace)) <= 255, f"metric {name}: Namespace has 1 to 255 characters"
    )
    _require(
        len(dimensions) <= _MAXIMUM_DIMENSIONS, f"metric {name}: at most {_MAXIMUM_DIMENSIONS} dimensions"
    )
    for dimension in dimensions:
        _require(
            bool(dimension.get("Name")) and bool(dimension.get("Value")),
            f"metric {name}: a dimension has a Name and a Value, neither empty",
        )
    pairs = {dimension["Name"]: dimension["Value"] for dimension in dimensions}
    _require(len(pairs) == len(dimensions), f"metric {name}: a dimension is named twice")
    return Metric.of(str(namespace), str(name), pairs)


def _require(fits: bool, message: str) -> None:
    if not fits:
        raise RefusedError(message)


def check_shared(values: Mapping[str, Any]) -> None:
    """Check what metric and composite alarms have in common: name, description, actions."""
    name = values.get("AlarmName") or ""
    _require(1 <= len(name) <= _MAXIMUM_NAME, f"AlarmName has 1 to {_MAXIMUM_NAME} characters")
    description = values.get("AlarmDescription") or ""
    _require(
        len(description) <= _MAXIMUM_DESCRIPTION,
        f"alarm {name}: AlarmDescription has {len(description)} characters, at most {_MAXIMUM_DESCRIPTION}",
    )
    for field in ACTIONS.values():
        actions = values.get(field) or []
        _require(len(actions) <= _MAXIMUM_ACTIONS, f"alarm {name}: {field} has more than {_MAXIMUM_ACTIONS}")
        for action in actions:
            _require(bool(_ARN.fullmatch(action)), f"alarm {name}: {field}: {action} is no ARN")


def metric_alarm(values: Mapping[str, Any]) -> MetricAlarm:
    """Check a PutMetricAlarm request and return the alarm. Raises RefusedError, naming alarm and rule."""
    check_shared(values)
    name = values["AlarmName"]
    for field in _NOT_HERE:
        _require(not values.get(field), f"alarm {name}: {field} is not served by the local AWS")
    comparison = values.get("ComparisonOperator") or ""
    _require(comparison not in _BANDS, f"alarm {name}: {comparison} needs a band, which is not served here")
    _require(
        comparison in COMPARISONS, f"alarm {name}: ComparisonOperator is one of {', '.join(COMPARISONS)}"
    )
    _require(values.get("Threshold") is not None, f"alarm {name}: Threshold is missing")
    treatment = values.get("TreatMissingData") or "missing"
    _require(treatment in TREATMENTS, f"alarm {name}: TreatMissingData is one of {', '.join(TREATMENTS)}")
    low_samples = values.get("EvaluateLowSampleCountPercentile") or ""
    _require(
        low_samples in ("", "evaluate", "ignore"),
        f"alarm {name}: EvaluateLowSampleCountPercentile is evaluate or ignore",
    )
    periods = int(values.get("EvaluationPeriods") or 0)
    _require(periods >= 1, f"alarm {name}: EvaluationPeriods is at least 1")
    datapoints = int(values.get("DatapointsToAlarm") or periods)
    _require(
        1 <= datapoints <= periods,
        f"alarm {name}: DatapointsToAlarm {datapoints} is between 1 and EvaluationPeriods {periods}",
    )
    _require(
        bool(values.get("Metrics")) != bool(values.get("MetricName")),
        f"alarm {name}: either MetricName or Metrics",
    )
    if values.get("Metrics"):
        queries, result, period = _queries(name, values)
    else:
        queries, result, period = _single(name, values)
    _check_span(name, period, periods)
    alarm = MetricAlarm(
        queries,
        result,
        period,
        periods,
        datapoints,
        comparison,
        float(values["Threshold"]),
        treatment,
        low_samples,
    )
    if any(metric.namespace == "AWS/DynamoDB" for metric in alarm.metrics):
        # "Alarms that evaluate metrics in the AWS/DynamoDB namespace always ignore missing data."
        return replace(alarm, treatment="ignore")
    return alarm


def _single(name: str, values: Mapping[str, Any]) -> tuple[tuple[Query, ...], str, int]:
    statistic, extended = values.get("Statistic"), values.get("ExtendedStatistic")
    _require(bool(statistic) != bool(extended), f"alarm {name}: either Statistic or ExtendedStatistic")
    _require(
        not values.get("EvaluateLowSampleCountPercentile") or bool(extended),
        f"alarm {name}: EvaluateLowSampleCountPercentile is for percentiles",
    )
    metric = metric_of(values)
    _check_statistic(name, str(statistic or extended), extended=bool(extended))
    period = int(values.get("Period") or 0)
    _check_period(name, period, metric)
    return (Query("m1", metric, str(statistic or extended), values.get("Unit")),), "m1", period


def _check_statistic(name: str, statistic: str, extended: bool) -> None:
    known = percentile_of(statistic) is not None if extended else statistic in STATISTICS
    _require(
        known,
        f"alarm {name}: {statistic} is no statistic that is served here; write one of "
        f"{', '.join(STATISTICS)}, or a percentile such as p99 as ExtendedStatistic",
    )


def _check_period(name: str, period: int, metric: Metric) -> None:
    fits = period in _HIGH_RESOLUTION_PERIODS or (period > 0 and period % 60 == 0)
    _require(fits, f"alarm {name}: Period {period} is 10, 20, 30 or a multiple of 60")
    _require(
        period >= 60 or not metric.namespace.startswith("AWS/"),
        f"alarm {name}: metrics of {metric.namespace} have no period below 60",
    )


def _check_span(name: str, period: int, periods: int) -> None:
    limit = _DAY if period < 3600 else _WEEK
    _require(
        period * periods <= limit,
        f"alarm {name}: Period {period} times EvaluationPeriods {periods} is above {limit} seconds: metrics "
        "are checked over one day at most, over seven with periods of an hour and more",
    )


def _queries(name: str, values: Mapping[str, Any]) -> tuple[tuple[Query, ...], str, int]:
    items: Sequence[Mapping[str, Any]] = values["Metrics"]
    for field in ("Dimensions", "Period", "Namespace", "Statistic", "ExtendedStatistic", "Unit"):
        _require(not values.get(field), f"alarm {name}: {field} goes into Metrics")
    ids = [str(item.get("Id") or "") for item in items]
    _require(len(items) <= _MAXIMUM_QUERIES, f"alarm {name}: Metrics has more than {_MAXIMUM_QUERIES}")
    for identifier in ids:
        _require(
            bool(_ID.fullmatch(identifier)) and len(identifier) <= 255,
            f"alarm {name}: id '{identifier}': a lowercase letter, then letters, digits and _",
        )
    _require(len(set(ids)) == len(ids), f"alarm {name}: an id is used twice in Metrics")
    returned = [str(item["Id"]) for item in items if item.get("ReturnData", True)]
    _require(
        len(returned) == 1,
        f"alarm {name}: exactly one element of Metrics has ReturnData true, here {len(returned)}",
    )
    for item in items:
        _require(
            bool(item.get("MetricStat")) != bool(item.get("Expression")),
            f"alarm {name}: {item['Id']}: either MetricStat or Expression",
        )
    metrics, period = _metric_queries(name, [item for item in items if item.get("MetricStat")])
    queries = ordered(
        metrics, {str(item["Id"]): str(item["Expression"]) for item in items if item.get("Expression")}
    )
    result = next(query for query in queries if query.id == returned[0])
    _require(
        result.expression is None or result.expression.kind == "TS",
        f"alarm {name}: {result.id} gives {getattr(result.expression, 'kind', '')}, a scalar (S) or an array "
        "(TS[]); an alarm needs a single time series",
    )
    return queries, result.id, period


def _metric_queries(name: str, items: Sequence[Mapping[str, Any]]) -> tuple[list[Query], int]:
    _require(1 <= len(items) <= _MAXIMUM_METRICS, f"alarm {name}: 1 to {_MAXIMUM_METRICS} metrics in Metrics")
    queries, periods = [], set()
    for item in items:
        stat = item["MetricStat"]
        metric = metric_of(stat.get("Metric") or {})
        statistic = str(stat.get("Stat") or "")
        _check_statistic(name, statistic, extended=statistic not in STATISTICS)
        period = int(stat.get("Period") or 0)
        _check_period(name, period, metric)
        periods.add(period)
        queries.append(Query(str(item["Id"]), metric, statistic, stat.get("Unit")))
    _require(len(periods) == 1, f"alarm {name}: all metrics of an alarm have the same Period")
    return queries, periods.pop()


def ordered(metrics: Sequence[Query], texts: Mapping[str, str]) -> tuple[Query, ...]:
    """Return metrics and expressions (TEXTS by id) so that each comes after those it reads.

    Raises RefusedError for an expression that reads itself, or something that is not there.
    """
    done: list[Query] = list(metrics)
    names = [query.id for query in metrics]
    kinds: dict[str, expressions.Kind] = dict.fromkeys(names, "TS")
    left = dict(texts)
    while left:
        ready = [name for name, text in left.items() if not _words(text) & left.keys()]
        if not ready:
            raise RefusedError(f"Invalid metrics list: {', '.join(sorted(left))} read each other in a circle")
        for name in ready:
            node = expressions.parse(left.pop(name), kinds, names)
            kinds[name] = node.kind
            done.append(Query(name, expression=node))
    return tuple(done)


def _words(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_][A-Za-z0-9_]*", re.sub(r"\"[^\"]*\"|'[^']*'", "", text)))


def check_datum(namespace: str, datum: Mapping[str, Any], seconds_ahead: float) -> None:
    """Check one element of PutMetricData, whose time lies SECONDS_AHEAD of now (negative: in the past).

    Raises RefusedError: a namespace of AWS's, a time more than two hours ahead or two weeks old, or none or
    several of Value, Values and StatisticValues.
    """
    if namespace.startswith("AWS/"):
        raise RefusedError(
            f"The value {namespace} for parameter Namespace is invalid: AWS/ is AWS's own",
            "InvalidParameterValue",
        )
    metric_of({**datum, "Namespace": namespace})
    given = [field for field in ("Value", "Values", "StatisticValues") if datum.get(field) is not None]
    if len(given) != 1:
        raise RefusedError(
            f"metric {datum['MetricName']}: exactly one of Value, Values and StatisticValues",
            "InvalidParameterCombination",
        )
    if not -2 * _WEEK <= seconds_ahead <= 2 * 3600:
        raise RefusedError(
            f"metric {datum['MetricName']}: Timestamp is at most two weeks old and two hours ahead",
            "InvalidParameterValue",
        )
