"""Every verb is run and counted, whatever becomes of the others."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.steps import counted, judged, main, run
from tests.support.limits import HANG_SECONDS

REPOSITORY = Path(__file__).resolve().parents[2]
IGNORING = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN);"
    "signal.signal(signal.SIGHUP, signal.SIG_DFL);"  # nohup may have started these tests
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)

MAKEFILE = """
passing:
	@echo '============ 3 passed, 1 skipped in 12.00s ============'
failing:
	@echo 'E   AssertionError'; echo '=== 1 failed, 2 passed, 1 error in 61.00s (0:01:01) ==='; exit 1
silent:
	@true
broken:
	@echo 'no compiler'; exit 3
reading:
	@test -z "$$(cat)"
hanging:
	@sleep 600 & echo $$! > child; wait
"""


@pytest.fixture
def verbs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a Makefile of verbs that end in every way."""
    (tmp_path / "Makefile").write_text(MAKEFILE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def gone(process: int) -> bool:
    """Whether PROCESS has ended; one that nobody has waited for yet has, too."""
    try:
        return psutil.Process(process).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_every_verb_runs_and_the_last_line_sums_up(verbs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["failing", "broken", "passing", "silent"])

    printed = capsys.readouterr().out
    assert status == 1
    assert printed.splitlines()[-1] == "6 passed, 3 failed"
    assert "E   AssertionError" in printed
    assert "no compiler" in printed
    assert "1 skipped" in printed
    rows = [line.split()[:3] for line in printed.splitlines()[-7:-2]]
    assert rows == [
        ["verb", "passed", "failed"],
        ["failing", "2", "2"],
        ["broken", "0", "1"],
        ["passing", "3", "0"],
        ["silent", "1", "0"],
    ]


def test_nothing_failed_is_status_0(verbs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["passing", "silent", "reading"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "5 passed, 0 failed"


def test_verb_that_hangs_is_ended_with_its_children_and_has_failed(verbs: Path) -> None:
    outcome = run("hanging", limit=1)

    assert (outcome.passed, outcome.failed) == (0, 1)
    assert "hung" in outcome.note
    assert gone(int((verbs / "child").read_text()))


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_whoever_ends_it_ends_the_verb_too_even_where_sigint_was_ignored(verbs: Path, ending: int) -> None:
    started = subprocess.Popen(
        [sys.executable, "-c", IGNORING, "-m", "tests.steps", "hanging"],
        cwd=verbs,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stdout=subprocess.DEVNULL,
    )
    noted = verbs / "child"
    deadline = time.monotonic() + HANG_SECONDS
    while not (noted.exists() and noted.read_text().strip()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    started.send_signal(ending)

    assert started.wait(HANG_SECONDS) == 130
    assert gone(int(noted.read_text()))


@pytest.mark.parametrize(
    ("output", "counts"),
    [
        ("===== 12 passed in 0.10s =====", {"passed": 12}),
        ("12 passed in 0.10s", {"passed": 12}),
        ("\x1b[32m== \x1b[32m\x1b[1m2 passed\x1b[0m\x1b[32m in 0.01s\x1b[0m ==", {"passed": 2}),
        (
            "1 failed, 2 passed, 3 skipped, 4 warnings, 2 errors in 75.00s (0:01:15)",
            {"failed": 1, "errors": 2},
        ),
        ("== 1 passed in 1.00s ==\n...\n== 2 passed in 1.00s ==", {"passed": 3}),
    ],
)
def test_pytest_s_closing_lines_are_counted(output: str, counts: dict[str, int]) -> None:
    found = counted(output)

    assert found is not None
    assert {outcome: found[outcome] for outcome in counts} == counts


@pytest.mark.parametrize(
    "output", ["", "Success! 12 passed, 0 failed.", "12 passed", "no tests ran in 0.01s"]
)
def test_what_is_no_closing_line_counts_nothing(output: str) -> None:
    assert counted(output) is None


def test_failure_beside_tests_that_passed_is_a_failure() -> None:
    outcome = judged("test-code", "12 passed in 0.10s", 2, 1.0)

    assert (outcome.passed, outcome.failed) == (12, 1)


def test_failed_tests_are_failures_even_if_the_verb_ends_with_0() -> None:
    assert judged("test-code", "1 failed, 12 passed in 0.10s", 0, 1.0).failed == 1


def test_every_test_verb_of_the_makefile_is_run() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    run_by_test_all = re.search(r"^PROVED := (.*)$", makefile, re.MULTILINE)
    assert run_by_test_all is not None

    verbs = set(re.findall(r"^(test-[a-z]+):", makefile, re.MULTILINE)) - {"test-all"}
    assert set(run_by_test_all[1].split()) == verbs | {"lint", "demo"}
