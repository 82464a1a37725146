"""Whether it is calm: no alarm of the job is on, nor was until just now."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from job_runtime.clock import Clock
from job_runtime.config import ConfigurationError

if TYPE_CHECKING:
    from mypy_boto3_cloudwatch import CloudWatchClient

_ASKED: Final = 100
"""Names of one call, and alarms of one answer (CloudWatch API reference; an answer has 50 unless told)."""


@dataclass(frozen=True)
class Calm:
    """The alarms, by name, metric or composite, that a redrive waits for, and how long after their end."""

    client: "CloudWatchClient"
    alarms: tuple[str, ...]
    pause: timedelta
    clock: Clock

    def disturbance(self) -> str | None:
        """What there is to wait for; None when it is calm.

        Raises ConfigurationError for an alarm that does not exist, since nobody would ever wait for it;
        botocore's errors.
        """
        found = {
            name: (state, since)
            for start in range(0, len(self.alarms), _ASKED)
            for name, state, since in self._states(self.alarms[start : start + _ASKED])
        }
        missing = sorted(set(self.alarms) - set(found))
        if missing:
            raise ConfigurationError(f"ALARM_NAMES: {', '.join(missing)} must exist; write the alarms' names")
        for name, (state, since) in sorted(found.items()):
            if state == "ALARM":
                return f"{name} is on"
            if self.clock.now() - since < self.pause:
                return f"{name} changed less than {int(self.pause.total_seconds())} s ago"
        return None

    def _states(self, names: tuple[str, ...]) -> Iterator[tuple[str, str, datetime]]:
        answer = self.client.describe_alarms(
            AlarmNames=list(names), AlarmTypes=["MetricAlarm", "CompositeAlarm"], MaxRecords=_ASKED
        )
        for alarms in (answer.get("MetricAlarms", ()), answer.get("CompositeAlarms", ())):
            for alarm in alarms:
                # The time of the last update moves with every evaluation that lacks data, too.
                since = alarm.get("StateTransitionedTimestamp", alarm["StateUpdatedTimestamp"])
                yield alarm["AlarmName"], alarm["StateValue"], since
