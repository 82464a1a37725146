"""Rules of composite alarms."""

from __future__ import annotations

import pytest

from local.cloudwatch.refusal import RefusedError
from local.cloudwatch.rules import parse

STATES = {"a": "ALARM", "b": "OK", "c": "INSUFFICIENT_DATA", "with space": "ALARM"}


@pytest.mark.parametrize(
    ("rule", "truth"),
    [
        ("ALARM(a)", True),
        ('ALARM("a")', True),
        ("OK(a)", False),
        ("INSUFFICIENT_DATA(c)", True),
        ('ALARM("with space")', True),
        ("ALARM(a) AND ALARM(b)", False),
        ("ALARM(a) OR ALARM(b)", True),
        ("ALARM(b) AND ALARM(b) OR ALARM(a)", True),
        ("ALARM(b) AND (ALARM(b) OR ALARM(a))", False),
        ("NOT ALARM(a)", False),
        ("NOT (ALARM(b) OR OK(a))", True),
        ("TRUE", True),
        ("FALSE", False),
        ("ALARM(a)\n  OR FALSE", True),
    ],
)
def test_truth_of_a_rule(rule: str, truth: bool) -> None:
    assert parse(rule).holds(STATES.get) is truth


def test_children_that_make_a_rule_true_or_false() -> None:
    rule = parse("(ALARM(a) OR ALARM(b)) AND NOT ALARM(c)")
    assert rule.children() == ["a", "b", "c"]
    assert rule.agreeing(STATES.get, True) == ["a", "c"]
    assert rule.agreeing(STATES.get, False) == ["b"]


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("", "1 to 10240"),
        ("ALARM(a", r"must be: '\)'"),
        ("ALARM()", "the name of an alarm"),
        ("a", "Unsupported token 'a' at char 0"),
        ("ALARM(a) ALARM(b)", "must be: '<EOF>'"),
        ("ALARM(a) and ALARM(b)", "Unsupported token 'and'"),
        ("ALARM(a) OR", "<EOF>"),
        (" OR ".join(f"ALARM(a{number})" for number in range(101)), "more than 100 alarms"),
    ],
)
def test_what_is_no_rule_is_refused(rule: str, says: str) -> None:
    with pytest.raises(RefusedError, match=says):
        parse(rule)
