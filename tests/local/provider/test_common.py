"""What several resource types share: names, waiting, text."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from local.provider.engine.errors import Problem
from local.provider.resources.common import (
    Clock,
    as_text,
    chosen_name,
    from_text,
    name_prefix,
    unique_suffix,
    wait_until,
    wait_until_gone,
)


class Time:
    """A clock that moves when it is slept on."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.clock = Clock(lambda: self.seconds, self._sleep)

    def _sleep(self, seconds: float) -> None:
        self.seconds += seconds


def test_waiting_ends_as_soon_as_it_is_done() -> None:
    time, answers = Time(), iter([False, False, True])
    wait_until(lambda: next(answers), "it", time.clock)
    assert time.seconds == pytest.approx(0.1)


def test_waiting_ends_after_a_minute_with_what_it_waited_for() -> None:
    time = Time()
    with pytest.raises(Problem, match="table jobs becoming active did not come about within 60 s"):
        wait_until(lambda: False, "table jobs becoming active", time.clock)
    assert 60 <= time.seconds < 61


def test_what_cannot_be_found_any_more_is_gone() -> None:
    answers = iter([None, None])
    wait_until_gone(lambda: next(answers), StopIteration, "it")
    with pytest.raises(ZeroDivisionError):
        wait_until_gone(lambda: 1 / 0, KeyError, "it")


def names() -> Iterator[str]:
    yield chosen_name({"name": None, "name_prefix": "jobs-"})
    yield chosen_name({"name": None, "name_prefix": None})
    yield chosen_name({"name": None, "name_prefix": "jobs-"}, ".fifo")


def test_a_prefix_gives_a_name_of_its_own_and_is_found_in_it() -> None:
    plain, generated, fifo = names()
    assert (name_prefix(plain), name_prefix(generated)) == ("jobs-", "terraform-")
    assert fifo.endswith(".fifo")
    assert name_prefix(fifo, ".fifo") == "jobs-"
    assert len({unique_suffix() for _ in range(1000)}) == 1000
    assert len(unique_suffix()) == 26


def test_a_name_that_is_written_is_taken_and_has_no_prefix() -> None:
    assert chosen_name({"name": "jobs", "name_prefix": None}) == "jobs"
    assert name_prefix("jobs") is None
    assert name_prefix("a-name-that-is-longer-than-the-suffix") is None


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [(True, bool, "true"), (False, bool, "false"), (30, int, "30"), ("a", str, "a")],
)
def test_an_attribute_survives_the_way_through_text(value: object, kind: type, text: str) -> None:
    assert as_text(value) == text
    assert from_text(text, kind) == value


def test_nothing_is_empty_text_and_comes_back_as_null() -> None:
    assert as_text(None) == ""
    assert (from_text("", str), from_text(None, int), from_text(None, bool)) == (None, None, False)
