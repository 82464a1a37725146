"""CloudWatch: metric alarms, composite alarms, dashboards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from typing_extensions import override

from local.provider.engine.aws import Aws
from local.provider.engine.documents import compact_document
from local.provider.engine.equivalence import same_json
from local.provider.engine.resource import Equivalence, Normal, Resource, Tagging
from local.provider.engine.values import Values
from local.provider.resources.common import block, blocks, present, tag_list, tag_map

_GONE = frozenset({"ResourceNotFound", "ResourceNotFoundException"})
_ACTIONS = (
    ("alarm_actions", "AlarmActions"),
    ("insufficient_data_actions", "InsufficientDataActions"),
    ("ok_actions", "OKActions"),
)
# Arguments of a metric alarm that are one value each.
_SCALARS = (
    ("comparison_operator", "ComparisonOperator"),
    ("datapoints_to_alarm", "DatapointsToAlarm"),
    ("evaluation_periods", "EvaluationPeriods"),
    ("extended_statistic", "ExtendedStatistic"),
    ("metric_name", "MetricName"),
    ("namespace", "Namespace"),
    ("period", "Period"),
    ("statistic", "Statistic"),
    ("threshold", "Threshold"),
    ("threshold_metric_id", "ThresholdMetricId"),
    ("treat_missing_data", "TreatMissingData"),
    ("unit", "Unit"),
)


class _Alarm(Resource):
    """What metric and composite alarms share: their id is their name, and both have actions and tags."""

    missing = _GONE
    tagging = Tagging("cloudwatch", "ResourceARN")
    kind: ClassVar[str]

    def describe(self, aws: Aws, name: str) -> Mapping[str, Any] | None:
        """The alarm of this name."""
        found = aws.client("cloudwatch").describe_alarms(AlarmNames=[name], AlarmTypes=[self.kind])
        alarms: list[Mapping[str, Any]] = found.get(f"{self.kind}s", [])
        return alarms[0] if alarms else None

    def shared(self, aws: Aws, alarm: Mapping[str, Any]) -> Values:
        """The attributes that both kinds have."""
        tags = aws.client("cloudwatch").list_tags_for_resource(ResourceARN=alarm["AlarmArn"])["Tags"]
        return {
            **{name: alarm.get(api, []) for name, api in _ACTIONS},
            "actions_enabled": alarm.get("ActionsEnabled", True),
            "alarm_description": alarm.get("AlarmDescription"),
            "alarm_name": alarm["AlarmName"],
            "arn": alarm["AlarmArn"],
            "tags_all": tag_map(tags),
        }

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """Put the alarm, with its tags."""
        self.put(aws, planned, Tags=tag_list(planned["tags_all"]))
        return str(planned["alarm_name"])

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """Put the alarm again, which replaces all but its tags."""
        self.put(aws, planned)

    def put(self, aws: Aws, planned: Values, **more: Any) -> None:
        """The call that creates or replaces an alarm."""

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeleteAlarms."""
        aws.client("cloudwatch").delete_alarms(AlarmNames=[state["id"]])


def _actions(planned: Values) -> dict[str, Any]:
    return {
        "ActionsEnabled": planned["actions_enabled"],
        "AlarmName": planned["alarm_name"],
        **{api: sorted(planned[name] or []) for name, api in _ACTIONS},
        **present(AlarmDescription=planned["alarm_description"] or None),
    }


class MetricAlarm(_Alarm):
    """`aws_cloudwatch_metric_alarm` on a metric, or on metric math."""

    type = "aws_cloudwatch_metric_alarm"
    kind = "MetricAlarm"
    arguments = frozenset(
        {
            "actions_enabled",
            "alarm_description",
            "alarm_name",
            "dimensions",
            "evaluate_low_sample_count_percentiles",
            "metric_query",
            *(name for name, _ in (*_ACTIONS, *_SCALARS)),
        }
    )
    defaults: ClassVar[Mapping[str, Any]] = {
        "actions_enabled": True,
        "metric_query.return_data": False,
        "treat_missing_data": "missing",
    }
    force_new = frozenset({"alarm_name"})

    @override
    def put(self, aws: Aws, planned: Values, **more: Any) -> None:
        """PutMetricAlarm."""
        scalars = {api: planned[name] for name, api in _SCALARS if planned[name] not in (None, "")}
        aws.client("cloudwatch").put_metric_alarm(
            **_actions(planned),
            **scalars,
            **present(
                Dimensions=_dimensions(planned["dimensions"]),
                EvaluateLowSampleCountPercentile=planned["evaluate_low_sample_count_percentiles"] or None,
                Metrics=[_query(item) for item in planned["metric_query"]] or None,
            ),
            **more,
        )

    @override
    def read(self, aws: Aws, state: Values) -> Values | None:
        """DescribeAlarms and the tags."""
        alarm = self.describe(aws, state["id"])
        if alarm is None:
            return None
        return {
            **self.shared(aws, alarm),
            **{name: alarm.get(api) for name, api in _SCALARS},
            "dimensions": {item["Name"]: item["Value"] for item in alarm.get("Dimensions", [])},
            "evaluate_low_sample_count_percentiles": alarm.get("EvaluateLowSampleCountPercentile", ""),
            "metric_query": [_described_query(item) for item in alarm.get("Metrics", [])],
        }


