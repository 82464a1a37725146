"""Metric math as alarms use it."""

from __future__ import annotations

import pytest

from local.cloudwatch.definitions import Query, ordered
from local.cloudwatch.expressions import Series, Value, evaluate, parse
from local.cloudwatch.metrics import Metric
from local.cloudwatch.refusal import RefusedError

IDS = {"a": "TS", "b": "TS", "errors1": "TS"}


def value(text: str, **series: Series) -> Value:
    names = list(series)
    return evaluate(parse(text, dict.fromkeys(names, "TS"), names), series, 3)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("a + b", [3.0, None, None]),
        ("a - 1", [0.0, None, 2.0]),
        ("2 * a + 1", [3.0, None, 7.0]),
        ("1 + 2 * a", [3.0, None, 7.0]),
        ("(1 + 2) * a", [3.0, None, 9.0]),
        ("-a", [-1.0, None, -3.0]),
        ("a ^ 2", [1.0, None, 9.0]),
        ("a / 0", [None, None, None]),
        ("a > 1", [0.0, None, 1.0]),
        ("a >= 1 AND a < 3", [1.0, None, 0.0]),
        ("a == 3 || a == 1", [1.0, None, 1.0]),
        ("ABS(-a)", [1.0, None, 3.0]),
        ("CEIL(a / 2)", [1.0, None, 2.0]),
        ("FLOOR(a / 2)", [0.0, None, 1.0]),
        ("FILL(a, 0)", [1.0, 0.0, 3.0]),
        ("FILL(a, b)", [1.0, 5.0, 3.0]),
        ("FILL(a, REPEAT)", [1.0, 1.0, 3.0]),
        ("FILL(a, LINEAR)", [1.0, 2.0, 3.0]),
        ("IF(a > 1, 7, a)", [1.0, None, 7.0]),
        ("SUM([a, b])", [3.0, 5.0, 3.0]),
        ("MAX([a, b])", [2.0, 5.0, 3.0]),
        ("MIN([a, b])", [1.0, 5.0, 3.0]),
        ("AVG([a, b])", [1.5, 5.0, 3.0]),
        ("SUM(METRICS())", [3.0, 5.0, 3.0]),
        ('SUM(METRICS("b"))', [2.0, 5.0, None]),
        ("SUM(FILL(METRICS(), 1))", [3.0, 6.0, 4.0]),
        ("a + SUM(b)", [8.0, None, 10.0]),
        ("a - MAX(a)", [-2.0, None, 0.0]),
    ],
)
def test_expression(text: str, result: Series) -> None:
    assert value(text, a=[1.0, None, 3.0], b=[2.0, 5.0, None]) == result


def test_of_two_compared_series_a_missing_point_is_zero_unless_both_lack_it() -> None:
    left: Series = [1.0, None, None]
    right: Series = [None, 1.0, None]
    assert value("a > b", a=left, b=right) == [1.0, 0.0, None]
    assert value("a OR b", a=left, b=right) == [1.0, 1.0, None]


def test_a_share_of_nothing_is_no_point_unless_it_is_said() -> None:
    errors: Series = [1.0, 0.0, None]
    calls: Series = [4.0, 0.0, None]
    assert value("100 * a / b", a=errors, b=calls) == [25.0, None, None]
    assert value("IF(b > 0, 100 * a / b, 0)", a=errors, b=calls) == [25.0, 0.0, None]


def test_filling_neither_invents_a_first_point_nor_joins_over_the_end() -> None:
    assert value("FILL(a, REPEAT)", a=[None, 2.0, None]) == [None, 2.0, 2.0]
    assert value("FILL(a, LINEAR)", a=[None, 2.0, None]) == [None, 2.0, None]


def test_filling_a_series_without_any_point_gives_the_number_throughout() -> None:
    assert value("FILL(a, 0)", a=[None, None, None]) == [0.0, 0.0, 0.0]


def test_a_stalled_queue_is_one_expression() -> None:
    visible: Series = [5.0, 5.0, None]
    deleted: Series = [None, 1.0, None]
    assert value("a > 0 AND FILL(b, 0) == 0", a=visible, b=deleted) == [1.0, 0.0, 1.0 * 0]


@pytest.mark.parametrize(
    ("text", "kind"),
    [("1 + 2", "S"), ("SUM(a)", "S"), ("a + 1", "TS"), ("[a, b]", "TS[]"), ("METRICS()", "TS[]")],
)
def test_kinds_are_told_apart(text: str, kind: str) -> None:
    assert parse(text, {"a": "TS", "b": "TS"}, ["a", "b"]).kind == kind


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ANOMALY_DETECTION_BAND(a)", "ANOMALY_DETECTION_BAND is not known here"),
        ("RATE(a)", "known are ABS, AVG"),
        ("a + missing", "no metric or expression with the id missing"),
        ("a +", "the end"),
        ("a b", "'b' is one too many"),
        ("a + METRICS()", "not on arrays"),
        ("SUM(a, b)", r"SUM\(\[a,b\]\)"),
        ("IF(a, 1)", "a condition, a value and another value"),
        ("FILL(1, 0)", "a series and a number"),
        ("METRICS(a)", "a text"),
        ("a ? b", r"'\?' at 1"),
        ("[1, a]", "time series only"),
    ],
)
def test_what_is_not_understood_is_refused_by_name(text: str, says: str) -> None:
    with pytest.raises(RefusedError, match=says):
        parse(text, {"a": "TS", "b": "TS"}, ["a", "b"])


def test_expressions_may_read_each_other_in_any_order_but_not_in_a_circle() -> None:
    metric = Query("m1", Metric.of("n", "m"), "Sum")
    assert [query.id for query in ordered([metric], {"e2": "e1 * 2", "e1": "m1 + 1"})] == ["m1", "e1", "e2"]
    with pytest.raises(RefusedError, match="e1, e2 read each other in a circle"):
        ordered([metric], {"e2": "e1 * 2", "e1": "e2 + 1"})
    with pytest.raises(RefusedError, match="circle"):
        ordered([metric], {"e1": "e1 + m1"})
