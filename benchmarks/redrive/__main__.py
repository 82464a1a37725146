"""Redrive 20,000 dead letters on the local AWS: memory flat, the rate as asked, none lost or out of order."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from local.emulator import Emulator
from local.emulator.process import terminating_on_signals

REPOSITORY = Path(__file__).resolve().parents[2]
_MEBIBYTE = 1024 * 1024
_MOST_GROWTH = 4 * _MEBIBYTE
"""What the process may grow after the first tenth of the run."""
_RATE_TOLERANCE = 0.1
_GROUPS = 400
_KEPT_EVERY = 10
"""Every tenth message is of a class that stays."""


@dataclass
class Queues:
    """A queue and its dead-letter queue on the local AWS, FIFO or standard."""

    aws: Emulator
    suffix: str
    urls: list[str] = field(init=False)

    def __post_init__(self) -> None:
        kind = {"FifoQueue": "true"} if self.suffix else {}
        self.urls = [
            self.aws.client("sqs").create_queue(QueueName=f"{name}{self.suffix}", Attributes=kind)["QueueUrl"]
            for name in ("bench", "bench-dlq")
        ]

    def fill(self, count: int, advance: Callable[[int], None]) -> None:
        """Put COUNT messages into the dead-letter queue, their numbers as bodies."""
        for start in range(0, count, 10):
            entries = [self._entry(number, number - start) for number in range(start, min(start + 10, count))]
            answer = self.aws.client("sqs").send_message_batch(QueueUrl=self.urls[1], Entries=entries)
            if answer.get("Failed"):
                raise RuntimeError("the dead-letter queue could not be filled")
            advance(len(entries))

    def _entry(self, number: int, place: int) -> dict[str, Any]:
        failure_class = "rejected" if number % _KEPT_EVERY == 0 else "transient"
        entry: dict[str, Any] = {
            "Id": str(place),
            "MessageBody": f"{number:06}" + "x" * 400,
            "MessageGroupId": f"group-{number % _GROUPS}",
            "MessageAttributes": {"failure_class": {"DataType": "String", "StringValue": failure_class}},
        }
        return {**entry, "MessageDeduplicationId": str(number)} if self.suffix else entry

    def numbers(self, name: str) -> dict[str, list[int]]:
        """The numbers in a queue, by group, in order."""
        found: dict[str, list[int]] = defaultdict(list)
        for message in self.aws.peek(f"{name}{self.suffix}"):
            found[message["group"]].append(int(message["body"][:6]))
        return found


def _run(queues: Queues, rate: float, limit: int, which: str, reach: Callable[[int], None]) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.redrive.child", *queues.urls, str(rate), str(limit), which]
    paths = os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "functions")])
    environment = {**os.environ, **queues.aws.credentials_env(), "PYTHONPATH": paths}
    lines: list[dict[str, Any]] = []
    with subprocess.Popen(
        command, cwd=REPOSITORY, env=environment, stdout=subprocess.PIPE, text=True
    ) as child:
        try:
            for line in child.stdout or ():
                lines.append(json.loads(line))
                reach(lines[-1].get("redriven", 0))
        finally:
            child.kill()
    if not lines or "total" not in lines[-1]:
        raise RuntimeError("the redrive ended early")
    return {**lines[-1], "samples": lines[:-1]}


@dataclass(frozen=True)
class Outcome:
    """What one kind of queue showed."""

    kind: str
    paced: dict[str, Any]
    whole: dict[str, Any]
    asked_rate: float
    lost: int
    out_of_order: int
    left_wrong: int

    @property
    def rate(self) -> float:
        """Messages a second of the paced run, between its first and its last sample."""
        first, last = self.paced["samples"][0], self.paced["samples"][-1]
        return float((last["redriven"] - first["redriven"]) / (last["seconds"] - first["seconds"]))

    @property
    def growth(self) -> int:
        """Bytes that the process grew by after the first tenth of the long run."""
        sizes = [sample["rss"] for sample in self.whole["samples"]]
        return int(max(sizes) - sizes[len(sizes) // 10])

    @property
    def holds(self) -> bool:
        """Whether all is as asked."""
        near = abs(self.rate - self.asked_rate) <= _RATE_TOLERANCE * self.asked_rate
        return (
            near and self.growth <= _MOST_GROWTH and not (self.lost or self.out_of_order or self.left_wrong)
        )


def _measure(aws: Emulator, suffix: str, messages: int, rate: float, progress: Progress) -> Outcome:
    kind = "FIFO" if suffix else "standard"
    queues = Queues(aws, suffix)
    filling = progress.add_task(f"{kind}: fill", total=messages)
    queues.fill(messages, lambda count: progress.advance(filling, count))
    some = min(2_000, messages // 4)
    pacing = progress.add_task(f"{kind}: {some:,} at {rate:.0f} a second", total=some)
    paced = _run(queues, rate, some, "transient", lambda done: progress.update(pacing, completed=done))
    meant = messages - messages // _KEPT_EVERY
    going = progress.add_task(f"{kind}: the rest of the class", total=meant - some)
    whole = _run(queues, 0, messages, "transient", lambda done: progress.update(going, completed=done))
    moved, left = queues.numbers("bench"), queues.numbers("bench-dlq")
    kept = {number for numbers in left.values() for number in numbers}
    back = [number for numbers in moved.values() for number in numbers]
    return Outcome(
        kind=kind,
        paced=paced,
        whole=whole,
        asked_rate=rate,
        lost=messages - len(kept | set(back)),
        out_of_order=sum(numbers != sorted(numbers) for numbers in (*moved.values(), *left.values()))
        if suffix
        else 0,
        left_wrong=len(kept ^ set(range(0, messages, _KEPT_EVERY))) + len(back) - len(set(back)),
    )


def _table(outcomes: list[Outcome], messages: int) -> Table:
    table = Table(title=f"Redrive of a class from {messages:,} dead letters", title_justify="left")
    for name in ("", *(outcome.kind for outcome in outcomes)):
        table.add_column(name, justify="right" if name else "left")
    rows: dict[str, Callable[[Outcome], str]] = {
        "put back": lambda o: f"{o.paced['total'] + o.whole['total']:,}",
        "rate asked / measured": lambda o: f"{o.asked_rate:.1f} / {o.rate:.1f}",
        "as fast as it goes, a second": lambda o: f"{o.whole['total'] / o.whole['in']:,.0f}",
        "growth after the first tenth, MiB": lambda o: f"{o.growth / _MEBIBYTE:.1f}",
        "lost / out of order / wrongly left": lambda o: f"{o.lost} / {o.out_of_order} / {o.left_wrong}",
        "holds": lambda o: "yes" if o.holds else "NO",
    }
    for name, show in rows.items():
        table.add_row(name, *(show(outcome) for outcome in outcomes))
    return table


def main() -> int:
    """Run the measurement for both kinds of queue; 0 when all holds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=20_000, help="dead letters (default: 20000)")
    parser.add_argument("--rate", type=float, default=50.0, help="messages a second to ask for (default: 50)")
    given = parser.parse_args()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with (
        terminating_on_signals(),
        tempfile.TemporaryDirectory() as folder,
        Emulator.start(Path(folder) / "emulator.log") as aws,
        Progress(*columns, console=Console(stderr=True)) as progress,
    ):
        outcomes = [_measure(aws, suffix, given.messages, given.rate, progress) for suffix in (".fifo", "")]
    Console().print(_table(outcomes, given.messages))
    return 0 if all(outcome.holds for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
