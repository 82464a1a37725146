"""The operator's command, as `make dlq` runs it, against the local AWS."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from local.demo.month import Job, MonthStoppedError
from local.emulator import Emulator

REPOSITORY = Path(__file__).resolve().parents[2]


def command(job: Job, *arguments: str) -> list[str]:
    """Return the command line that works on the dead letters of JOB and prints JSON."""
    asked = ["--env", "local", "--job", job.name, "--json", "--yes"]
    return [sys.executable, "-m", "operations.dlq", *asked, *arguments]


def surroundings(aws: Emulator) -> Mapping[str, Any]:
    """Return what such a process runs in, as arguments of `subprocess`."""
    paths = os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "functions")])
    environment = {**os.environ, **aws.credentials_env(), "PYTHONPATH": paths}
    return {"cwd": REPOSITORY, "env": environment}


def operate(aws: Emulator, job: Job, *arguments: str) -> dict[str, Any]:
    """Run one command to its end and return what it printed.

    Raises MonthStoppedError, with the last thing it said, if it does not end well.
    """
    done = subprocess.run(command(job, *arguments), capture_output=True, check=False, **surroundings(aws))
    if done.returncode != 0:
        said = (done.stderr or done.stdout).decode().strip().splitlines()[-1:]
        raise MonthStoppedError(
            f"make dlq {' '.join(arguments)} ended with status {done.returncode}: {' '.join(said)}"
        )
    return dict(json.loads(done.stdout))
