"""A month-end is played on the local AWS, recorded, and drawn; the picture says what was recorded."""

import subprocess
import sys
from pathlib import Path

import pytest

from local.dashboards.played import NAME
from local.dashboards.recording import Recording

REPOSITORY = Path(__file__).resolve().parents[3]
DRAWING = REPOSITORY / ".venv" / "docs" / "bin" / "python"

pytestmark = [pytest.mark.emulator, pytest.mark.terraform]


def run(python: str | Path, *arguments: str | Path) -> None:
    done = subprocess.run(
        [str(python), "-m", "local.dashboards", *map(str, arguments)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("played") / "month.json"
    run(sys.executable, "play", file)
    return file


@pytest.fixture(scope="module")
def recording(file: Path) -> Recording:
    return Recording.load(file)


def test_what_was_played_is_what_the_dashboard_shows(recording: Recording) -> None:
    numbers = {
        series.label: recording.series[number].get(series.id, {})
        for number, widget in enumerate(recording.dashboard.widgets)
        if widget.properties.get("view") == "singleValue"
        for series in widget.series()
    }
    shown = {label: sum(points.values()) for label, points in numbers.items()}
    assert (shown["dispatched"], shown["skipped"], shown["quarantined"]) == (60_000, 3, 7)
    assert shown["charged"] == 59_993


def test_seven_dead_letters_break_charging_and_ring_no_other_critical_alarm(recording: Recording) -> None:
    on = {name.removeprefix(f"{NAME}-") for name, state in recording.alarms.items() if state == "ALARM"}
    assert on == {"broken", "main-dlq-visible"}


def test_the_picture_has_every_title_number_and_alarm(
    file: Path, recording: Recording, tmp_path: Path
) -> None:
    assert DRAWING.exists(), "the environment for pictures is missing; run `make .venv/docs/.ready`"
    picture = tmp_path / "month.svg"
    run(DRAWING, "draw", file, picture)
    drawn = picture.read_text(encoding="utf-8")
    for widget in recording.dashboard.widgets:
        assert widget.title.replace("&", "&amp;") in drawn
    for name in recording.alarms:
        assert f">{name.removeprefix(f'{NAME}-')}<" in drawn
    assert ">60,000<" in drawn
    assert ">7<" in drawn


def test_a_png_is_a_png_and_small_enough_to_commit(file: Path, tmp_path: Path) -> None:
    picture = tmp_path / "month.png"
    run(DRAWING, "draw", file, picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size < 300_000
