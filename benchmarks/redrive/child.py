"""The process that is measured: one redrive, with its resident memory and its counts as JSON lines."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

import psutil

from job_runtime import aws
from job_runtime.clock import SystemClock
from job_runtime.dead_letters import DeadLetter
from job_runtime.selection import Selection
from operations.dlq.redriving import Wish, redrive
from operations.dlq.target import Target

_EVERY = 200


def _telling(process: psutil.Process) -> Callable[[DeadLetter], None]:
    started, count = time.monotonic(), 0

    def tell(_letter: DeadLetter) -> None:
        nonlocal count
        count += 1
        if count % _EVERY == 0:
            line = {
                "redriven": count,
                "seconds": time.monotonic() - started,
                "rss": process.memory_info().rss,
            }
            print(json.dumps(line), flush=True)

    return tell


def main() -> None:
    """Arguments: both queues' URLs, messages a second (0: as fast as it goes), a limit, a class or `all`."""
    queue_url, dead_letters_url, rate, limit, failure_class = sys.argv[1:]
    target = Target("local", "charge", queue_url, dead_letters_url, "none", halts=False)
    classes = frozenset[str]() if failure_class == "all" else frozenset({failure_class})
    wish = Wish(Selection(classes=classes), limit=int(limit), rate=float(rate) or None)
    started = time.monotonic()
    report = redrive(aws.sqs(), target, wish, SystemClock(), _telling(psutil.Process()))
    seconds = time.monotonic() - started
    print(json.dumps({"total": report.total, "failed": len(report.failed), "in": seconds}), flush=True)


if __name__ == "__main__":
    main()
