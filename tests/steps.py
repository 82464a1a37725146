"""`python -m tests.steps VERB...`: run verbs of make one after the other, whatever becomes of each; sum up.

The Makefile is the working directory's. Prints a line for each verb, the end of the output of one that
failed, a table, and last of all the line `N passed, N failed`: tests as pytest counts them, and one for each
verb that runs no tests or fails outside of them. Exit status 0: nothing failed; 1: something did; 130:
interrupted. Needs the standard library alone, since the environments of the project may be what fails.
"""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

LOGS = Path("dist/steps")
HANGS_AFTER = 3600  # seconds; the longest verb takes a tenth of that on two idle cores
_TAIL = 60  # lines of output that show a failure
_TO_END = 15  # seconds that a verb has to end its children in before it is killed
_CLOSING = re.compile(r"^=*\s?((?:\d+ [a-z]+(?:, )?)+) in \d+\.\d+s\b", re.MULTILINE)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_FAILING = ("failed", "error", "errors")


@dataclass(frozen=True)
class Outcome:
    """What became of a verb: how many of its tests passed and failed; `note` says what is special."""

    verb: str
    passed: int
    failed: int
    seconds: float
    note: str


def counted(output: str) -> Counter[str] | None:
    """Return what pytest's closing lines in OUTPUT count, by outcome; None when there is no such line."""
    lines = _CLOSING.findall(_COLOURS.sub("", output))
    if not lines:
        return None
    counts: Counter[str] = Counter()
    for line in lines:
        for number, outcome in re.findall(r"(\d+) ([a-z]+)", line):
            counts[outcome] += int(number)
    return counts


def judged(verb: str, output: str, status: int, seconds: float) -> Outcome:
    """Return the outcome of a verb that wrote OUTPUT and ended with STATUS (negative: the signal)."""
    counts = counted(output)
    tests = counts or Counter[str]()
    passed, failed = tests["passed"], sum(tests[outcome] for outcome in _FAILING)
    note = f"{tests['skipped']} skipped" if tests["skipped"] else ""
    if status != 0 and not failed:
        failed, note = 1, f"ended with {status}"
    elif status == 0 and counts is None:
        passed = 1
    elif status == 0 and failed:
        note = "ended with 0 although tests failed"
    return Outcome(verb, passed, failed, seconds, note)


def run(verb: str, limit: float = HANGS_AFTER) -> Outcome:
    """Run `make VERB`, its output into a log; one that takes over LIMIT seconds is ended and has failed."""
    log, started = _log(verb), time.monotonic()
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        status = _status(verb, output, limit)
    seconds = time.monotonic() - started
    text = log.read_text(encoding="utf-8", errors="replace")
    if status is None:
        return Outcome(verb, 0, 1, seconds, f"hung: ended after {limit:.0f} s")
    return judged(verb, text, status, seconds)


def _log(verb: str) -> Path:
    return LOGS / f"{verb}.log"


def _status(verb: str, output: IO[bytes], limit: float) -> int | None:
    """Return the exit status of `make VERB`, None when it was ended at its limit; end all that it started."""
    child = subprocess.Popen(
        ["make", "--no-print-directory", verb],  # noqa: S607 - as whoever runs this has it
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        return child.wait(limit)
    except subprocess.TimeoutExpired:
        return None
    finally:
        _end(child)


def _end(child: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(child.pid, number)
            child.wait(_TO_END)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def table(outcomes: Sequence[Outcome]) -> str:
    """Return a line for each outcome, in columns that need no terminal."""
    rows = [("verb", "passed", "failed", "seconds", "")]
    rows += [(o.verb, f"{o.passed}", f"{o.failed}", f"{o.seconds:.0f}", o.note) for o in outcomes]
    width = max(len(row[0]) for row in rows)
    lines = (f"{row[0]:<{width}}  {row[1]:>6}  {row[2]:>6}  {row[3]:>7}  {row[4]}".rstrip() for row in rows)
    return "\n".join(lines)


def main(verbs: Sequence[str]) -> int:
    """Run VERBS and print how each ended."""
    outcomes = []
    for verb in verbs:
        print(f"make {verb} …", flush=True)
        outcome = run(verb)
        outcomes.append(outcome)
        if outcome.failed:
            end = _log(verb).read_text(encoding="utf-8", errors="replace").splitlines()[-_TAIL:]
            print(*end, f"make {verb} failed; all of its output: {_log(verb)}", sep="\n")
    passed, failed = sum(o.passed for o in outcomes), sum(o.failed for o in outcomes)
    print(f"\n{table(outcomes)}\n\n{passed} passed, {failed} failed", flush=True)
    return 1 if failed else 0


def _interrupted(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    # An ignored SIGINT would be inherited by the verbs, whose tests interrupt what they started.
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, _interrupted)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup
        signal.signal(signal.SIGHUP, _interrupted)
    if isinstance(
        sys.stdout, io.TextIOWrapper
    ):  # output of a verb may hold what the terminal's encoding lacks
        sys.stdout.reconfigure(errors="replace")
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
