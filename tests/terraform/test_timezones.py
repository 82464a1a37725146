"""timezones.json: the IANA zones and the hours their clock changes touch."""

import importlib.util
import json
from types import ModuleType

import pytest

from tests.terraform.modules import MODULES

FILE = MODULES / "scheduler-fanout" / "timezones.json"


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("timezones", FILE.with_name("timezones.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_file_is_what_the_pinned_database_gives(generator: ModuleType) -> None:
    assert FILE.read_text(encoding="utf-8") == generator.render(), "run modules/scheduler-fanout/timezones.py"


@pytest.mark.parametrize(
    ("zone", "hours"),
    [
        ("Asia/Tokyo", []),
        ("UTC", []),
        ("America/New_York", [1, 2]),
        ("Europe/Berlin", [2]),
        ("Europe/London", [1]),
        ("Asia/Beirut", [0, 23]),
        ("Australia/Lord_Howe", [1, 2]),
    ],
)
def test_hours_that_a_clock_change_skips_or_repeats(zone: str, hours: list[int]) -> None:
    assert json.loads(FILE.read_text(encoding="utf-8"))["zones"][zone] == hours


@pytest.mark.parametrize("name", ["JST", "Factory", "asia/tokyo", "GMT+9"])
def test_names_that_are_no_zones_are_absent(name: str) -> None:
    assert name not in json.loads(FILE.read_text(encoding="utf-8"))["zones"]
