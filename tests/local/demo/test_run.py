"""The demo as a user runs it: a short month that holds, and what happens when it is used or ended wrongly."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from local.demo.__main__ import REPORT
from local.emulator.process import REPOSITORY, free_port
from tests.support.limits import HANG_SECONDS

pytestmark = [pytest.mark.end_to_end, pytest.mark.terraform, pytest.mark.emulator]

DEMO = [sys.executable, "-m", "local.demo", "--tenants=3", "--employees=12"]


@pytest.fixture(scope="module", autouse=True)
def _packages() -> None:
    subprocess.run([sys.executable, "-m", "zips"], cwd=REPOSITORY, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def running(*more: str) -> Iterator[subprocess.Popen[str]]:
    """Run the demo; whatever happens, its process group is gone afterwards."""
    process = subprocess.Popen(
        [*DEMO, *more],
        cwd=REPOSITORY,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def runs(pid: int) -> bool:
    """Whether the process runs; one that ended and was not asked for its status yet does not."""
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def output_until(process: subprocess.Popen[str], text: str) -> None:
    """Read the output up to the line that holds TEXT."""
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if text in line:
            return
    pytest.fail(f"the demo ended without saying {text!r}:\n{''.join(lines)}")


def test_short_month_under_faults_holds_every_invariant() -> None:
    with running() as process:
        output, _ = process.communicate(timeout=HANG_SECONDS)
    assert process.returncode == 0, output
    report = json.loads(REPORT.read_text())
    zero = ("charged_twice", "lost", "balance_mismatches", "order_violations", "iam_denied")
    assert {name: report[name] for name in zero} == dict.fromkeys(zero, 0)
    assert report["employees_charged"] == report["employees_expected"] == 36
    assert report["quarantined"] == {"malformed": 2, "rejected": 200}
    assert report["payments"]["captured"] == report["payments"]["expected"] == 33
    assert report["payments"]["captured_twice"] == 0
    assert report["co2"] == {"expected": 36, "aggregated": 36, "mismatches": 0}
    assert report["halted_group"]["quarantined"] == {"halted": 199, "rejected": 1}
    assert report["halted_group"]["out_of_order"] == 0
    assert report["schedule_fires"] == 2
    assert report["faults_injected"]["consumers_killed"] == 2
    terraform = report["terraform"]
    assert (terraform["second_plan_changes"], terraform["left_after_destroy"]) == (0, 0)
    assert terraform["provider"] == "stand-in"


@pytest.mark.parametrize(
    "said",
    [
        "Local AWS: done",
        "Terraform init: done",
        "Terraform apply (resources): done",
        "Directory (rows): done",
    ],
)
def test_interruption_at_any_phase_ends_everything_it_started(said: str) -> None:
    with running() as process:
        output_until(process, said)
        children = psutil.Process(process.pid).children(recursive=True)
        scratch = {child.environ().get("TMPDIR", "") for child in children} - {
            "",
            os.environ.get("TMPDIR", ""),
        }
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=HANG_SECONDS)
    # Python ends by the signal itself where it struck in the middle of an import; a shell reads both as 130.
    assert process.returncode in {130, -signal.SIGINT}, output
    assert "interrupted" in output
    assert "Traceback" not in output
    _, alive = psutil.wait_procs(children, timeout=HANG_SECONDS)
    assert not alive
    assert not [folder for folder in scratch if Path(folder).exists()]


def test_second_demo_beside_a_running_one_is_one_clear_line_and_disturbs_nothing() -> None:
    with running() as first:
        output_until(first, "Local AWS: done")
        with running() as second:
            output, _ = second.communicate(timeout=HANG_SECONDS)
        assert second.returncode == 1
        assert output.startswith("make demo: another demo runs in this checkout; wait for its end")
        assert "Traceback" not in output
        assert first.poll() is None
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=HANG_SECONDS)


def test_taken_port_is_one_clear_line_and_starts_nothing() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", free_port()))
        taken.listen()
        port = taken.getsockname()[1]
        with running(f"--port={port}") as process:
            output, _ = process.communicate(timeout=HANG_SECONDS)
    assert process.returncode == 1
    assert f"port {port} of 127.0.0.1 is taken" in output
    assert "Traceback" not in output


def test_make_names_a_python_that_is_too_old(tmp_path: Path) -> None:
    old = tmp_path / "python-of-yore"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    make = ["make", f"PYTHON={old}", ".venv/nowhere/.ready"]
    lists = REPOSITORY / "requirements" / "nowhere.txt"
    lists.touch()
    try:
        done = subprocess.run(make, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    finally:
        lists.unlink()
    assert done.returncode != 0
    assert "older than 3.11" in done.stderr
    assert not (REPOSITORY / ".venv" / "nowhere").exists()


def test_kept_run_stays_up_and_the_next_one_ends_it() -> None:
    with running("--keep", "--no-faults") as process:
        output, _ = process.communicate(timeout=HANG_SECONDS)
    assert process.returncode == 0, output
    kept = json.loads((REPORT.parent / "kept.json").read_text())
    assert runs(kept["pid"])
    assert f"export AWS_ENDPOINT_URL={kept['endpoint']}" in output
    with running() as process:
        output_until(process, "kept by a former run, was ended")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=HANG_SECONDS)
    assert not runs(kept["pid"])
