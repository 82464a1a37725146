"""A run on the local AWS whose dispatcher is killed on the way, and what the ledger says of it afterwards."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.dispatch.job import (
    FIRED,
    JOB_TABLE,
    PERIOD,
    QUEUE,
    REPOSITORY,
    Invocation,
    environment,
    place,
)

if TYPE_CHECKING:
    from local.emulator import Emulator

_POLL_SECONDS = 0.02
_GIVE_UP_SECONDS = 600.0


@dataclass(frozen=True)
class Outcome:
    """The figures of one run."""

    employees: int
    kills: int
    seconds: float
    in_queue: int
    keys: int
    row: dict[str, int]
    ledger: int
    charged_twice: int
    verdict: str

    @property
    def holds(self) -> bool:
        """Whether every employee was sent once and charged once."""
        return (
            self.in_queue == self.keys == self.ledger == self.employees
            and self.row == {"expected": self.employees, "sent": self.employees, "failed": 0, "fires": 1}
            and self.charged_twice == 0
            and self.verdict == "verified"
        )


def dispatch(aws: Emulator, employees: int, kills: int, advance: Callable[[int], None]) -> float:
    """Run the dispatcher to its end, killing it KILLS times at moments spread over the run; returns
    seconds."""
    chance = random.Random(1)
    marks = [int(employees * (kill + chance.uniform(0.3, 0.9)) / (kills + 1)) for kill in range(kills)]
    started = time.monotonic()
    for mark in [*marks, None]:
        worker = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.dispatch.worker", "one-firing"],
            cwd=REPOSITORY,
            env=environment(aws),
            stdout=subprocess.DEVNULL,
        )
        try:
            _watch(aws, worker, mark, advance)
        finally:
            worker.kill()
            worker.wait()
    return time.monotonic() - started


def _watch(
    aws: Emulator, worker: subprocess.Popen[bytes], mark: int | None, advance: Callable[[int], None]
) -> None:
    """Return when MARK messages are sent, or with None when the worker has come to its end."""
    deadline = time.monotonic() + _GIVE_UP_SECONDS
    while time.monotonic() < deadline:
        ended = worker.poll()
        sent = run_row(aws).get("sent", 0)
        advance(sent)
        if ended not in {None, 0}:
            raise RuntimeError(f"the dispatcher ended with status {ended}")
        if ended == 0 and mark is not None:
            raise RuntimeError(f"the dispatcher was done before it could be killed at {mark} messages")
        if ended == 0 or (mark is not None and sent >= mark):
            return
        time.sleep(_POLL_SECONDS)
    raise RuntimeError(f"the dispatcher was not done after {_GIVE_UP_SECONDS:.0f} s")


def run_row(aws: Emulator) -> dict[str, int]:
    """The numbers of the run row."""
    answer = aws.client("dynamodb").get_item(
        TableName=JOB_TABLE, Key={"pk": {"S": "run#charge"}, "sk": {"S": PERIOD}}, ConsistentRead=True
    )
    item = answer.get("Item", {})
    return {name: int(item[name]["N"]) for name in ("expected", "sent", "failed", "fires") if name in item}


def charge(aws: Emulator, messages: list[dict[str, Any]], advance: Callable[[int], None]) -> None:
    """Give every message of the queue to the consumer, in batches of ten groups; ADVANCE is told how many."""
    consume = _wire(aws, "charge_consumer")
    for records in _batches(messages):
        answer = consume({"Records": records}, Invocation("consumer"))
        if answer["batchItemFailures"]:
            raise RuntimeError(f"the consumer gave {len(answer['batchItemFailures'])} messages back")
        advance(len(records))


def _batches(messages: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    ahead: Counter[str] = Counter()
    places = []
    for message in messages:
        places.append(ahead[message["group"]])
        ahead[message["group"]] += 1
    # The first of every group, then the second of every group: groups side by side, each in its order.
    order = sorted(range(len(messages)), key=places.__getitem__)
    for start in range(0, len(messages), 10):
        yield [
            {
                "messageId": f"m{start + offset}",
                "receiptHandle": "none",
                "body": message["body"],
                "attributes": {
                    "ApproximateReceiveCount": "1",
                    "MessageGroupId": message["group"],
                    "SequenceNumber": message["sequence_number"],
                },
                "messageAttributes": {},
                "eventSource": "aws:sqs",
                "eventSourceARN": f"arn:aws:sqs:ap-northeast-1:111122223333:{QUEUE}",
            }
            for offset, message in enumerate(messages[index] for index in order[start : start + 10])
        ]


def look(
    aws: Emulator, employees: int, kills: int, seconds: float, messages: list[dict[str, Any]]
) -> Outcome:
    """Compare the queue, the run row and the ledger with the directory; the auditor does the same."""
    wanted = {place(number) for number in range(employees)}
    bodies = [json.loads(message["body"]) for message in messages]
    sent = {(body["tenant_id"], body["employee_id"]) for body in bodies}
    ledger: Counter[tuple[str, str]] = Counter()
    twice = 0
    for page in aws.client("dynamodb").get_paginator("scan").paginate(TableName=JOB_TABLE):
        for item in page["Items"]:
            kind, *rest = item["sk"]["S"].split("#")
            if kind == "charge":
                ledger[item["pk"]["S"], rest[-1]] += 1
            twice += kind == "balance" and item["charges"]["N"] != "1"
    return Outcome(
        employees=employees,
        kills=kills,
        seconds=seconds,
        in_queue=len(messages),
        keys=len(wanted & sent) if len({body["idempotency_key"] for body in bodies}) == len(bodies) else 0,
        row=run_row(aws),
        ledger=sum(wanted_key in ledger for wanted_key in wanted) if set(ledger) == wanted else 0,
        charged_twice=twice,
        verdict=_wire(aws, "run_auditor")(FIRED, Invocation("auditor"))["verdict"],
    )


def _wire(aws: Emulator, function: str) -> Any:
    """The function, put together in this process on the local AWS."""
    import importlib  # noqa: PLC0415

    from job_runtime.clock import SystemClock  # noqa: PLC0415 - boto3 is imported when it is used
    from job_runtime.config import Settings  # noqa: PLC0415

    settings = environment(aws)
    os.environ.update(settings)
    return importlib.import_module(f"{function}.wiring").build(Settings(settings), SystemClock())
