"""The table of a plan: how many of what, and what is taken away by its address."""

from __future__ import annotations

from typing import Any

import pytest
from rich.console import Console

from deploy.summary import LONGEST, actions, markdown, show


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


def _update(address: str, before: dict[str, Any], after: dict[str, Any], **more: Any) -> dict[str, Any]:
    change = _change(address, *more.pop("done", ["update"]))
    change["change"] |= {"before": before, "after": after, **more}
    return change


def test_markdown_names_every_resource_that_changes_the_dangerous_ones_first() -> None:
    text = markdown(DOCUMENT, "prod", {"commit": "abc"})

    assert text.splitlines() == [
        "### prod: 2 to create, 1 to update, 2 to replace, 1 to delete",
        "",
        "- commit: `abc`",
        "",
        "```diff",
        "- replace: aws_table.first []",
        "- replace: aws_table.moved []",
        "- delete: aws_table.old",
        "! update: aws_role.changed []",
        "+ create: aws_queue.new",
        "+ create: aws_queue.newer",
        "```",
    ]


def test_markdown_names_arguments_and_never_a_value() -> None:
    change = _update(
        "aws_queue.this",
        {"delay": 0, "policy": "old-value", "same": "kept-value", "blocks": [{"a": 1}], "arn": "x"},
        {"delay": 5, "policy": "new-value", "same": "kept-value", "blocks": [{"a": 1}]},
        after_unknown={"arn": True, "blocks": [{}]},
        after_sensitive={"policy": True},
    )
    text = markdown({"resource_changes": [change]}, "prod", {})

    assert "! update: aws_queue.this [arn, delay, policy]" in text
    assert "value" not in text


def test_markdown_says_what_forces_a_replacement() -> None:
    change = _update(
        "aws_queue.this",
        {"name": "a", "delay": 0},
        {"name": "b", "delay": 1},
        done=["delete", "create"],
        replace_paths=[["name"]],
    )

    assert "- replace: aws_queue.this [name]" in markdown({"resource_changes": [change]}, "prod", {})


def test_markdown_marks_what_was_changed_by_hand() -> None:
    change = _update("aws_queue.this", {"delay": 9}, {"delay": 0})
    noise = _change("aws_queue.other", "update")
    text = markdown({"resource_changes": [change], "resource_drift": [change, noise]}, "prod", {})

    assert "! update: aws_queue.this [delay] (changed outside of Terraform)" in text
    assert "aws_queue.other" not in text


@pytest.mark.parametrize("longest", [500, LONGEST])
def test_markdown_says_what_cannot_be_given_back(longest: int) -> None:
    lost = [f"aws_queue.q{number}: its messages" for number in range(40)]
    text = markdown(DOCUMENT, "prod", {}, lost, longest)

    assert "What this takes away, and cannot give back:\n\n```text\naws_queue.q0: its messages\n" in text
    assert len(text.encode()) <= longest


def test_markdown_names_outputs_and_moves() -> None:
    moved = {**_update("aws_queue.new", {}, {}), "previous_address": "aws_queue.old"}
    outputs = {"url": {"actions": ["update"]}, "same": {"actions": ["no-op"]}}
    text = markdown({"resource_changes": [moved], "output_changes": outputs}, "prod", {})

    assert "! update: aws_queue.new (was aws_queue.old)" in text
    assert "- outputs that change: `url`" in text


def test_markdown_of_a_plan_that_changes_nothing_says_so() -> None:
    assert markdown({"resource_changes": []}, "dev", {}) == "### dev: no resource changes\n\n"


@pytest.mark.parametrize("longest", [400, 3_000, LONGEST])
def test_markdown_is_cut_at_the_harmless_end_and_counts_the_rest(longest: int) -> None:
    changes = [_change(f'aws_queue.this["{number:05}-é"]', "create") for number in range(4_000)]
    text = markdown(
        {"resource_changes": [*changes, _change("aws_table.old", "delete")]}, "prod", {}, longest=longest
    )

    assert longest * 0.5 < len(text.encode()) <= longest
    assert "- delete: aws_table.old" in text
    shown = text.count("\n+ ")
    assert f"{4_000 - shown} more" in text


def test_name_of_a_resource_does_not_end_the_block() -> None:
    text = markdown({"resource_changes": [_change('aws_queue.this["```"]', "create")]}, "prod", {})

    assert text.splitlines()[-3] == "````diff"
    assert text.splitlines()[-1] == "````"
