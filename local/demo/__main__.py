"""`make demo`: exit status 0 only if every invariant of the month holds.

1: an invariant is broken, or a step failed; 2: wrong use; 130: interrupted.
"""

from __future__ import annotations

import fcntl
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from botocore.exceptions import BotoCoreError
from rich.console import Console

from deploy.terraform import TerraformError, TerraformMissing
from local.demo import kept, report
from local.demo.month import MonthStoppedError
from local.demo.progress import Stage
from local.demo.run import run
from local.demo.settings import Settings, parse
from local.emulator import Emulator, EmulatorError
from local.emulator.process import terminating_on_signals

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / "dist" / "demo"
NOTE = FOLDER / "kept.json"
REPORT = FOLDER / "report.json"


@contextmanager
def _alone() -> Iterator[None]:
    """Keep a second demo out of the folder, which it would empty. Raises MonthStoppedError for that one."""
    FOLDER.parent.mkdir(parents=True, exist_ok=True)
    with FOLDER.with_suffix(".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise MonthStoppedError(
                "another demo runs in this checkout; wait for its end, or run this one in another clone"
            ) from None
        yield


def _prepare(stage: Stage) -> None:
    kept.end_former(NOTE, stage.say)
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)


def demo(settings: Settings, console: Console) -> int:
    """Run the demo and return the exit status."""
    with terminating_on_signals(), _alone(), Stage(console) as stage:
        _prepare(stage)
        with stage.phase("emulator", "Local AWS"):
            aws = Emulator.start(FOLDER / "emulator.log", settings.port)
        try:
            found = run(settings, aws, stage, FOLDER)
        except BaseException:
            aws.stop()
            raise
        if not settings.keep:
            aws.stop()
    report.write(found, REPORT)
    report.show(found, console)
    console.print(f"Report: {REPORT.relative_to(REPOSITORY)}")
    if settings.keep:
        aws.detach()
        kept.remember(aws, NOTE)
        console.print(kept.how_to_reach(aws), highlight=False)
    failed = report.broken(found)
    for invariant in failed:
        console.print(f"[bold red]broken: {invariant.meaning} ({invariant.figure})")
    return 1 if failed else 0


def _complain(text: str) -> None:
    Console(stderr=True).print(f"make demo: {text}", style="bold red", highlight=False, markup=False)


def main() -> int:
    """Read the command line, run, and turn what goes wrong into one clear line."""
    settings = parse(sys.argv[1:])
    try:
        return demo(settings, Console())
    except (EmulatorError, MonthStoppedError, TerraformError, TerraformMissing) as error:
        _complain(str(error))
        return 1
    except BotoCoreError as error:
        _complain(f"the local AWS did not answer ({error}); see {FOLDER / 'emulator.log'}")
        return 1
    except KeyboardInterrupt:
        _complain("interrupted; everything it started was ended")
        return 130


if __name__ == "__main__":
    sys.exit(main())
