"""The redrive of the demo, on the deployed job."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from local.demo import redrive
from local.demo.deployment import terraform
from local.demo.progress import Stage
from local.emulator import Emulator
from local.emulator.process import REPOSITORY

pytestmark = [pytest.mark.end_to_end, pytest.mark.terraform, pytest.mark.emulator]


def test_what_failed_for_two_reasons_is_put_back_once_and_in_order_though_killed_twice(
    tmp_path: Path,
) -> None:
    subprocess.run([sys.executable, "-m", "zips"], cwd=REPOSITORY, check=True, stdout=subprocess.DEVNULL)
    with Emulator.start(tmp_path / "emulator.log") as aws:
        with terraform(aws, "stand-in", tmp_path, {}) as root:
            root.init()
            root.apply()
            outputs = root.output()
        stage = Stage(Console(quiet=True))
        with stage.phase("redrive", "Redrive") as phase:
            found = redrive.prove(aws, outputs, "2026-11", phase)
        assert aws.state()["denials"] == []
    assert (found["double"], found["lost"], found["order_violations"]) == (0, 0, 0)
    assert (found["charged"], found["quarantined"], found["timed_out"], found["kills"]) == (200, 100, 100, 2)
    assert found["dlq_left"] == found["expected_left"] == 0
    assert 0 < found["redriven_by_last_runs"] < 200
