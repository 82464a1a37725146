"""A window of maintenance: one declaration for each minute of it, in the metric that the suppressor watches.

What was put into a metric cannot be taken back, but it can be made up for: the alarm adds up a minute's
declarations, so -1 undoes 1, and 1 more declares the minute again.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from job_runtime.clock import timestamp
from operations.caller import Caller
from operations.maintenance.suppressor import Suppressor

if TYPE_CHECKING:
    from mypy_boto3_cloudwatch import CloudWatchClient

LONGEST_MINUTES: Final = 120
"""PutMetricData takes points of up to two hours ahead."""

_MINUTE: Final = timedelta(minutes=1)


@dataclass(frozen=True)
class Windows:
    """The minutes ahead, as the suppressor adds them up."""

    client: "CloudWatchClient"
    suppressor: Suppressor

    def declare(self, now: datetime, minutes: int) -> datetime:
        """Declare the minute of `now` and those after it, `minutes` in all; the end of the window.

        A minute that is declared stays so, be it said once or ten times. Raises botocore's errors.
        """
        first = _floor(now)
        sums = self._sums(first)
        wanted = [first + number * _MINUTE for number in range(minutes)]
        self._add({minute: 1 - sums.get(minute, 0.0) for minute in wanted if sums.get(minute, 0.0) != 1})
        return first + minutes * _MINUTE

    def end(self, now: datetime) -> int:
        """Undo what is declared for the minute of `now` and all after it; how many minutes that were.

        0 also when it was declared so lately that CloudWatch does not show it yet. Raises botocore's errors.
        """
        undone = {minute: -total for minute, total in self._sums(_floor(now)).items() if total}
        self._add(undone)
        return len(undone)

    def tell(self, *, on: bool, why: str, caller: Caller) -> None:
        """Turn the suppressor on or off at once, and leave who and why in its history.

        The points keep it there: without them the next look at the metric would turn it back.
        """
        word = "declared" if on else "ended"
        self.client.set_alarm_state(
            AlarmName=self.suppressor.alarm,
            StateValue="ALARM" if on else "OK",
            StateReason=f"maintenance {word} by {caller.arn}: {why}",
        )

    def _sums(self, first: datetime) -> dict[datetime, float]:
        answer = self.client.get_metric_data(
            MetricDataQueries=[
                {
                    "Id": "declared",
                    "MetricStat": {
                        "Metric": {
                            "Namespace": self.suppressor.namespace,
                            "MetricName": self.suppressor.metric,
                            "Dimensions": list(self.suppressor.dimensions),
                        },
                        "Period": 60,
                        "Stat": "Sum",
                    },
                }
            ],
            StartTime=first,
            EndTime=first + (LONGEST_MINUTES + 1) * _MINUTE,
        )
        (series,) = answer["MetricDataResults"]
        return dict(zip(series["Timestamps"], series["Values"], strict=True))

    def _add(self, points: dict[datetime, float]) -> None:
        if points:
            self.client.put_metric_data(
                Namespace=self.suppressor.namespace,
                MetricData=[
                    {
                        "MetricName": self.suppressor.metric,
                        "Dimensions": list(self.suppressor.dimensions),
                        "Timestamp": minute,
                        "Value": value,
                        "Unit": "Count",
                    }
                    for minute, value in sorted(points.items())
                ],
            )


def minute_text(instant: datetime) -> str:
    """An instant for people, to the minute."""
    return timestamp(instant)[:16] + "Z"


def _floor(instant: datetime) -> datetime:
    return instant.replace(second=0, microsecond=0)
