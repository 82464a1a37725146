"""What an audit is asked: which month, and whether to send what is missing again."""

from dataclasses import dataclass
from typing import Any, Final, Self

from job_runtime.dispatching import DispatchSettings
from job_runtime.envelope import compile_schema
from job_runtime.period import ScheduleError, parse_period, parse_scheduled_time, period_of

_TEXT: Final = {"type": "string", "minLength": 1, "maxLength": 2048}
_check = compile_schema(
    {
        "type": "object",
        "required": ["job"],
        "properties": {"job": _TEXT, "redispatch": {"type": "boolean"}},
    },
    root="event",
)


@dataclass(frozen=True, slots=True)
class Request:
    """A checked event. `scheduled_time` is None when the month was given by hand."""

    period: str
    scheduled_time: str | None
    redispatch: bool

    @classmethod
    def read(cls, event: Any, settings: DispatchSettings) -> Self:
        """Check `event`: `job`, either `scheduled_time` (read like the dispatcher's) or `period`, and
        `redispatch`.

        Raises ScheduleError when it does not say which month to audit, MalformedMessageError for any other
        broken rule; both name the field.
        """
        _check(event)
        if event["job"] != settings.job:
            raise ScheduleError(f"job: must be {settings.job}, the job of this function (JOB_NAME)")
        scheduled_time = event.get("scheduled_time")
        if (scheduled_time is None) == ("period" not in event):
            raise ScheduleError("scheduled_time, period: give one of them, and only one")
        if scheduled_time is None:
            period = parse_period(event["period"])
        else:
            instant = parse_scheduled_time(scheduled_time)
            period = period_of(instant, settings.zone, settings.policy)
        return cls(period, scheduled_time, event.get("redispatch", False))
