"""What CloudWatch publishes to a topic.

Source: Amazon CloudWatch User Guide, "Notifying users on alarm changes" (schemas of the notifications).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from local.cloudwatch.definitions import ACTIONS
from local.cloudwatch.reasons import moment


@dataclass(frozen=True)
class Place:
    """The account and region in which alarms live; `region_name` as AWS shows it (Asia Pacific (Tokyo))."""

    account: str
    region: str
    region_name: str


@dataclass(frozen=True)
class Notification:
    """One message for one action of an alarm."""

    alarm: str
    alarm_arn: str
    action: str
    subject: str
    message: str


def notification(record: Mapping[str, Any], old: str, action: str, place: Place) -> Notification:
    """Build the message to ACTION (an ARN) of an alarm (as DescribeAlarms gives it) that was OLD before."""
    new = record["StateValue"]
    body = {
        "AlarmName": record["AlarmName"],
        "AlarmDescription": record.get("AlarmDescription") or None,
        "AWSAccountId": place.account,
        "AlarmConfigurationUpdatedTimestamp": moment(record["AlarmConfigurationUpdatedTimestamp"]),
        "NewStateValue": new,
        "NewStateReason": record["StateReason"],
        "StateChangeTime": moment(record["StateTransitionedTimestamp"]),
        "Region": place.region_name,
        "AlarmArn": record["AlarmArn"],
        "OldStateValue": old,
        **{field: list(record.get(field) or []) for field in ACTIONS.values()},
        **(_composite(record) if "AlarmRule" in record else {"Trigger": _trigger(record)}),
    }
    subject = f'{new}: "{record["AlarmName"]}" in {place.region_name}'
    return Notification(
        record["AlarmName"], record["AlarmArn"], action, subject[:100], json.dumps(body, ensure_ascii=False)
    )


def _composite(record: Mapping[str, Any]) -> dict[str, Any]:
    data = json.loads(record.get("StateReasonData") or "{}")
    return {
        "AlarmRule": record["AlarmRule"],
        "TriggeringChildren": [
            {
                "Arn": child["arn"],
                "State": {"Value": child["state"]["value"], "Timestamp": child["state"]["timestamp"]},
            }
            for child in data.get("triggeringAlarms", [])
        ],
    }


def _lower(dimensions: list[Mapping[str, str]]) -> list[dict[str, str]]:
    return [{"value": item["Value"], "name": item["Name"]} for item in dimensions]


def _trigger(record: Mapping[str, Any]) -> dict[str, Any]:
    shared = {
        "EvaluationPeriods": record["EvaluationPeriods"],
        "DatapointsToAlarm": record.get("DatapointsToAlarm") or record["EvaluationPeriods"],
        "ComparisonOperator": record["ComparisonOperator"],
        "Threshold": record["Threshold"],
        "TreatMissingData": record["TreatMissingData"],
        "EvaluateLowSampleCountPercentile": record.get("EvaluateLowSampleCountPercentile") or "",
    }
    if record.get("Metrics"):
        queries = [_query(query) for query in record["Metrics"]]
        period = next(query["MetricStat"]["Period"] for query in queries if "MetricStat" in query)
        return {"Period": period, **shared, "Metrics": queries}
    extended = record.get("ExtendedStatistic")
    return {
        "MetricName": record["MetricName"],
        "Namespace": record["Namespace"],
        **(
            {"StatisticType": "ExtendedStatistic", "ExtendedStatistic": extended}
            if extended
            else {"StatisticType": "Statistic", "Statistic": str(record["Statistic"]).upper()}
        ),
        "Unit": record.get("Unit"),
        "Dimensions": _lower(record.get("Dimensions") or []),
        "Period": record["Period"],
        **shared,
    }


def _query(query: Mapping[str, Any]) -> dict[str, Any]:
    stat = query.get("MetricStat")
    if not stat:
        return dict(query)
    metric = stat["Metric"]
    return {
        **query,
        "MetricStat": {**stat, "Metric": {**metric, "Dimensions": _lower(metric.get("Dimensions") or [])}},
    }
