"""Differences of two plans: all of them, none that is a name only."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rich.console import Console

from deploy.differences import ABSENT, UNKNOWN, Difference, Side, differences, show

ACCOUNTS = {"stg": "444455556666", "prod": "123456789012"}


def _side(name: str, unknown: dict[str, Any] | None = None, **resources: dict[str, Any]) -> Side:
    """A plan of one `aws_thing` a keyword."""
    changes = [
        {
            "address": f"aws_thing.{key}",
            "mode": "managed",
            "type": "aws_thing",
            "change": {"actions": ["create"], "after": values, "after_unknown": unknown or {}},
        }
        for key, values in resources.items()
    ]
    return Side(name, {"variables": {"account_id": {"value": ACCOUNTS[name]}}, "resource_changes": changes})


def _found(one: dict[str, Any], other: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    return [
        (path, *values) for _, path, *values in differences(_side("stg", this=one), _side("prod", this=other))
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("fanout-stg-jobs", "fanout-prod-jobs"),
        ("stg", "prod"),
        ("stg/terraform.tfstate", "prod/terraform.tfstate"),
        ("arn:aws:sqs:r:444455556666:fanout-stg", "arn:aws:sqs:r:123456789012:fanout-prod"),
        ({"environment": "stg"}, {"environment": "prod"}),
        ({"stg": 1}, {"prod": 1}),
        (json.dumps({"Resource": "fanout-stg"}), json.dumps({"Resource": "fanout-prod"})),
    ],
)
def test_own_name_and_account_are_no_difference(one: Any, other: Any) -> None:
    assert _found({"value": one}, {"value": other}) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("fanout-prod-jobs", "fanout-prod-jobs"),  # stg that points at prod
        ("arn:aws:sqs:r:123456789012:x", "arn:aws:sqs:r:123456789012:x"),
        ("stgs", "prods"),  # a longer word is not the name
        (1, True),
        (1, "1"),
        (None, ""),
        ([], [None]),
        ({}, {"key": None}),
    ],
)
def test_anything_else_is_a_difference(one: Any, other: Any) -> None:
    assert len(_found({"value": one}, {"value": other})) == 1


def test_difference_names_the_innermost_value() -> None:
    one = {"environment": [{"variables": {"A": "1", "B": "2"}}]}
    other = {"environment": [{"variables": {"A": "1", "B": "3"}}]}

    assert _found(one, other) == [("environment[0].variables.B", "2", "3")]


def test_json_in_a_string_is_compared_by_its_values() -> None:
    one = {"policy": '{"a": 1, "b": {"c": 2}}', "text": "[not json"}
    other = {"policy": '{"b": {"c": 3}, "a": 1}', "text": "[not json"}

    assert _found(one, other) == [("policy.b.c", 2, 3)]


def test_item_put_in_the_middle_of_a_list_is_the_only_difference() -> None:
    statements = [{"Sid": "A"}, {"Sid": "B"}, {"Sid": "B"}]
    one = {"policy": json.dumps({"Statement": statements})}
    other = {"policy": json.dumps({"Statement": [statements[0], {"Sid": "Key"}, *statements[1:]]})}

    assert _found(one, other) == [("policy.Statement[]", ABSENT, [{"Sid": "Key"}])]
    assert _found(other, one) == [("policy.Statement[]", [{"Sid": "Key"}], ABSENT)]


def test_item_more_of_the_same_is_a_difference() -> None:
    assert _found({"items": ["a"]}, {"items": ["a", "a"]}) == [("items[]", ABSENT, ["a"])]


def test_value_that_only_one_plan_knows_is_a_difference() -> None:
    one = _side("stg", {"key": True, "both": True, "inner": [{"known": True}]}, this={"inner": [{}]})
    other = _side("prod", {"both": True}, this={"key": "k", "inner": [{"known": "x"}]})

    assert differences(one, other) == [
        Difference("aws_thing.this", "inner[0].known", UNKNOWN, "x"),
        Difference("aws_thing.this", "key", UNKNOWN, "k"),
    ]


def test_resource_of_one_side_is_one_difference() -> None:
    one, other = _side("stg", both={"a": 1}), _side("prod", both={"a": 1}, more={"b": 1, "c": 2})

    assert differences(one, other) == [Difference("aws_thing.more", "", ABSENT, "planned")]


def test_table_holds_every_difference_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    one = _side("stg", this={"days": 30, "note": "[bold]x", "key": None})
    other = _side("prod", this={"days": 365, "note": "[bold]y", "key": "é"})

    show(one, other, Console(width=200))
    shown = capsys.readouterr().out

    assert "stg and prod: 3 differences" in shown
    for text in ("30", "365", '"[bold]x"', '"[bold]y"', "null", '"é"', *ACCOUNTS.values()):
        assert text in shown
