"""What starts a dispatcher: a firing of the schedule, or the hand-over from an invocation that ran out of
time."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from job_runtime.dispatching import DispatchSettings
from job_runtime.envelope import compile_schema
from job_runtime.identity import run_id
from job_runtime.period import ScheduleError, parse_scheduled_time, period_of
from job_runtime.runs import Run

_TEXT: Final = {"type": "string", "minLength": 1, "maxLength": 2048}
_check = compile_schema(
    {
        "type": "object",
        "required": ["job", "scheduled_time"],
        "properties": {
            "job": _TEXT,
            "execution_id": _TEXT,
            "attempt_number": _TEXT,
            "schedule_arn": _TEXT,
            "run_id": _TEXT,
            "fire_id": _TEXT,
            "cursor": {
                "type": "object",
                "required": ["pk", "sk"],
                "properties": {"pk": _TEXT, "sk": _TEXT},
            },
        },
        "dependencies": {"run_id": ["fire_id"], "fire_id": ["run_id"], "cursor": ["run_id"]},
    },
    root="event",
)


@dataclass(frozen=True, slots=True)
class Firing:
    """A checked event: the period it stands for, and the name of the firing it belongs to."""

    period: str
    scheduled_time: str
    fire_id: str
    event: Mapping[str, Any]

    @classmethod
    def read(cls, event: Any, settings: DispatchSettings, *, request_id: str) -> Self:
        """Check `event`, as the schedule's input has it, or as `continuation` wrote it.

        `request_id` names a firing: Lambda keeps it when it tries an invocation again, while the schedule's
        execution id is another for every attempt.

        Raises ScheduleError when the event does not say which month to send, MalformedMessageError for any
        other broken rule; both name the field.
        """
        _check(event)
        if event["job"] != settings.job:
            raise ScheduleError(f"job: must be {settings.job}, the job of this function (JOB_NAME)")
        period = period_of(parse_scheduled_time(event["scheduled_time"]), settings.zone, settings.policy)
        if event.get("run_id", run_id(settings.job, period)) != run_id(settings.job, period):
            raise ScheduleError("run_id: must be the run that scheduled_time gives in this zone and policy")
        return cls(
            period=period,
            scheduled_time=event["scheduled_time"],
            fire_id=event.get("fire_id", request_id),
            event=event,
        )

    def continuation(self, run: Run) -> dict[str, Any]:
        """The event that makes another invocation go on with `run` behind its cursor."""
        cursor = {"pk": run.cursor.pk, "sk": run.cursor.sk} if run.cursor else None
        return {**self.event, "run_id": run.run_id, "fire_id": self.fire_id, "cursor": cursor}
