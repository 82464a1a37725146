"""Mutate `job_runtime`, run the tests that reach each change, and account for every change that no test
noticed.

    python -m tests.mutation [--children N] [MODULE ...]

A mutant is a copy of the code with one small change (mutmut). One that survives is either explained in
`explained.toml`, with the reason why no test should notice it, or it is a missing test: then the exit
status is 1.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from mutmut.stats import status_by_exit_code
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[2]
WORKSHOP = ROOT / ".cache" / "mutation"
EXPLAINED = Path(__file__).with_name("explained.toml")

# mutmut names modules by their path and knows no root but `src`, so the functions lie there in the workshop.
SETTINGS = """
[tool.mutmut]
source_paths = ["src"]
only_mutate = [{modules}]
also_copy = ["tests", "local", "operations", "src"]
pytest_add_cli_args_test_selection = ["tests/unit", "tests/properties"]
pytest_add_cli_args = ["-p", "no:cacheprovider"]
track_dependencies = false
use_git_change_detection = false
"""
LEFT_OUT = (
    "test_cold_start.py",
    "test_*_page.py",
    "test_runbook.py",
    "test_halted_order.py",
    "alarm_notifier",
    "alarms",
    "zips",
    "__pycache__",
)
"""What looks at the tree as it is shipped, or at the alarms, and not at this code; and what takes minutes."""


@dataclass(frozen=True)
class Survivor:
    """A change that no test noticed: the line that was and the line that came in its place."""

    name: str
    module: str
    was: str
    became: str


def prepare(modules: list[str]) -> None:
    """Lay the code and its tests out as mutmut wants them."""
    shutil.rmtree(WORKSHOP, ignore_errors=True)
    ignore = shutil.ignore_patterns(*LEFT_OUT)
    shutil.copytree(ROOT / "functions", WORKSHOP / "src", ignore=ignore)
    for name in ("unit", "properties", "support"):
        shutil.copytree(ROOT / "tests" / name, WORKSHOP / "tests" / name, ignore=ignore)
    for name in ("local", "operations"):
        shutil.copytree(ROOT / name, WORKSHOP / name, ignore=ignore)
    project = (
        (ROOT / "pyproject.toml")
        .read_text()
        .replace('pythonpath = [".", "functions"]', 'pythonpath = [".", "src"]')
    )
    paths = ", ".join(f'"src/job_runtime/{module}"' for module in modules)
    (WORKSHOP / "pyproject.toml").write_text(project + SETTINGS.format(modules=paths))


def mutmut(*arguments: str, capture: bool = False) -> str:
    """Run mutmut in the workshop; its output when it is captured. Raises CalledProcessError."""
    ended = subprocess.run(
        [sys.executable, "-m", "mutmut", *arguments],
        cwd=WORKSHOP,
        check=True,
        text=True,
        capture_output=capture,
    )
    return ended.stdout if capture else ""


def outcomes() -> dict[str, Counter[str]]:
    """How many mutants of each module met which end."""
    found: dict[str, Counter[str]] = {}
    for path in sorted((WORKSHOP / "mutants" / "src" / "job_runtime").rglob("*.meta")):
        codes = json.loads(path.read_text())["exit_code_by_key"]
        if codes:
            module = str(path.relative_to(WORKSHOP / "mutants" / "src" / "job_runtime")).removesuffix(".meta")
            found[module] = Counter(status_by_exit_code[code] for code in codes.values())
    return found


def survivors() -> list[Survivor]:
    """Every mutant that no test noticed."""
    names = [
        line.split(":")[0].strip()
        for line in mutmut("results", capture=True).splitlines()
        if line.rstrip().endswith((": survived", ": no tests"))
    ]
    found = []
    for name in names:
        lines = mutmut("show", name, capture=True).splitlines()
        sides = {
            sign: " ".join(
                line[1:].strip() for line in lines if line.startswith(sign) and line[:3] != sign * 3
            )
            for sign in "-+"
        }
        module = name.removeprefix("job_runtime.").rpartition(".")[0].replace(".", "/") + ".py"
        found.append(Survivor(name, module, sides["-"], sides["+"]))
    return found


def reason(survivor: Survivor, explained: list[dict[str, str]]) -> str | None:
    """Why no test should notice this change, as far as it is explained."""
    return next(
        (
            entry["reason"]
            for entry in explained
            if entry["module"] in {survivor.module, "*"} and re.search(entry["became"], survivor.became)
        ),
        None,
    )


def main() -> int:
    """Run, print, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("modules", nargs="*", default=["*.py", "effects/*.py"], metavar="MODULE")
    parser.add_argument("--children", type=int, default=2, help="tests side by side (default: 2)")
    arguments = parser.parse_args()
    prepare(arguments.modules)
    mutmut("run", "--max-children", str(arguments.children))

    explained = tomllib.loads(EXPLAINED.read_text())["mutant"]
    left = [(survivor, reason(survivor, explained)) for survivor in survivors()]
    console = Console()
    table = Table("module", "mutants", "noticed", "survived", "of these explained", title="job_runtime")
    for module, ends in outcomes().items():
        here = [why for survivor, why in left if survivor.module == module]
        table.add_row(
            module,
            str(ends.total()),
            str(ends.total() - len(here)),
            str(len(here)),
            str(sum(why is not None for why in here)),
        )
    console.print(table)
    for survivor, why in left:
        console.print(
            f"{survivor.name}: {why or 'NOT EXPLAINED'}\n  - {survivor.was}\n  + {survivor.became}",
            markup=False,
        )
    return int(any(why is None for _, why in left))


if __name__ == "__main__":
    sys.exit(main())
