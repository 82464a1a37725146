"""`make bench-consumer`: requests a message and messages a second, beside the two usual ways.

Batches of 10 messages in 1 and in 10 groups, every AWS call 10 ms away. Exit status 1 if a promise of the
README does not hold in this run.
"""

from __future__ import annotations

import contextlib
import io
import os
import statistics
import sys
import time
from dataclasses import dataclass
from itertools import count
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

BATCH = 10
ROUNDS = 7
BATCHES_A_ROUND = 10
GROUPS = (1, BATCH)
PROMISES = {1: 2.5, BATCH: 20.0}  # times Powertools' speed, by number of groups


@dataclass(frozen=True)
class Figure:
    """What one way did with batches of so many groups."""

    way: str
    groups: int
    requests_a_message: float
    messages_a_second: float


class _Context:
    """A minute of Lambda's time, measured from now."""

    function_name = "charge-consumer"
    memory_limit_in_mb = 256
    invoked_function_arn = "arn:aws:lambda:ap-northeast-1:111122223333:function:charge-consumer"
    aws_request_id = "00000000-0000-0000-0000-000000000001"

    def __init__(self) -> None:
        self._end = time.monotonic() + 60

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds left."""
        return int((self._end - time.monotonic()) * 1000)


class _Nowhere(io.TextIOBase):
    """A stream that keeps nothing."""

    def write(self, text: str, /) -> int:
        """Take the text."""
        return len(text)


def _event(numbers: Any, groups: int) -> dict[str, Any]:
    from tests.support.sqs_events import charge, sqs_event, sqs_record  # noqa: PLC0415 - after the environment

    records = []
    for position in range(BATCH):
        number = next(numbers)
        message = charge("tenant", f"employee-{number}")
        records.append(sqs_record(message, f"m-{number}", group=f"group-{position % groups}"))
    return sqs_event(*records)


def measure(way: str, make: Any, groups: int) -> Figure:
    """Run one way; the speed is the median of the rounds, the first of which warms up and does not count."""
    from benchmarks.consumer.latency import Distance  # noqa: PLC0415 - as above

    distance, numbers, speeds = Distance(), count(1), []
    with contextlib.redirect_stdout(_Nowhere()):  # log lines and metrics are written, but not on the terminal
        handler = make(distance)
    for round_number in range(ROUNDS + 1):
        events = [_event(numbers, groups) for _ in range(BATCHES_A_ROUND)]
        if round_number == 1:
            distance.requests = 0
        started = time.perf_counter()
        with contextlib.redirect_stdout(_Nowhere()):
            answers = [handler(event, _Context()) for event in events]
        if any(answer["batchItemFailures"] for answer in answers):
            raise RuntimeError(f"{way}: messages failed, so nothing was measured")
        if round_number:
            speeds.append(BATCH * BATCHES_A_ROUND / (time.perf_counter() - started))
    messages = BATCH * BATCHES_A_ROUND * ROUNDS
    return Figure(way, groups, distance.requests / messages, statistics.median(speeds))


def _measure_all() -> list[Figure]:
    from benchmarks.consumer import claim_first, ours, powertools  # noqa: PLC0415 - as above
    from job_runtime import aws  # noqa: PLC0415

    ways = {
        "Powertools FIFO + idempotent_function": powertools.consumer,
        "claim-first loop": claim_first.consumer,
        "charge_consumer": ours.consumer,
    }
    figures = []
    runs = [(way, make, groups) for groups in GROUPS for way, make in ways.items()]
    for way, make, groups in track(runs, "Measuring", console=Console(stderr=True)):
        aws.forget_clients()
        figures.append(measure(way, make, groups))
    return figures


def main() -> int:
    """Measure, print the table, and say whether the promises hold."""
    os.environ.update(
        AWS_ACCESS_KEY_ID="benchmark",
        AWS_SECRET_ACCESS_KEY="benchmark",  # noqa: S106 - no request leaves the process
        AWS_DEFAULT_REGION="ap-northeast-1",
        POWERTOOLS_SERVICE_NAME="charge",
        POWERTOOLS_METRICS_NAMESPACE="FanoutOnce",
    )
    figures = _measure_all()
    powertools = {f.groups: f.messages_a_second for f in figures if f.way.startswith("Powertools")}
    table = Table(min_width=90, title=f"A batch of {BATCH}, every AWS call 10 ms away", title_justify="left")
    for name in ("consumer", "groups", "requests a message", "messages a second", "times Powertools"):
        table.add_column(name, justify="left" if name == "consumer" else "right")
    broken = []
    for figure in figures:
        ratio = figure.messages_a_second / powertools[figure.groups]
        row = (f"{figure.requests_a_message:.2f}", f"{figure.messages_a_second:.0f}", f"{ratio:.1f}")
        table.add_row(figure.way, str(figure.groups), *row)
        if figure.way == "charge_consumer":
            if round(figure.requests_a_message, 2) != 1:
                broken.append(
                    f"{figure.groups} groups: {figure.requests_a_message:.2f} requests a message, not 1"
                )
            if ratio < PROMISES[figure.groups]:
                broken.append(
                    f"{figure.groups} groups: {ratio:.1f} times, less than {PROMISES[figure.groups]}"
                )
    Console().print(table)
    for line in broken:
        Console().print(f"[bold red]broken: {line}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
