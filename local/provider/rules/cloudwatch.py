"""CloudWatch: alarms, composite alarms, dashboards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from local.provider.engine.errors import Problem
from local.provider.engine.rules import (
    AnyOf,
    Arn,
    ConflictsWith,
    ExactlyOneOf,
    Items,
    Json,
    Length,
    Multiple,
    OneOf,
    Pattern,
    Range,
    RequiredWith,
    Table,
)
from local.provider.engine.validation import Planned, PlanRule
from local.provider.engine.values import UNKNOWN

_ACTION = AnyOf(
    Arn(),
    Pattern(
        r"arn:[\w-]+:automate:[\w-]+:ec2:(?:reboot|recover|stop|terminate)", "be an action of EC2 on itself"
    ),
)
_COMPARISONS = OneOf(
    "GreaterThanOrEqualToThreshold",
    "GreaterThanThreshold",
    "GreaterThanUpperThreshold",
    "LessThanLowerOrGreaterThanUpperThreshold",
    "LessThanLowerThreshold",
    "LessThanOrEqualToThreshold",
    "LessThanThreshold",
)
_PERCENTILE = Pattern(
    r"(?:p|tm|wm|tc|ts)(?:\d{1,2}(?:\.\d{1,2})?|100)"
    r"|IQM"
    r"|(?:TM|WM|PR|TC|TS)\((?:\d+(?:\.\d+)?%?)?:(?:\d+(?:\.\d+)?%?)?\)",
    "be an extended statistic, such as p99.9",
)
_STATISTICS = OneOf("Average", "Maximum", "Minimum", "SampleCount", "Sum")
_NAMESPACE = (Length(1, 255), Pattern(".*[^:].*", "have something other than colons"))
_UNITS = OneOf(
    *("Seconds", "Microseconds", "Milliseconds", "Percent", "Count", "Count/Second", "None"),
    *(
        f"{scale}{unit}{rate}"
        for scale, unit in (
            *((scale, "bytes") for scale in ("Kilo", "Mega", "Giga", "Tera")),
            *((scale, "bits") for scale in ("Kilo", "Mega", "Giga", "Tera")),
            ("", "Bytes"),
            ("", "Bits"),
        )
        for rate in ("", "/Second")
    ),
)
_MINUTES = Multiple(60)
_QUERY_PERIOD = AnyOf(OneOf(1, 5, 10, 20, 30), _MINUTES)
_ALARM_PERIOD = AnyOf(OneOf(10, 20, 30), _MINUTES)
_ALARM_NAME = Length(1, 255)

VALIDATED: Mapping[str, Table] = {
    "aws_cloudwatch_composite_alarm": {
        "alarm_actions": (Items(5), Arn()),
        "alarm_description": Length(0, 1024),
        "alarm_name": Length(0, 255),
        "alarm_rule": Length(1, 10_240),
        "insufficient_data_actions": (Items(5), Arn()),
        "ok_actions": (Items(5), Arn()),
    },
    "aws_cloudwatch_dashboard": {
        "dashboard_body": Json(),
        "dashboard_name": Pattern(r"[A-Za-z0-9_-]{1,255}", "have 1 to 255 of letters, digits, - and _"),
    },
    "aws_cloudwatch_metric_alarm": {
        "alarm_actions": _ACTION,
        "alarm_description": Length(0, 1024),
        "alarm_name": _ALARM_NAME,
        "comparison_operator": _COMPARISONS,
        "datapoints_to_alarm": Range(1),
        "dimensions": ConflictsWith("metric_query"),
        "evaluate_low_sample_count_percentiles": OneOf("evaluate", "ignore", ignore_case=True),
        "evaluation_criteria": (
            ExactlyOneOf("evaluation_criteria", "metric_name", "metric_query"),
            ConflictsWith(
                *("comparison_operator", "datapoints_to_alarm", "dimensions", "evaluation_periods"),
                *("extended_statistic", "metric_name", "metric_query", "namespace", "period", "statistic"),
                *("threshold", "threshold_metric_id", "unit"),
            ),
        ),
        "evaluation_criteria.promql_criteria.pending_period": Range(0, 86_400),
        "evaluation_criteria.promql_criteria.query": Length(1, 10_000),
        "evaluation_criteria.promql_criteria.recovery_period": Range(0, 86_400),
        "evaluation_interval": (
            RequiredWith("evaluation_criteria"),
            ConflictsWith("metric_name", "metric_query"),
            _ALARM_PERIOD,
        ),
        "evaluation_periods": Range(1),
        "extended_statistic": (ConflictsWith("statistic", "metric_query"), _PERCENTILE),
        "insufficient_data_actions": (Items(5), _ACTION),
        "metric_name": (ConflictsWith("metric_query"), Length(1, 255)),
        "metric_query": ConflictsWith("metric_name"),
        "metric_query.account_id": Length(1, 255),
        "metric_query.expression": Length(1, 1024),
        "metric_query.id": Length(1, 255),
        "metric_query.metric.metric_name": Length(1, 255),
        "metric_query.metric.namespace": _NAMESPACE,
        "metric_query.metric.period": _QUERY_PERIOD,
        "metric_query.metric.stat": AnyOf(_STATISTICS, _PERCENTILE),
        "metric_query.metric.unit": _UNITS,
        "metric_query.period": _QUERY_PERIOD,
        "namespace": (ConflictsWith("metric_query"), *_NAMESPACE),
        "ok_actions": (Items(5), _ACTION),
        "period": (ConflictsWith("metric_query"), _ALARM_PERIOD),
        "statistic": (ConflictsWith("extended_statistic", "metric_query"), _STATISTICS),
        "threshold": ConflictsWith("threshold_metric_id"),
        "threshold_metric_id": (ConflictsWith("threshold"), Length(1, 255)),
        "treat_missing_data": OneOf("breaching", "ignore", "missing", "notBreaching", ignore_case=True),
        "unit": _UNITS,
    },
}


def _comparison(change: Planned) -> Iterator[Problem]:
    """An alarm on a metric or on metric math compares, over a number of periods."""
    metric, queries = change.values["metric_name"], change.values["metric_query"]
    if UNKNOWN in (metric, queries) or not (metric or queries):
        return
    for name in ("comparison_operator", "evaluation_periods"):
        if not change.values[name] and change.values[name] is not UNKNOWN:
            yield Problem(f"{name} is required", "An alarm on a metric or on queries needs it.", name)


def _statistic(change: Planned) -> Iterator[Problem]:
    """An alarm on a metric has one statistic."""
    names = ("metric_name", "metric_query", "statistic", "extended_statistic")
    metric, queries, plain, extended = (change.values[name] for name in names)
    if UNKNOWN in (metric, queries, plain, extended):
        return
    if metric and bool(plain) == bool(extended):
        yield Problem("one of statistic or extended_statistic must be set", "Write one of them.", "statistic")


def _query(change: Planned) -> Iterator[Problem]:
    """A query is a metric or an expression."""
    queries = change.values["metric_query"]
    for query in [] if queries is UNKNOWN else queries:
        if query is not UNKNOWN and query["expression"] not in (None, "", UNKNOWN) and query["metric"]:
            yield Problem(
                f"metric_query {query['id']} has both an expression and a metric",
                "Write one of them.",
                "metric_query",
            )


PLANNED: Mapping[str, Sequence[PlanRule]] = {
    "aws_cloudwatch_metric_alarm": (_comparison, _statistic, _query),
}
