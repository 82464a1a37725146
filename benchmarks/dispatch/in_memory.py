"""A run over very many employees against doubles in memory, in a process of its own whose memory is watched.

The directory makes its rows when they are asked for, the queue remembers one bit an employee: what memory the
run takes is the dispatcher's. The run row alone is on the local AWS. One JSON document a line goes to the
parent.
"""

import argparse
import json
import os
import time
import tracemalloc
from dataclasses import dataclass, field
from typing import Any

import psutil

from benchmarks.dispatch.job import Invocation, place
from job_runtime import aws
from job_runtime.clock import SystemClock
from job_runtime.config import Settings
from job_runtime.directory import Cursor, Page, Row
from job_runtime.dispatching import DispatchSettings, message_builder
from job_runtime.observe import observer
from monthly_dispatcher.dispatcher import Dispatcher

_TRACED = (2_000, 20_000)
"""Sizes of the two runs whose Python allocations are traced; tracing is slow, so they are small."""


@dataclass
class Directory:
    """EMPLOYEES rows; the cursor's sort key is a number."""

    employees: int
    page_size: int

    def page(self, cursor: Cursor | None) -> Page:
        """The rows behind CURSOR."""
        start = int(cursor.sk) if cursor else 0
        end = min(start + self.page_size, self.employees)
        return Page(
            rows=tuple(self._row(number) for number in range(start, end)),
            cursor=Cursor("in memory", str(end)) if end < self.employees else None,
        )

    @staticmethod
    def _row(number: int) -> Row:
        tenant, employee = place(number)
        return Row(tenant, f"employee#{employee}", {"amount": number % 5000, "currency": "JPY"})


@dataclass
class Queue:
    """Takes every message; knows for each employee whether one came, and how many came again."""

    employees: int
    report_every: int
    sent: int = 0
    again: int = 0
    samples: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._seen = bytearray(self.employees // 8 + 1)
        self._process = psutil.Process()

    def send_message_batch(self, *, Entries: list[dict[str, Any]], **_: Any) -> dict[str, Any]:  # noqa: N803
        """Accept all of ENTRIES."""
        for entry in Entries:
            number = int(json.loads(entry["MessageBody"])["employee_id"][1:])
            bit = 1 << (number % 8)
            self.again += bool(self._seen[number // 8] & bit)
            self._seen[number // 8] |= bit
            self.sent += 1
            if self.report_every and self.sent % self.report_every == 0:
                self.samples.append(self._process.memory_info().rss)
                print(json.dumps({"sent": self.sent}), flush=True)
        return {"Successful": [{"Id": entry["Id"]} for entry in Entries]}

    @property
    def reached(self) -> int:
        """How many employees have a message."""
        return sum(byte.bit_count() for byte in self._seen)


def run(employees: int, scheduled_time: str, *, report_every: int = 0) -> Queue:
    """Dispatch EMPLOYEES messages; one thread, so that the double needs no lock."""
    settings = Settings({**os.environ, "SENDER_THREADS": "1"})
    dispatch = DispatchSettings.read(settings)
    queue: Any = Queue(employees, report_every)
    directory: Any = Directory(employees, dispatch.page_size)
    Dispatcher(
        settings=dispatch,
        dynamodb=aws.dynamodb(),
        sqs=queue,
        directory=directory,
        builder=message_builder(settings, dispatch),
        observer=observer(settings),
        clock=SystemClock(),
    )({"job": "charge", "scheduled_time": scheduled_time}, Invocation(scheduled_time))
    done: Queue = queue
    return done


def traced_peak(employees: int, scheduled_time: str) -> int:
    """The most bytes that Python held at a time for a run over EMPLOYEES."""
    tracemalloc.start()
    run(employees, scheduled_time)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def main() -> None:
    """Run, and print what the parent shows."""
    parser = argparse.ArgumentParser()
    parser.add_argument("employees", type=int)
    employees = parser.parse_args().employees
    run(1_000, "2020-01-31T18:00:00Z")  # what is imported and cached once is no part of a run
    peaks = [traced_peak(size, f"2020-0{month}-28T18:00:00Z") for month, size in enumerate(_TRACED, 3)]
    started = time.monotonic()
    queue = run(employees, "2021-01-31T18:00:00Z", report_every=max(1, employees // 100))
    print(
        json.dumps(
            {
                "employees": employees,
                "seconds": time.monotonic() - started,
                "sent": queue.sent,
                "again": queue.again,
                "reached": queue.reached,
                "samples": queue.samples,
                "traced": dict(zip(map(str, _TRACED), peaks, strict=True)),
            }
        )
    )


if __name__ == "__main__":
    main()
