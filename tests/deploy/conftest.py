"""A repository of small environments, and a person at a terminal."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deploy.terraform import Terraform
from tests.support.git import commit
from tests.support.limits import HANG_SECONDS

REPOSITORY = Path(__file__).resolve().parents[2]
SECONDS = HANG_SECONDS
_ROOT = """
terraform {{
  backend "local" {{}}
}}

resource "terraform_data" "this" {{
  input = "{value}"
}}
"""
_COMMAND = """
import fcntl, sys, termios
from pathlib import Path
from deploy.__main__ import main

if sys.stdin.isatty():
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
sys.exit(main(sys.argv[2:], Path(sys.argv[1])))
"""


class Repository:
    """`envs/dev`, `envs/stg` and `envs/prod`, each with one resource that needs no provider."""

    def __init__(self, path: Path) -> None:
        self.path = path
        for name in ("dev", "stg", "prod"):
            (path / "envs" / name).mkdir(parents=True)
            self.write(name, "one")

    def write(self, name: str, value: str) -> None:
        """Set the value of the environment's resource."""
        (self.path / "envs" / name / "main.tf").write_text(_ROOT.format(value=value), encoding="utf-8")

    def commit(self) -> str:
        """Commit everything but what is built; returns the commit."""
        return commit(self.path)

    def values(self, name: str) -> list[str]:
        """The values of the resources that exist."""
        shown = Terraform(self.path / "envs" / name, {}).show_json()
        resources = shown.get("values", {}).get("root_module", {}).get("resources", [])
        return [resource["values"]["input"] for resource in resources]

    def command(self, *arguments: str) -> list[str]:
        """A command line that does what the verbs do, in this repository."""
        return [sys.executable, "-c", _COMMAND, str(self.path), *arguments]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The command, with nobody at a terminal."""
        return subprocess.run(
            self.command(*arguments),
            cwd=REPOSITORY,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )


class Terminal:
    """A pseudo-terminal at which a command runs; `text` is what it has shown."""

    def __init__(self, command: list[str]) -> None:
        self._here, there = os.openpty()
        try:
            self._process = subprocess.Popen(
                command, cwd=REPOSITORY, stdin=there, stdout=there, stderr=there, start_new_session=True
            )
        finally:
            os.close(there)
        self.text = ""

    def await_text(self, wanted: str) -> None:
        """Return once `wanted` was shown; fails when it is not."""
        assert self._read(lambda: wanted in self.text), f"{wanted!r} was never shown:\n{self.text}"

    def press(self, keys: str) -> None:
        """Type."""
        os.write(self._here, keys.encode())

    def end(self) -> int:
        """Read to the end; the exit status."""
        self._read(lambda: False)
        return self._process.wait(SECONDS)

    def close(self) -> None:
        """Whatever still runs is ended."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        os.close(self._here)

    def _read(self, done: Callable[[], bool]) -> bool:
        deadline = time.monotonic() + SECONDS
        while not done():
            ready, _, _ = select.select([self._here], [], [], max(0.0, deadline - time.monotonic()))
            try:
                shown = os.read(self._here, 65536) if ready else b""
            except OSError:  # Linux's way to say that the other end was closed
                shown = b""
            if not shown:
                return False
            self.text += shown.decode(errors="replace")
        return True


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


@pytest.fixture
def at_terminal(repository: Repository) -> Iterator[Callable[..., Terminal]]:
    """`at_terminal(*arguments)`: the command in the repository, at a terminal of its own."""
    opened: list[Terminal] = []

    def start(*arguments: str) -> Terminal:
        opened.append(Terminal(repository.command(*arguments)))
        return opened[-1]

    yield start
    for terminal in opened:
        terminal.close()