def _dimensions(dimensions: Mapping[str, str] | None) -> list[dict[str, str]] | None:
    return [{"Name": name, "Value": value} for name, value in sorted((dimensions or {}).items())] or None


def _query(query: Values) -> dict[str, Any]:
    metric = block(query, "metric")
    return {
        "Id": query["id"],
        "ReturnData": bool(query["return_data"]),
        **present(
            AccountId=query["account_id"] or None,
            Expression=query["expression"] or None,
            Label=query["label"] or None,
            MetricStat=metric
            and {
                "Metric": {
                    "MetricName": metric["metric_name"],
                    **present(
                        Dimensions=_dimensions(metric["dimensions"]), Namespace=metric["namespace"] or None
                    ),
                },
                "Period": metric["period"],
                "Stat": metric["stat"],
                **present(Unit=metric["unit"] or None),
            },
            Period=query["period"] or None,
        ),
    }


def _described_query(query: Mapping[str, Any]) -> Values:
    return {
        "account_id": query.get("AccountId"),
        "expression": query.get("Expression"),
        "id": query["Id"],
        "label": query.get("Label"),
        "metric": [
            {
                "dimensions": {item["Name"]: item["Value"] for item in stat["Metric"].get("Dimensions", [])},
                "metric_name": stat["Metric"]["MetricName"],
                "namespace": stat["Metric"].get("Namespace"),
                "period": stat["Period"],
                "stat": stat["Stat"],
                "unit": stat.get("Unit"),
            }
            for stat in blocks(query.get("MetricStat"))
        ],
        "period": query.get("Period"),
        "return_data": query.get("ReturnData", False),
    }


class CompositeAlarm(_Alarm):
    """`aws_cloudwatch_composite_alarm`."""

    type = "aws_cloudwatch_composite_alarm"
    kind = "CompositeAlarm"
    arguments = frozenset(
        {
            "actions_enabled",
            "actions_suppressor",
            "alarm_description",
            "alarm_name",
            "alarm_rule",
            *(name for name, _ in _ACTIONS),
        }
    )
    defaults: ClassVar[Mapping[str, Any]] = {"actions_enabled": True}
    force_new = frozenset({"actions_enabled", "alarm_name"})

    @override
    def put(self, aws: Aws, planned: Values, **more: Any) -> None:
        """PutCompositeAlarm."""
        suppressor = block(planned, "actions_suppressor")
        aws.client("cloudwatch").put_composite_alarm(
            **_actions(planned),
            AlarmRule=planned["alarm_rule"],
            **(
                {
                    "ActionsSuppressor": suppressor["alarm"],
                    "ActionsSuppressorExtensionPeriod": suppressor["extension_period"],
                    "ActionsSuppressorWaitPeriod": suppressor["wait_period"],
                }
                if suppressor
                else {}
            ),
            **more,
        )

    @override
    def read(self, aws: Aws, state: Values) -> Values | None:
        """DescribeAlarms and the tags."""
        alarm = self.describe(aws, state["id"])
        if alarm is None:
            return None
        return {
            **self.shared(aws, alarm),
            "actions_suppressor": [
                {
                    "alarm": name,
                    "extension_period": alarm.get("ActionsSuppressorExtensionPeriod"),
                    "wait_period": alarm.get("ActionsSuppressorWaitPeriod"),
                }
                for name in blocks(alarm.get("ActionsSuppressor") or None)
            ],
            "alarm_rule": alarm["AlarmRule"],
        }


class Dashboard(Resource):
    """`aws_cloudwatch_dashboard`; its id is its name."""

    type = "aws_cloudwatch_dashboard"
    arguments = frozenset({"dashboard_body", "dashboard_name"})
    force_new = frozenset({"dashboard_name"})
    normal: ClassVar[Mapping[str, Normal]] = {"dashboard_body": compact_document}
    equivalent: ClassVar[Mapping[str, Equivalence]] = {"dashboard_body": same_json}
    missing = _GONE

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """PutDashboard."""
        self.update(aws, planned, planned)
        return str(planned["dashboard_name"])

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """GetDashboard."""
        found = aws.client("cloudwatch").get_dashboard(DashboardName=state["id"])
        return {
            "dashboard_arn": found["DashboardArn"],
            "dashboard_body": found["DashboardBody"],
            "dashboard_name": state["id"],
        }

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """PutDashboard again."""
        aws.client("cloudwatch").put_dashboard(
            DashboardName=planned["dashboard_name"], DashboardBody=planned["dashboard_body"]
        )

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeleteDashboards."""
        aws.client("cloudwatch").delete_dashboards(DashboardNames=[state["id"]])
