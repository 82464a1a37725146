"""Writes timezones.json: the IANA zones, and the local hours that the clock changes of each skip or repeat.

A schedule at a skipped local hour does not fire. Run it when the pinned `tzdata` package is updated; a test
compares the file with what this makes.
"""

import json
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from zoneinfo import ZoneInfo

FROM_YEAR = 2026
TO_YEAR = 2036
TARGET = Path(__file__).with_name("timezones.json")


def _change_between(zone: ZoneInfo, before: datetime, after: datetime) -> datetime:
    """First minute, in UTC, of the offset in force at ``after``; one change lies in between."""
    while after - before > timedelta(minutes=1):
        middle = before + (after - before) // 2
        middle = middle.replace(second=0, microsecond=0)
        if middle.astimezone(zone).utcoffset() == after.astimezone(zone).utcoffset():
            after = middle
        else:
            before = middle
    return after


def changed_hours(name: str) -> list[int]:
    """Local hours (0 to 23) that some clock change of the zone skips or repeats between the two years."""
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as rules:
        zone = ZoneInfo.from_file(rules, key=name)  # the package's, whatever the machine has
    hours: set[int] = set()
    day = datetime(FROM_YEAR, 1, 1, tzinfo=UTC)
    while day.year <= TO_YEAR:
        following = day + timedelta(days=1)
        old, new = day.astimezone(zone).utcoffset(), following.astimezone(zone).utcoffset()
        if old is not None and new is not None and old != new:
            change = _change_between(zone, day, following).replace(tzinfo=None)
            first, last = sorted((change + old, change + new))
            minute = first
            while minute < last:
                hours.add(minute.hour)
                minute += timedelta(minutes=1)
        day = following
    return sorted(hours)


def zones() -> list[str]:
    """Names of the zones in the tzdata package, without its placeholder for an unset zone."""
    names = files("tzdata").joinpath("zones").read_text(encoding="utf-8").split()
    return sorted(name for name in names if name != "Factory")


def render() -> str:
    """The file's text: a line a zone, so that a change of the rules shows as such."""
    lines = ",\n".join(f"    {json.dumps(name)}: {json.dumps(changed_hours(name))}" for name in zones())
    head = f'  "tzdata": "{version("tzdata")}",\n  "years": [{FROM_YEAR}, {TO_YEAR}]'
    return f'{{\n{head},\n  "zones": {{\n{lines}\n  }}\n}}\n'


if __name__ == "__main__":
    TARGET.write_text(render(), encoding="utf-8")
