"""The local AWS that a former run left up (`KEEP=1`): remembered, so that the next run can end it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from local.emulator import Emulator
from local.emulator.process import SCRATCH

PATIENCE_SECONDS = 10.0
_LOOK_SECONDS = 0.05


def remember(aws: Emulator, note: Path) -> None:
    """Write down which process serves the kept emulator."""
    created = psutil.Process(aws.pid).create_time()
    note.write_text(json.dumps({"pid": aws.pid, "created": created, "endpoint": aws.endpoint}) + "\n")


def end_former(note: Path, say: Callable[[str], None]) -> None:
    """End the emulator that NOTE tells of, if it still runs, and SAY so.

    One that does not end by itself within PATIENCE_SECONDS, twice over, is killed with all it has started.
    """
    if not note.exists():
        return
    try:
        kept = json.loads(note.read_text())
        process, endpoint = psutil.Process(int(kept["pid"])), str(kept["endpoint"])
        if process.create_time() == kept["created"]:  # else the number belongs to somebody else by now
            _end(process, endpoint, say)
            say(f"The local AWS at {endpoint}, kept by a former run, was ended.")
    except psutil.NoSuchProcess:
        say("The local AWS that a former run kept has ended by itself.")
    except (ValueError, KeyError, TypeError):
        say(f"{note} does not tell which local AWS a former run kept; if one still runs, end it by hand.")
    note.unlink()


def _end(process: psutil.Process, endpoint: str, say: Callable[[str], None]) -> None:
    scratch = process.environ().get("TMPDIR")
    process.terminate()
    if _ends(process):
        return
    say(f"The local AWS at {endpoint}, kept by a former run, takes its time to end; it is waited for.")
    if _ends(process):
        return
    say(f"It has not ended within {2 * PATIENCE_SECONDS:.0f} s, and is killed.")
    os.killpg(process.pid, signal.SIGKILL)  # it leads a group of its own
    _ends(process)
    if scratch and Path(scratch).name.startswith(SCRATCH):
        shutil.rmtree(scratch, ignore_errors=True)


def _ends(process: psutil.Process) -> bool:
    """Whether it ends within PATIENCE_SECONDS. A zombie has: its parent has not asked yet."""
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(_LOOK_SECONDS)
    return False


def how_to_reach(aws: Emulator) -> str:
    """Return the lines that tell how to use the kept emulator, and how to end it."""
    lines = [f"export {name}={value}" for name, value in aws.credentials_env().items()]
    return "\n".join(
        [
            f"The local AWS stays up at {aws.endpoint}. In a shell:",
            *(f"  {line}" for line in lines),
            "  aws sqs list-queues        # or boto3, or any other client",
            f"It ends with `kill {aws.pid}`, or when `make demo` runs again.",
        ]
    )
