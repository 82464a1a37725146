"""The month a run bills: from the schedule's own time, in the schedule's zone, by the job's policy.

Never from the clock: a retry, a late start or a replay of the same slot must bill the same month.
"""

import re
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from job_runtime.envelope import PERIOD_PATTERN

_INSTANT: Final = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z", re.ASCII)
_PERIOD: Final = re.compile(PERIOD_PATTERN, re.ASCII)
# EventBridge Scheduler leaves a keyword as it is when its brackets were escaped on the way (jsonencode).
_PLACEHOLDER: Final = re.compile(r"aws\.scheduler\.", re.IGNORECASE)


class PeriodPolicy(StrEnum):
    """Which month a firing stands for, seen from its local month."""

    PREVIOUS_MONTH = "previous-month"
    CURRENT_MONTH = "current-month"


class ScheduleError(ValueError):
    """The input does not say which month to bill; retrying the same input cannot help."""


def parse_scheduled_time(value: object) -> datetime:
    """Read the instant EventBridge Scheduler puts in place of `<aws.scheduler.scheduled-time>`.

    `value`: `YYYY-MM-DDTHH:MM:SSZ`, the one form the service writes; a time without its offset would silently
    move the month at its edges. Returns an aware datetime in UTC.

    Raises ScheduleError for a keyword that was not substituted, another type or form, and what is no date.
    """
    if not isinstance(value, str):
        raise ScheduleError(
            f"scheduled_time: must be a string such as 2026-12-01T00:00:00Z, not {type(value).__name__}"
        )
    if _PLACEHOLDER.search(value):
        raise ScheduleError(
            "scheduled_time: the keyword <aws.scheduler.scheduled-time> was not substituted; "
            "render the schedule's input with literal < and > (jsonencode escapes them)"
        )
    if not _INSTANT.fullmatch(value):
        raise ScheduleError("scheduled_time: must be UTC in the form YYYY-MM-DDTHH:MM:SSZ")
    try:
        return datetime.strptime(value, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError as error:
        raise ScheduleError(
            "scheduled_time: is no date and time of the calendar; write YYYY-MM-DDTHH:MM:SSZ"
        ) from error


def load_zone(name: str) -> ZoneInfo:
    """The zone `name` of the IANA database, such as `Asia/Tokyo`.

    Raises ScheduleError when the database has no such name; abbreviations such as JST are none.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ScheduleError("timezone: must be a name of the IANA database, such as Asia/Tokyo") from error


def period_of(scheduled_time: datetime, zone: ZoneInfo, policy: PeriodPolicy) -> str:
    """The period `YYYY-MM` that a firing at `scheduled_time`, an aware datetime, stands for.

    Raises ScheduleError for a naive datetime and for a month that no message may carry.
    """
    if scheduled_time.tzinfo is None:
        raise ScheduleError("scheduled_time: has no UTC offset; pass an aware datetime")
    try:
        local = scheduled_time.astimezone(zone)
        if policy is PeriodPolicy.PREVIOUS_MONTH:
            local = local.replace(day=1) - timedelta(days=1)
    except OverflowError as error:
        raise ScheduleError("scheduled_time: its month is outside the calendar") from error
    return parse_period(f"{local.year:04d}-{local.month:02d}")


def parse_period(value: object) -> str:
    """`value`, when it is a period that a message may carry: `YYYY-MM`, from the year 2000 on.

    Raises ScheduleError for anything else.
    """
    if not isinstance(value, str) or not _PERIOD.fullmatch(value):
        raise ScheduleError("period: must be a month in the form YYYY-MM from 2000 on, such as 2026-11")
    return value
