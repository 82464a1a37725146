"""CloudWatch and CloudWatch Logs."""

from __future__ import annotations

from typing import Any

from tests.local.probes.probe import Newer, Probe, probes
from tests.local.probes.values import BAD_ARNS, FUNCTION, KEY, LATE, LATER, ROLE, TOPIC, each, late

_METRIC: dict[str, Any] = {
    "alarm_name": "payroll-age",
    "comparison_operator": "GreaterThanThreshold",
    "evaluation_periods": 3,
    "metric_name": "ApproximateAgeOfOldestMessage",
    "namespace": "AWS/SQS",
    "period": 60,
    "statistic": "Maximum",
    "threshold": 0.5,
}
_STAT = {"metric_name": "Errors", "namespace": "AWS/Lambda", "period": 60, "stat": "Sum"}
_MATH: dict[str, Any] = {
    "alarm_name": "payroll-share",
    "comparison_operator": "GreaterThanThreshold",
    "evaluation_periods": 1,
    "threshold": 0.5,
    "metric_query": [
        {"id": "share", "expression": "errors / 10", "return_data": True},
        {"id": "errors", "metric": _STAT},
    ],
}
_TOPICS = [f"{TOPIC}-{number}" for number in range(6)]
_6 = "6.x knows alarms of PromQL, and so checks this elsewhere"


def _query(**changes: Any) -> dict[str, Any]:
    return {"metric_query": [{"id": "errors", "return_data": True, "metric": {**_STAT, **changes}}]}


def _expression(**changes: Any) -> dict[str, Any]:
    return {"metric_query": [{"id": "share", "expression": "1", "return_data": True, **changes}]}


