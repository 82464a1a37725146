"""Filter patterns of log subscriptions."""

from __future__ import annotations

import pytest

from local.cloudwatch.log_patterns import compile_pattern
from local.cloudwatch.refusal import RefusedError

LINE = '{"level":"ERROR","count":3,"service":"charge","at":{"attempts":[1,2]},"gone":null,"done":false}'


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        ('{ $.level = "ERROR" || $.level = "CRITICAL" }', True),
        ('{ $.level = "WARNING" || $.level = "CRITICAL" }', False),
        ('{ $.level = "ERROR" && $.service = "co2" }', False),
        ('{ ($.level = "X" || $.level = "ERROR") && $.service = "charge" }', True),
        ("{ $.level = ERROR }", True),
        ('{ $.level = "ERR*" }', True),
        ('{ $.level = "err*" }', False),
        ('{ $.level != "INFO" }', True),
        ('{ $.absent != "INFO" }', False),
        ("{ $.count > 2 }", True),
        ("{ $.count <= 2 }", False),
        ("{ $.at.attempts[1] = 2 }", True),
        ("{ $.gone IS NULL }", True),
        ("{ $.done IS FALSE }", True),
        ("{ $.absent NOT EXISTS }", True),
        ("{ $.level NOT EXISTS }", False),
        ("", True),
        ("ERROR", True),
        ("ERROR charge", True),
        ("ERROR co2", False),
        ("ERROR -charge", False),
        ("?co2 ?charge", True),
        ("?co2 ?auditor", False),
        ('"level\\":"', False),
    ],
)
def test_pattern(pattern: str, matches: bool) -> None:
    assert compile_pattern(pattern)(LINE) is matches


def test_a_line_that_is_no_json_has_no_fields() -> None:
    assert not compile_pattern('{ $.level = "ERROR" }')("ERROR something broke")
    assert not compile_pattern("{ $.level NOT EXISTS }")("{not json")


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ('{ $.level = "ERROR"', "no closing"),
        ('{ level = "ERROR" }', "where a field"),
        ("{ $.level = }", "ends too early"),
        ('{ $.level > "A" }', "no number"),
        ("{ $.level = %x% }", "not understood"),
        ("[level, message]", "space-delimited"),
        ("%ERROR%", "regular expression"),
        ("{ $.a = 1 $.b = 2 }", "where it should end"),
        ("x" * 1025, "more than 1024"),
    ],
)
def test_what_is_not_understood_is_refused_and_never_taken_for_a_match(pattern: str, says: str) -> None:
    with pytest.raises(RefusedError, match=says):
        compile_pattern(pattern)
