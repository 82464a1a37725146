"""The alarms behind a composite, with value and threshold: its own notification names them only."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from aws_lambda_powertools.logging import Logger
from botocore.exceptions import BotoCoreError, ClientError

from alarm_notifier import readings
from alarm_notifier.events import Child
from job_runtime.clock import timestamp
from job_runtime.failures import summarize

if TYPE_CHECKING:
    from mypy_boto3_cloudwatch import CloudWatchClient

_AT_ONCE: Final = 100
"""Names in one DescribeAlarms (CloudWatch API reference)."""


@dataclass(frozen=True)
class Alarms:
    """CloudWatch, asked. An answer that does not come costs detail, not the message, so it is logged and
    goes no further."""

    client: "CloudWatchClient"
    logger: Logger

    def firing(self, names: Sequence[str]) -> tuple[Child, ...] | None:
        """Those of the alarms that are in ALARM; None when CloudWatch does not answer."""
        try:
            return tuple(self._described(names))
        except (BotoCoreError, ClientError) as error:
            self.logger.warning("alarms not described", extra={"summary": summarize(error)})
            return None

    def _described(self, names: Sequence[str]) -> Iterator[Child]:
        for start in range(0, len(names), _AT_ONCE):
            answer = self.client.describe_alarms(
                AlarmNames=list(names[start : start + _AT_ONCE]),
                AlarmTypes=["MetricAlarm", "CompositeAlarm"],
                StateValue="ALARM",
            )
            found: list[Any] = [*answer.get("MetricAlarms", ()), *answer.get("CompositeAlarms", ())]
            for alarm in found:
                since = alarm.get("StateTransitionedTimestamp") or alarm.get("StateUpdatedTimestamp")
                yield Child(
                    name=alarm["AlarmName"],
                    reading=readings.from_description(alarm),
                    since=timestamp(since) if since else "",
                )