PROBES: tuple[Probe, ...] = (
    *probes(
        "aws_cloudwatch_metric_alarm",
        _METRIC,
        validate=[
            *each("alarm_name", "", "a" * 256),
            *each("alarm_description", "d" * 1025, "給" * 342),
            *each("comparison_operator", ">", "GreaterThan"),
            *each("evaluation_periods", 0, 1.5),
            *each("datapoints_to_alarm", 0, 2.5),
            *each("period", 1, 5, 15, 45, 61, 90, 10.5),
            *each("statistic", "Median", "sum", "p99"),
            {"statistic": None, "extended_statistic": "p101"},
            {"statistic": None, "extended_statistic": "Sum"},
            {"extended_statistic": "p99"},
            *each("metric_name", "", "m" * 256),
            *each("namespace", "", ":", "::", "n" * 256),
            *each("unit", "second", "Requests"),
            *each("treat_missing_data", "ok", ""),
            *each("evaluate_low_sample_count_percentiles", "skip"),
            {"threshold_metric_id": "band"},
            {"threshold": None, "threshold_metric_id": ""},
            *each("alarm_actions", *([arn] for arn in BAD_ARNS)),
            *each("ok_actions", ["payroll"], _TOPICS),
            *each("insufficient_data_actions", ["payroll"], _TOPICS),
            {"metric_query": [{"id": "errors", "metric": _STAT}]},
        ],
        plan=[{"statistic": None}, {"period": late(45)}, {"alarm_actions": [LATE]}, {"namespace": late("")}],
        accepted=[
            {},
            *each("period", 0, 10, 30, 86_400),
            *each("treat_missing_data", "NOTBREACHING", "breaching", "Ignore"),
            *each("alarm_actions", _TOPICS, [LATER], [], ["arn:aws:automate:ap-northeast-1:ec2:stop"]),
            {"statistic": None, "extended_statistic": "tm(1%:99%)".upper()},
            {"statistic": None, "extended_statistic": "p99.99"},
            *each("threshold", None, -1.25, 7),
            {"datapoints_to_alarm": 9},
            {"namespace": None},
            {"namespace": "a:b"},
            {"dimensions": {f"d{number}": "x" for number in range(31)}},
        ],
        newer=[
            Newer("accepted", "validate", "6.x takes periods of 20 seconds", [{"period": 20}]),
            Newer(
                "accepted",
                "plan",
                "6.x lets a value that it does not know yet pass",
                [
                    {"statistic": LATER},
                    {"statistic": None, "extended_statistic": LATER},
                ],
            ),
            Newer("plan", "validate", _6, [{"comparison_operator": None}, {"evaluation_periods": None}]),
            Newer(
                "validate",
                "accepted",
                _6,
                [
                    {
                        "metric_name": None,
                        "namespace": None,
                        "period": None,
                        "statistic": None,
                        "dimensions": None,
                    }
                ],
            ),
        ],
    ),
    *probes(
        "aws_cloudwatch_metric_alarm",
        _MATH,
        validate=[
            *each("dimensions", {}, {"QueueName": "payroll"}),
            *each("namespace", "AWS/SQS"),
            *each("period", 60),
            *each("statistic", "Sum"),
            *each("extended_statistic", "p99"),
            *each("metric_name", "Errors"),
            _query(period=45),
            _query(period=2),
            _query(stat="Median"),
            _query(stat="p100.5"),
            _query(unit="requests"),
            _query(namespace=""),
            _query(metric_name=""),
            _query(period=1.5),
            _expression(id=""),
            _expression(id="i" * 256),
            _expression(expression=""),
            _expression(expression="e" * 1025),
            _expression(period=7),
            _expression(account_id=""),
        ],
        plan=[
            {"metric_query": [{"id": "share", "expression": "errors", "metric": _STAT}]},
            {"metric_query": [{"id": "errors", "metric": {**_STAT, "period": late(45)}}]},
        ],
        accepted=[
            {},
            _query(stat="p99"),
            _query(stat="TC(0.1:0.9)"),
            _query(period=1),
            _query(period=LATER, stat="Median"),
            _expression(id="Not An Id"),
            _expression(return_data=None),
            {"unit": "Count"},
        ],
        newer=[Newer("accepted", "validate", "6.x takes periods of 20 seconds", [_query(period=20)])],
    ),
    *probes(
        "aws_cloudwatch_composite_alarm",
        {"alarm_name": "payroll-broken", "alarm_rule": "ALARM(payroll-age)"},
        validate=[
            *each("alarm_name", "a" * 256),
            *each("alarm_description", "d" * 1025),
            *each("alarm_rule", "", "r" * 10_241),
            *each("alarm_actions", ["payroll"], _TOPICS, ["arn:aws:automate:ap-northeast-1:ec2:stop:"]),
            *each("ok_actions", ["arn:aws:sns:tokyo:444455556666:t"], _TOPICS),
            *each("insufficient_data_actions", ["payroll"], _TOPICS),
            {"actions_suppressor": {"alarm": "maintenance", "extension_period": 1.5, "wait_period": 1}},
        ],
        plan=[{"alarm_actions": [LATE]}],
        accepted=[
            {},
            *each("alarm_name", ""),
            *each("alarm_rule", "not a rule", "r" * 10_240),
            *each("alarm_actions", _TOPICS[:5], [LATER]),
            {"actions_suppressor": {"alarm": "maintenance", "extension_period": -1, "wait_period": 0}},
        ],
    ),
    *probes(
        "aws_cloudwatch_dashboard",
        {"dashboard_name": "payroll", "dashboard_body": '{"widgets": []}'},
        validate=[
            *each("dashboard_name", "", "pay.roll", "pay roll", "d" * 256),
            *each("dashboard_body", "payroll", "{"),
        ],
        plan=[{"dashboard_body": LATE}],
        accepted=[{}, *each("dashboard_body", "[]", ""), {"dashboard_name": "d" * 255}],
    ),
    *probes(
        "aws_cloudwatch_log_group",
        {"name": "/aws/lambda/payroll"},
        validate=[
            *each("name", "", "pay roll", "pay:roll", "l" * 513),
            {"name_prefix": "/aws/"},
            {"name": None, "name_prefix": "l" * 484},
            *each("retention_in_days", 2, 31, 366, -1, 1.5),
            *each("log_group_class", "standard", "ARCHIVE"),
        ],
        plan=[{"retention_in_days": late(31)}],
        accepted=[
            {},
            *each("retention_in_days", 0, 400, 3653),
            *each("kms_key_id", KEY, "alias/payroll"),
            {"name": "l" * 512},
            {"name": None, "name_prefix": "l" * 483},
            {"log_group_class": "INFREQUENT_ACCESS"},
        ],
    ),
    *probes(
        "aws_cloudwatch_log_subscription_filter",
        {
            "name": "errors",
            "log_group_name": "/aws/lambda/payroll",
            "destination_arn": FUNCTION,
            "filter_pattern": "",
        },
        validate=[
            *each("destination_arn", *BAD_ARNS),
            *each("role_arn", "payroll"),
            *each("distribution", "Even", "random"),
            *each("filter_pattern", "f" * 1025),
            *each("name", "", "n" * 513),
        ],
        plan=[{"destination_arn": LATE}],
        accepted=[
            {},
            *each("log_group_name", "pay roll"),
            {"role_arn": ROLE},
            {"filter_pattern": "f" * 1024},
        ],
    ),
)
