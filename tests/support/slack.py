"""Alarms as CloudWatch tells them, log lines as it delivers them, for tests of the notifier."""

import base64
import gzip
import json
from datetime import datetime
from typing import Any

LOG_GROUP = "/aws/lambda/prod-charge-consumer"


def description(alarm: str, service: str = "charge", severity: str = "critical") -> str:
    """An alarm's description as the alarm pack writes it."""
    return (
        f"A charge failed for good. Look into the dead-letter queue.\n\nalarm: {alarm}\nservice: {service}\n"
        f"severity: {severity}\nrunbook: https://runbooks.example.com/charge#{alarm}\n"
        f"dashboard: https://console.example.com/dashboards#{service}"
    )


def alarm(
    label: str,
    at: datetime,
    state: str = "ALARM",
    *,
    severity: str = "critical",
    value: float = 5,
    **more: Any,
) -> str:
    """CloudWatch's notification of a metric alarm."""
    reason = (
        f"Threshold Crossed: 1 out of the last 1 datapoints [{value} (30/11/26 18:00:00)] was greater than "
        "or equal to the threshold (1.0) (minimum 1 datapoint for OK -> ALARM transition)."
    )
    return json.dumps(
        {
            "AlarmName": f"prod-charge-{label}",
            "AlarmDescription": description(label, severity=severity),
            "AWSAccountId": "111122223333",
            "NewStateValue": state,
            "NewStateReason": reason,
            "StateChangeTime": at.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "+0000",
            "Region": "Asia Pacific (Tokyo)",
            "AlarmArn": f"arn:aws:cloudwatch:ap-northeast-1:111122223333:alarm:prod-charge-{label}",
            "OldStateValue": "OK" if state == "ALARM" else "ALARM",
            "AlarmActions": ["arn:aws:sns:ap-northeast-1:111122223333:prod-alerts-critical"],
            "Trigger": {
                "MetricName": "ApproximateNumberOfMessagesVisible",
                "Namespace": "AWS/SQS",
                "ComparisonOperator": "GreaterThanOrEqualToThreshold",
                "Threshold": 1.0,
                "Period": 60,
            },
            **more,
        }
    )


def composite(
    label: str, at: datetime, state: str = "ALARM", *, severity: str = "critical", rule: str = ""
) -> str:
    """CloudWatch's notification of a composite alarm."""
    return json.dumps(
        {
            "AlarmName": f"prod-charge-{label}",
            "AlarmDescription": description(label, severity=severity),
            "NewStateValue": state,
            "NewStateReason": "arn:aws:cloudwatch:…:alarm:a transitioned to ALARM",
            "StateChangeTime": at.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "+0000",
            "AlarmRule": rule or 'ALARM("prod-charge-dlq-visible") OR ALARM("prod-charge-queue-stalled")',
            "TriggeringChildren": [],
        }
    )


def error_line(message: Any = "not quarantined", *, level: str = "ERROR", **more: Any) -> str:
    """A line of Powertools' logger."""
    return json.dumps({"level": level, "message": message, "service": "charge", **more})


def log_event(
    *lines: str, group: str = LOG_GROUP, stream: str = "s", kind: str = "DATA_MESSAGE"
) -> dict[str, Any]:
    """A delivery of a log's subscription."""
    document = {
        "messageType": kind,
        "owner": "111122223333",
        "logGroup": group,
        "logStream": stream,
        "subscriptionFilters": ["errors"],
        "logEvents": [
            {"id": f"{place:056d}", "timestamp": 1796061600000, "message": line}
            for place, line in enumerate(lines)
        ],
    }
    data = base64.b64encode(gzip.compress(json.dumps(document).encode())).decode()
    return {"awslogs": {"data": data}}
