"""The table of a plan: how many of what, and what is taken away by its address."""

from __future__ import annotations

from typing import Any

import pytest
from rich.console import Console

from deploy.summary import actions, show


def _change(address: str, *done: str, mode: str = "managed") -> dict[str, Any]:
    return {"address": address, "type": address.partition(".")[0], "mode": mode, "change": {"actions": done}}


DOCUMENT = {
    "resource_changes": [
        _change("aws_queue.new", "create"),
        _change("aws_queue.newer", "create"),
        _change("aws_queue.same", "no-op"),
        _change("aws_table.moved", "delete", "create"),
        _change("aws_table.first", "create", "delete"),
        _change("aws_table.old", "delete"),
        _change("aws_role.changed", "update"),
        _change("aws_policy.read", "read", mode="data"),
    ]
}


def test_each_resource_that_changes_has_one_action() -> None:
    assert actions(DOCUMENT) == {
        "aws_queue.new": "create",
        "aws_queue.newer": "create",
        "aws_table.moved": "replace",
        "aws_table.first": "replace",
        "aws_table.old": "delete",
        "aws_role.changed": "update",
    }


def test_what_is_taken_away_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    show(DOCUMENT, "dev", Console(width=100))
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]

    assert lines[-3:] == ["replace: aws_table.first", "replace: aws_table.moved", "delete: aws_table.old"]
    assert "aws_queue.new" not in "".join(lines)


def test_counts_are_by_type_and_in_all(capsys: pytest.CaptureFixture[str]) -> None:
    show(DOCUMENT, "dev", Console(width=100))
    rows = {
        cells[1]: cells[2:-1]
        for line in capsys.readouterr().out.splitlines()
        if len(cells := [cell.strip() for cell in line.split("│")]) > 2
    }

    assert rows == {
        "aws_queue": ["2", "", "", ""],
        "aws_role": ["", "1", "", ""],
        "aws_table": ["", "", "2", "1"],
        "all": ["2", "1", "2", "1"],
    }


def test_plan_that_changes_nothing_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    show({"resource_changes": [_change("aws_queue.same", "no-op")]}, "dev", Console())

    assert capsys.readouterr().out == "dev: no resource changes.\n"
