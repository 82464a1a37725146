"""Let the schedule fire and follow the month until nothing moves any more."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from local.demo.memory import Memory
from local.demo.progress import Phase
from local.emulator import Emulator
from local.limits import HANG_SECONDS

_LOOK_SECONDS = 0.5
# A message of a killed process stays hidden for the queue's visibility timeout at most: a month that has not
# moved for longer than this has stopped.
_STILL_SECONDS = HANG_SECONDS
_SETTLED_RUNS = ("dispatched", "verified", "incomplete")


class MonthStoppedError(RuntimeError):
    """The month did not come to its end."""


@dataclass(frozen=True)
class Job:
    """Where one deployed job lives."""

    name: str
    table: str
    queue_url: str
    dead_letter_queue: str
    """The queue's name."""
    schedule: str
    """`group/name` of its schedule."""
    audit_schedule: str
    timezone: str
    consumer: str
    """The function's name."""
    auditor: str
    alarms: Mapping[str, str]
    """Names of its alarms, by `<alarm id>/<key>`."""

    @classmethod
    def of(cls, name: str, outputs: dict[str, Any]) -> Job:
        """Return the job NAME from the outputs of `envs/local`."""
        job = outputs["jobs"][name]
        schedule, audit = job["schedules"]["dispatch"], job["schedules"]["audit"]
        return cls(
            name=name,
            table=outputs["tables"]["jobs"],
            queue_url=job["queue"]["url"],
            dead_letter_queue=job["dead_letter_queue"]["name"],
            schedule=f"{schedule['group_name']}/{schedule['name']}",
            audit_schedule=f"{audit['group_name']}/{audit['name']}",
            timezone=schedule["timezone"],
            consumer=job["functions"]["consumer"]["name"],
            auditor=job["functions"]["auditor"]["name"],
            alarms={key: alarm["name"] for key, alarm in outputs["alerts"]["alarms"][name]["alarms"].items()},
        )


def run_row(aws: Emulator, job: Job, period: str) -> dict[str, Any]:
    """Return the run row of PERIOD, empty before the dispatcher has begun."""
    key = {"pk": {"S": f"run#{job.name}"}, "sk": {"S": period}}
    answer = aws.client("dynamodb").get_item(TableName=job.table, Key=key, ConsistentRead=True)
    return dict(answer.get("Item", {}))


def depth(aws: Emulator, queue_url: str) -> int:
    """Return how many messages a queue holds, visible or in flight."""
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    answer = aws.client("sqs").get_queue_attributes(QueueUrl=queue_url, AttributeNames=names)
    return sum(int(answer["Attributes"][name]) for name in names)


@dataclass(frozen=True)
class Run:
    """One month of one job: its period (`YYYY-MM`) and how often the schedule has fired for it."""

    job: Job
    period: str
    fires: int


def follow(aws: Emulator, runs: list[Run], phase: Phase, memory: Memory) -> None:
    """Return once every run is dispatched, each of its fires was served and its queue is empty.

    Raises MonthStoppedError if IAM refuses something the jobs need, if the emulator ends, or if nothing has
    changed for longer than any message may stay hidden.
    """
    changed, before = time.monotonic(), ""
    while True:
        looks = [_look(aws, run) for run in runs]
        phase.reach(sum(max(look.sent - look.waiting, 0) for look in looks))
        state = aws.state()
        memory.sample(state["processes"])
        if all(look.settled for look in looks):
            return
        if denials := state["denials"]:
            refused = "; ".join(f"{d['principal']}: {d['action']} on {d['resource']}" for d in denials)
            raise MonthStoppedError(f"IAM refused what the jobs need: {refused}")
        if str(looks) != before:
            changed, before = time.monotonic(), str(looks)
        if time.monotonic() - changed > _STILL_SECONDS:
            raise MonthStoppedError(
                f"nothing moved for {_STILL_SECONDS:.0f} s: {before}; see the functions' lines in {aws.log}"
            )
        time.sleep(_LOOK_SECONDS)


@dataclass(frozen=True)
class _Look:
    """How far a run is: messages sent and still on the queue, its state, whether all is over."""

    job: str
    sent: int
    waiting: int
    state: str
    settled: bool


def _look(aws: Emulator, run: Run) -> _Look:
    row = run_row(aws, run.job, run.period)
    waiting = depth(aws, run.job.queue_url)
    state = row.get("state", {}).get("S", "not begun")
    served = int(row.get("fires", {}).get("N", 0)) >= run.fires
    settled = served and waiting == 0 and state in _SETTLED_RUNS
    return _Look(run.job.name, int(row.get("sent", {}).get("N", 0)), waiting, state, settled)
