"""Alarm states from data points: both tables of CloudWatch's guide, and its text on premature alarms."""

from __future__ import annotations

import pytest

from local.cloudwatch.evaluation import TREATMENTS, evaluation_range, judge

KEEP = None
MEANING = {"0": False, "X": True, "-": None}

# Data points (newest last), state for breaching, notBreaching, ignore, missing.
THREE_OF_THREE = {
    "0 - X - X": ("OK", "OK", "OK", "OK"),
    "0 - - - -": ("OK", "OK", "OK", "OK"),
    "- - - - -": ("ALARM", "OK", KEEP, "INSUFFICIENT_DATA"),
    "0 X X - X": ("ALARM", "ALARM", "ALARM", "ALARM"),
    "- - X - -": ("ALARM", "OK", KEEP, "ALARM"),
}
TWO_OF_THREE = {
    "0 - X - X": ("ALARM", "ALARM", "ALARM", "ALARM"),
    "0 0 X 0 X": ("ALARM", "ALARM", "ALARM", "ALARM"),
    "0 - X - -": ("ALARM", "OK", "OK", "OK"),
    "- - - - 0": ("ALARM", "OK", "OK", "OK"),
    "- - - X -": ("ALARM", "OK", KEEP, "ALARM"),
}
# "The alarm does not go immediately into ALARM state": with three of three, and data as missing.
TOO_EARLY = ["- - - - X", "- - - X -"]


def points(text: str) -> list[bool | None]:
    return [MEANING[sign] for sign in text.split()]


@pytest.mark.parametrize("column", range(4), ids=TREATMENTS)
@pytest.mark.parametrize("row", THREE_OF_THREE)
def test_three_of_three_as_in_the_guides_table(row: str, column: int) -> None:
    verdict = judge(points(row), 3, 3, TREATMENTS[column])
    assert verdict.state == THREE_OF_THREE[row][column]


@pytest.mark.parametrize("column", range(4), ids=TREATMENTS)
@pytest.mark.parametrize("row", TWO_OF_THREE)
def test_two_of_three_as_in_the_guides_table(row: str, column: int) -> None:
    verdict = judge(points(row), 3, 2, TREATMENTS[column])
    assert verdict.state == TWO_OF_THREE[row][column]


@pytest.mark.parametrize("row", TOO_EARLY)
def test_a_first_breaching_point_is_no_alarm_yet_while_data_is_intermittent(row: str) -> None:
    assert judge(points(row), 3, 3, "missing").state is KEEP


def test_points_to_be_filled_are_counted_as_in_the_guides_table() -> None:
    filled = [judge(points(row), 3, 3, "breaching").filled for row in THREE_OF_THREE]
    assert filled == [0, 2, 3, 0, 2]


def test_real_points_farther_back_are_preferred_to_missing_ones() -> None:
    assert judge(points("X - - X X"), 3, 3, "notBreaching").used == (4, 3, 0)


def test_range_of_three_periods_is_five_points() -> None:
    assert evaluation_range(3) == 5
