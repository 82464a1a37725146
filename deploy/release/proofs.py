"""What is run before a version is tagged."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from deploy.terraform.attach import SHARED_ENVIRONMENTS

Command = tuple[str, ...]


def commands() -> list[Command]:
    """Return the verbs that have to end with 0, quick ones first: the gate on own environments, all tests."""
    gates = [("make", "gate", f"ENV={name}", "OFFLINE=1", "WAIVERS=") for name in sorted(SHARED_ENVIRONMENTS)]
    return [("make", "gate-source", "WAIVERS="), *gates, ("make", "test-all")]


def first_that_fails(commands: Sequence[Command], repository: Path) -> Command | None:
    """Run COMMANDS in REPOSITORY, their output for all to see, up to the first that does not end with 0.

    What the make that runs this was told (-k, -i, variables) is not passed on: it could make a proof milder.
    """
    environment = {name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "MFLAGS"}}
    for command in commands:
        done = subprocess.run(command, cwd=repository, env=environment, stdin=subprocess.DEVNULL, check=False)
        if done.returncode:
            return command
    return None
