"""The verdict of a run: one broken invariant is enough."""

from __future__ import annotations

import copy
import io
from typing import Any

import pytest
from rich.console import Console

from local.demo.report import INVARIANTS, broken, show

GOOD: dict[str, Any] = {
    "period": "2026-11",
    "scheduled_time": "2026-11-30T18:00:00+00:00",
    "employees_expected": 4,
    "employees_charged": 4,
    "charged_twice": 0,
    "lost": 0,
    "unexpected": 0,
    "balance_mismatches": 0,
    "order_violations": 0,
    "quarantined": {"rejected": 3, "malformed": 2},
    "dlq_messages": 5,
    "dlq_expected": 5,
    "payments": {"expected": 3, "captured": 3, "captured_twice": 0},
    "co2": {"expected": 4, "aggregated": 4, "mismatches": 0},
    "halted_group": {"expected": 3, "messages": 3, "out_of_order": 0, "quarantined": {}},
    "alarms": {
        "defined": 40,
        "fired": 7,
        "recovered": 7,
        "notifications": 2,
        "incidents": 2,
        "updates": 9,
        "dropped": 0,
        "seconds_to_slack": {"charge": 3.5},
    },
    "redrive": {"double": 0, "lost": 0, "order_violations": 0, "dlq_left": 7, "expected_left": 7},
    "schedule_fires": 2,
    "faults_injected": {"delivered_twice": 1},
    "iam_denied": 0,
    "messages_per_second": 50,
    "memory_mib": {"demo": 80},
    "seconds": {"apply": 3.2},
    "kept": False,
    "terraform": {
        "version": "1.11.4",
        "provider": "stand-in",
        "resources": 40,
        "second_plan_changes": 0,
        "left_after_destroy": 0,
    },
}


def changed(figure: str, value: Any) -> dict[str, Any]:
    report = copy.deepcopy(GOOD)
    *levels, last = figure.split(".")
    place = report
    for level in levels:
        place = place[level]
    place[last] = value
    return report


def test_good_run_breaks_nothing() -> None:
    assert broken(GOOD) == []


@pytest.mark.parametrize("figure", [invariant.figure for invariant in INVARIANTS])
@pytest.mark.parametrize("value", [1, None])
def test_each_invariant_is_judged(figure: str, value: int | None) -> None:
    assert [invariant.figure for invariant in broken(changed(figure, value))] == [figure]


def test_kept_run_is_not_held_to_its_destruction() -> None:
    assert broken(changed("terraform.left_after_destroy", None) | {"kept": True}) == []


def test_run_without_a_redrive_is_not_held_to_one() -> None:
    assert broken(GOOD | {"redrive": None}) == []


def test_table_marks_what_is_broken() -> None:
    console = Console(file=io.StringIO(), width=160)
    show(changed("lost", 2), console)
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert [line for line in lines if "broken" in line and "no charge was lost" in line]
    assert sum("broken" in line for line in lines) == 1
