"""Run the gate and checkov on one plan, show the ratio and the growth, and fail when one does not hold."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks.gate.grown import grown

LARGEST_RATIO = 0.1
SECONDS_FOR_1000 = 2.0
SIZES = (100, 1_000, 10_000)
# Ten times the resources in ten times the time; twice that is noise, a hundred times is the square.
LARGEST_GROWTH = 20.0


def fastest(command: list[str], runs: int, progress: Progress, label: str) -> float:
    """Seconds of the fastest of several runs, the start of the process included."""
    task = progress.add_task(label, total=runs)
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        times.append(time.perf_counter() - start)
        if ended.returncode not in (0, 1):
            raise RuntimeError(f"{label} ended with {ended.returncode}: {ended.stderr.strip()[-500:]}")
        progress.advance(task)
    return min(times)


def main() -> int:
    """The command; returns 1 when a figure does not hold."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gate", description=__doc__)
    parser.add_argument("plan", type=Path, help="a plan in JSON")
    parser.add_argument("--checkov", default=".venv/checkov/bin/checkov")
    parser.add_argument(
        "--prefix", default="fanout-prod", help="what the names of the plan's resources begin with"
    )
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    gate = [sys.executable, "-m", "policies", "--format", "json"]
    checkov = [
        options.checkov,
        "--framework",
        "terraform_plan",
        "--skip-download",
        "--output",
        "json",
        "--file",
    ]
    document = json.loads(options.plan.read_bytes())
    with Progress(transient=True) as progress, tempfile.TemporaryDirectory() as folder:
        ours = fastest([*gate, str(options.plan)], options.runs, progress, "gate")
        theirs = fastest([*checkov, str(options.plan)], options.runs, progress, "checkov")
        growth = {}
        for size in SIZES:
            file = Path(folder, f"{size}.json")
            file.write_text(json.dumps(grown(document, size, options.prefix)), encoding="utf-8")
            growth[size] = fastest([*gate, str(file)], 3, progress, f"gate, {size:,} resources")
    return show(options.plan, len(document["resource_changes"]), ours, theirs, growth)


def show(plan: Path, resources: int, ours: float, theirs: float, growth: dict[int, float]) -> int:
    """Print the figures and whether they hold."""
    ratio = ours / theirs
    steps = [growth[large] / growth[small] for small, large in pairwise(SIZES)]
    checks = {
        f"gate at most {LARGEST_RATIO:g} of checkov's time": ratio <= LARGEST_RATIO,
        f"1,000 resources under {SECONDS_FOR_1000:g} s": growth[1_000] < SECONDS_FOR_1000,
        f"ten times the resources at most {LARGEST_GROWTH:g} times the time": max(steps) <= LARGEST_GROWTH,
    }
    table = Table(title=f"{plan} ({resources} resources), the fastest run, process start included")
    for column in ("what", "seconds"):
        table.add_column(column)
    table.add_row("gate", f"{ours:.3f}")
    table.add_row("checkov", f"{theirs:.3f}")
    table.add_row("ratio", f"{ratio:.3f} (1 : {1 / ratio:.1f})")
    for size, seconds in growth.items():
        table.add_row(f"gate, {size:,} resources", f"{seconds:.3f}")
    console = Console()
    console.print(table)
    for what, holds in checks.items():
        console.print(f"{'holds' if holds else 'DOES NOT HOLD'}: {what}")
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
