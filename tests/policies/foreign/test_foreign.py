"""Compositions of well-known public modules: all that is found in each is recorded in expected.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from policies.judge import Judgement
from tests.policies.foreign.compositions import COMPOSITIONS, Composition
from tests.policies.support.judging import judged
from tests.policies.support.layouts import Layout, render

EXPECTED = tomllib.loads(Path(__file__).with_name("expected.toml").read_text(encoding="utf-8"))
HIDDEN_ON_A_FIRST_PLAN = {"FO104", "FO105", "FO308"}


def judge(composition: Composition, *, known: bool) -> Judgement:
    layout = Layout("foreign", module=composition.module_of)
    return judged(render([(None, composition.resources)], layout, known=known))


def said(judgement: Judgement) -> list[str]:
    return sorted({f"{o.rule.id} {o.verdict} {o.address}" for o in judgement.outcomes})


@pytest.mark.parametrize("compose", COMPOSITIONS, ids=lambda compose: compose.__name__)
def test_first_plan_of_composition_is_judged_as_recorded(compose: Callable[[], Composition]) -> None:
    assert said(judge(compose(), known=False)) == EXPECTED[compose.__name__]["said"]


@pytest.mark.parametrize("compose", COMPOSITIONS, ids=lambda compose: compose.__name__)
def test_second_plan_says_the_same_but_for_what_the_first_could_not_know(
    compose: Callable[[], Composition],
) -> None:
    first, second = (set(said(judge(compose(), known=known))) for known in (False, True))

    assert {line.split()[0] for line in first ^ second} <= HIDDEN_ON_A_FIRST_PLAN
    assert not [line for line in second if "undecided" in line and line not in first]


def test_there_are_at_least_eight_and_each_is_recorded() -> None:
    assert len(COMPOSITIONS) >= 8
    assert set(EXPECTED) == {compose.__name__ for compose in COMPOSITIONS}
