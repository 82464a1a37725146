"""Run both measurements, show their figures, and fail when one does not hold."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from benchmarks.dispatch import job, killed
from local.emulator import Emulator
from local.emulator.process import terminating_on_signals

_MEBIBYTE = 1024 * 1024
_MOST_GROWTH = 8 * _MEBIBYTE
"""What the process may grow after the first tenth of the run; a list of the keys alone would be some 100
MiB."""
_MOST_TRACED_GROWTH = 1.2


def _in_memory(aws: Emulator, employees: int, progress: Progress) -> dict[str, Any]:
    task = progress.add_task(f"dispatch {employees:,} in memory", total=employees)
    child = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.dispatch.in_memory", str(employees)],
        cwd=job.REPOSITORY,
        env=job.environment(aws),
        stdout=subprocess.PIPE,
        text=True,
    )
    last: dict[str, Any] = {}
    with child:
        try:
            for line in child.stdout or ():
                document = json.loads(line)
                if "sent" in document:  # the function's own metrics come this way too
                    last = document
                    progress.update(task, completed=document["sent"])
        finally:
            child.kill()
    if "samples" not in last:
        raise RuntimeError(f"the run in memory ended early, with status {child.returncode}")
    return last


def _killed(aws: Emulator, employees: int, kills: int, progress: Progress) -> killed.Outcome:
    rows = employees + -(-employees // job.EMPLOYEES_A_TENANT)
    filling = progress.add_task("fill the directory", total=rows)
    job.seed(aws, employees, lambda count: progress.advance(filling, count))
    sending = progress.add_task(f"dispatch, killed {kills} times", total=employees)
    seconds = killed.dispatch(aws, employees, kills, lambda sent: progress.update(sending, completed=sent))
    messages = aws.peek(job.QUEUE)
    charging = progress.add_task("charge", total=len(messages))
    # The functions write logs and metrics to standard output, as Lambda has it.
    with Path(os.devnull).open("w") as away, redirect_stdout(away):
        killed.charge(aws, messages, lambda count: progress.advance(charging, count))
        return killed.look(aws, employees, kills, seconds, messages)


def _table(outcome: killed.Outcome, memory: dict[str, Any]) -> tuple[Table, bool]:
    early, *_ = memory["samples"][len(memory["samples"]) // 10 :]
    most = max(memory["samples"])
    (small, small_peak), (large, large_peak) = memory["traced"].items()
    flat = most - early <= _MOST_GROWTH and large_peak <= _MOST_TRACED_GROWTH * small_peak
    once = memory["sent"] == memory["reached"] == memory["employees"] and not memory["again"]
    table = Table(title="Dispatcher", show_header=False)
    for name, value in (
        ("local AWS: employees", f"{outcome.employees:,}"),
        ("killed (SIGKILL)", f"{outcome.kills} times"),
        ("seconds, starts included", f"{outcome.seconds:.1f}"),
        ("messages a second", f"{outcome.employees / outcome.seconds:,.0f}"),
        ("in the queue / employees reached", f"{outcome.in_queue:,} / {outcome.keys:,}"),
        ("run row", ", ".join(f"{name} {value:,}" for name, value in outcome.row.items())),
        ("ledger rows / charged twice", f"{outcome.ledger:,} / {outcome.charged_twice}"),
        ("audit", outcome.verdict),
        ("every key once", "yes" if outcome.holds else "NO"),
    ):
        table.add_row(name, value)
    table.add_section()
    for name, value in (
        ("in memory: employees", f"{memory['employees']:,}"),
        ("messages sent / again", f"{memory['sent']:,} / {memory['again']}"),
        ("seconds (one sender thread)", f"{memory['seconds']:.1f}"),
        ("messages a second", f"{memory['sent'] / memory['seconds']:,.0f}"),
        ("resident at 10 % / at most later", f"{early / _MEBIBYTE:.1f} / {most / _MEBIBYTE:.1f} MiB"),
        (
            f"Python's peak over {int(small):,} / {int(large):,}",
            f"{small_peak / _MEBIBYTE:.2f} / {large_peak / _MEBIBYTE:.2f} MiB",
        ),
        ("every key once, flat memory", "yes" if once and flat else "NO"),
    ):
        table.add_row(name, value)
    return table, outcome.holds and once and flat


def main() -> int:
    """Run the measurements; 0 when all holds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--employees", type=int, default=50_000, help="on the local AWS (default: 50000)")
    parser.add_argument("--kills", type=int, default=3, help="of the dispatcher on the way (default: 3)")
    parser.add_argument("--in-memory", type=int, default=1_000_000, help="employees (default: 1000000)")
    given = parser.parse_args()
    console = Console(file=sys.stdout)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with (
        terminating_on_signals(),
        tempfile.TemporaryDirectory() as folder,
        Emulator.start(Path(folder) / "emulator.log") as aws,
        Progress(*columns, console=console, redirect_stdout=False) as progress,
    ):
        job.create(aws)
        memory = _in_memory(aws, given.in_memory, progress)
        outcome = _killed(aws, given.employees, given.kills, progress)
    table, holds = _table(outcome, memory)
    console.print(table)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
