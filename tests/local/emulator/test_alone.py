"""`make local-aws` and `make terraform`, used from a folder that is none of this repository's."""

from __future__ import annotations

import os
import pty
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from local.emulator.process import REPOSITORY, free_port

pytestmark = [pytest.mark.emulator, pytest.mark.terraform]

DOCUMENT = REPOSITORY / "docs" / "local-aws.md"
_LOGIN = "import os, sys; os.login_tty(0); os.execvp(sys.argv[1], sys.argv[1:])"


def make(*arguments: str) -> list[str]:
    return ["make", "--no-print-directory", "-C", str(REPOSITORY), *arguments]


def environment() -> dict[str, str]:
    """This process's environment without what speaks of AWS, Python or make."""
    kept = ("AWS_", "TF_", "PYTHON", "MAKE", "MFLAGS")
    return {name: value for name, value in os.environ.items() if not name.startswith(kept)}


@contextmanager
def local_aws(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """`make local-aws` from FOLDER, once it is up; the process and what it has said."""
    with subprocess.Popen(
        make("local-aws", *arguments),
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        said: list[str] = []
        for line in process.stdout:
            said.append(line)
            if "Ctrl-C ends it" in line:
                break
        try:
            yield process, said
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)


def documented() -> tuple[str, list[str]]:
    """The root and the commands of the document's part on roots outside this repository."""
    text = DOCUMENT.read_text(encoding="utf-8")
    part = text.split("## A root outside this repository", 1)[1].split("\n## ", 1)[0]
    (root,) = re.findall(r"(?ms)^```\n(.*?)^```$", part)
    return root, re.findall(r"(?m)^    (.+)$", part.replace(root, ""))


def test_root_outside_this_repository_is_applied_as_the_document_says(tmp_path: Path) -> None:
    """The document's own root and commands, in a folder of their own, with no environment prepared."""
    root, commands = documented()
    (tmp_path / "main.tf").write_text(root)
    with local_aws(tmp_path):
        for command in commands:
            done = subprocess.run(
                ["/bin/sh", "-c", command.split("  #")[0].replace("~/fanout-once", str(REPOSITORY))],
                cwd=tmp_path,
                env=environment(),
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
            if "plan" in command:
                assert "1 to add" in done.stdout
            if " apply" in command:
                assert "1 added" in done.stdout
    assert "1 destroyed" in done.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_says_how_to_reach_it_and_ends_on_a_signal(number: signal.Signals, tmp_path: Path) -> None:
    port = free_port()
    with local_aws(tmp_path, f"PORT={port}") as (process, said):
        assert f"The local AWS is up at http://127.0.0.1:{port}." in said[0]
        assert f"  export AWS_ENDPOINT_URL=http://127.0.0.1:{port}\n" in said
        os.killpg(process.pid, number)
        process.wait()
    assert_free(port)


def assert_free(port: int) -> None:
    """Nobody listens any more: the emulator has ended with its verb."""
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


def test_ctrl_c_at_a_terminal_ends_it(tmp_path: Path) -> None:
    port = free_port()
    here, there = pty.openpty()
    command = [sys.executable, "-c", _LOGIN, *make("local-aws", f"PORT={port}")]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(), stdin=there, stdout=there, stderr=there
    ) as process:
        os.close(there)
        said = b""
        while b"Ctrl-C ends it" not in said:
            said += os.read(here, 4096)
        os.write(here, b"\x03")
        process.wait()
        os.close(here)
    assert_free(port)


def test_port_that_is_none_is_named(tmp_path: Path) -> None:
    done = subprocess.run(
        make("local-aws", "PORT=http"),
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "PORT must be a whole number from 1 to 65,535" in done.stderr


def test_root_that_is_no_folder_is_named(tmp_path: Path) -> None:
    done = subprocess.run(
        make("terraform", f"ROOT={tmp_path / 'none'}", "ARGS=plan"),
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "which is no folder" in done.stderr
