"""The alarm that keeps composites quiet, as it is deployed: where its metric is, and that it can end."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from operations.outcome import RefusedError

if TYPE_CHECKING:
    from mypy_boto3_cloudwatch import CloudWatchClient
    from mypy_boto3_cloudwatch.type_defs import DimensionTypeDef


@dataclass(frozen=True)
class Suppressor:
    """A metric alarm on the number of declarations for a minute."""

    alarm: str
    namespace: str
    metric: str
    dimensions: "tuple[DimensionTypeDef, ...]"


def find(client: "CloudWatchClient", environment: str, job: str, alarm: str | None) -> Suppressor:
    """The maintenance alarm of a job, asked of CloudWatch: a window is declared where the alarm looks.

    `alarm`: its name; by default as `envs/` names it. Raises RefusedError when there is none, or it is not
    one that a declared minute turns on and an ended one off; botocore's errors.
    """
    name = alarm or f"fanout-{environment}-{job}-maintenance"
    found = client.describe_alarms(AlarmNames=[name], AlarmTypes=["MetricAlarm"])["MetricAlarms"]
    if not found:
        raise RefusedError(
            f"{name}: there is no such alarm; name it with --alarm, or deploy the job with `alarms`"
        )
    (deployed,) = found
    rule = (
        deployed.get("Statistic"),
        deployed.get("Period"),
        deployed.get("ComparisonOperator"),
        deployed.get("Threshold"),
    )
    if rule != ("Sum", 60, "GreaterThanOrEqualToThreshold", 1.0):
        raise RefusedError(
            f"{name}: it must be on for a Sum of 1 or more in 60 s, or a window could not be ended; "
            "name the maintenance alarm of an alarm-pack with --alarm"
        )
    return Suppressor(
        alarm=name,
        namespace=deployed["Namespace"],
        metric=deployed["MetricName"],
        dimensions=tuple(deployed["Dimensions"]),
    )
