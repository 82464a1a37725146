"""The local AWS that a former run left up (`KEEP=1`): remembered, so that the next run can end it."""

from __future__ import annotations

import json
from pathlib import Path

import psutil

from local.emulator import Emulator


def remember(aws: Emulator, note: Path) -> None:
    """Write down which process serves the kept emulator."""
    created = psutil.Process(aws.pid).create_time()
    note.write_text(json.dumps({"pid": aws.pid, "created": created, "endpoint": aws.endpoint}) + "\n")


def end_former(note: Path) -> str | None:
    """End the emulator that NOTE tells of, if it still runs; return its address, None if there was none."""
    if not note.exists():
        return None
    kept = json.loads(note.read_text())
    note.unlink()
    try:
        process = psutil.Process(kept["pid"])
        if process.create_time() != kept["created"]:
            return None  # the number belongs to somebody else by now
        process.terminate()
        process.wait(10)
    except psutil.NoSuchProcess:
        return None
    return str(kept["endpoint"])


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
