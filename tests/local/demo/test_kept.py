"""The local AWS that a former run kept: ended before the next one, however it takes it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from local.demo import kept

_CALM = "import time; print('up', flush=True); time.sleep(600)"
_STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {_CALM}"


@contextmanager
def former(code: str, note: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that NOTE tells of, as one that keeps the local AWS up."""
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        created = psutil.Process(process.pid).create_time()
        told = {"pid": process.pid, "created": created, "endpoint": "http://127.0.0.1:1"}
        note.write_text(json.dumps(told))
        try:
            yield process
        finally:
            process.kill()


def said(note: Path) -> list[str]:
    lines: list[str] = []
    kept.end_former(note, lines.append)
    assert not note.exists()
    return lines


def test_former_one_is_ended(tmp_path: Path) -> None:
    with former(_CALM, tmp_path / "note") as process:
        (line,) = said(tmp_path / "note")
        assert "http://127.0.0.1:1, kept by a former run, was ended" in line
        assert process.wait() < 0


def test_one_that_does_not_end_is_waited_for_and_then_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "PATIENCE_SECONDS", 0.2)
    with former(_STUBBORN, tmp_path / "note") as process:
        waited, killed, ended = said(tmp_path / "note")
        assert "takes its time to end" in waited
        assert "is killed" in killed
        assert "was ended" in ended
        assert process.wait() == -9


def test_number_that_belongs_to_somebody_else_is_left_alone(tmp_path: Path) -> None:
    with former(_CALM, tmp_path / "note") as process:
        told = json.loads((tmp_path / "note").read_text())
        (tmp_path / "note").write_text(json.dumps({**told, "created": 1.0}))
        assert said(tmp_path / "note") == []
        assert process.poll() is None


def test_one_that_is_gone_is_no_error(tmp_path: Path) -> None:
    with former(_CALM, tmp_path / "note") as process:
        process.kill()
        process.wait()
        assert said(tmp_path / "note") == ["The local AWS that a former run kept has ended by itself."]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": 1}', '{"pid": "x", "endpoint": "y"}'])
def test_note_that_tells_nothing_is_said_and_removed(tmp_path: Path, text: str) -> None:
    (tmp_path / "note").write_text(text)
    (line,) = said(tmp_path / "note")
    assert "does not tell which local AWS" in line


def test_nothing_was_kept(tmp_path: Path) -> None:
    assert said(tmp_path / "note") == []
