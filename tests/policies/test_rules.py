"""Every rule: kept, broken, through modules, through `for_each`, and undecided where it cannot know."""

from __future__ import annotations

from typing import Any

import pytest

from policies.judge import Verdict
from policies.rules import RULES
from tests.policies.support.cases import BROKEN, HIDDEN, KEPT, Case
from tests.policies.support.good import Stack, good
from tests.policies.support.judging import judged, lines, said
from tests.policies.support.layouts import LAYOUTS, Layout, render

# What jsonencode() of an unknown ARN hides with it, on a first plan.
HIDDEN_BY_JSONENCODE = {"FO104", "FO105", "FO308"}

in_every_layout = pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)


def laid_out(stack: Stack, layout: Layout, *, known: bool = True) -> Any:
    """The plan of a stack; in a repeating layout as instance `b`, beside a good one."""
    if not layout.repeated:
        return render([(None, list(stack.values()))], layout, known=known)
    return render([("a", list(good("-a").values())), ("b", list(stack.values()))], layout, known=known)


def changed(case: Case, layout: Layout) -> tuple[Stack, str]:
    """The changed stack, and the address of what the case is about."""
    stack = good("-b" if layout.repeated else "")
    case.change(stack)
    subject = stack[case.subject]
    return stack, layout.address(subject.label, "b", layout.module(subject))


@in_every_layout
def test_good_composition_has_no_outcome(layout: Layout) -> None:
    suffix = "-b" if layout.repeated else ""
    assert lines(judged(laid_out(good(suffix), layout)).outcomes) == []


@in_every_layout
def test_first_plan_of_it_leaves_open_only_what_jsonencode_hides(layout: Layout) -> None:
    suffix = "-b" if layout.repeated else ""
    outcomes = judged(laid_out(good(suffix), layout, known=False)).outcomes
    assert {o.rule.id for o in outcomes} == HIDDEN_BY_JSONENCODE
    assert {o.verdict for o in outcomes} == {Verdict.UNDECIDED}


BROKEN_IN_LAYOUTS = [
    pytest.param(case, layout, known, id=f"{case.name}-{layout.name}-{'known' if known else 'by-reference'}")
    for case in BROKEN
    for layout in LAYOUTS
    for known in (True, False)
    if not (case.of == "text" and not known)
    and not (case.of == "configuration" and layout.repeated)
    and not (case.of == "reference" and layout.repeated and not known)
]


@pytest.mark.parametrize(("case", "layout", "known"), BROKEN_IN_LAYOUTS)
def test_broken_rule_is_found_where_it_is_broken(case: Case, layout: Layout, known: bool) -> None:
    stack, address = changed(case, layout)
    document = laid_out(stack, layout, known=known)

    found = said(document, case.rule, Verdict.FINDING)
    if not known and case.rule in HIDDEN_BY_JSONENCODE and address not in found:
        assert address in said(document, case.rule, Verdict.UNDECIDED)
        return
    assert any(case.says in message for message in found.get(address, [])), found
    if layout.repeated:
        assert not [other for other in found if '["a"]' in other]


@pytest.mark.parametrize("case", KEPT, ids=lambda case: case.name)
def test_rule_that_is_kept_another_way_says_nothing(case: Case) -> None:
    stack, address = changed(case, LAYOUTS[0])
    outcomes = judged(laid_out(stack, LAYOUTS[0])).outcomes
    assert lines([o for o in outcomes if o.rule.id == case.rule and o.address == address]) == []


@in_every_layout
@pytest.mark.parametrize("case", HIDDEN, ids=lambda case: case.name)
def test_unknown_value_is_undecided_and_never_kept_or_broken(case: Case, layout: Layout) -> None:
    stack, address = changed(case, layout)
    document = laid_out(stack, layout)

    assert said(document, case.rule, Verdict.UNDECIDED).get(address), lines(judged(document).outcomes)
    assert address not in said(document, case.rule, Verdict.FINDING)


def test_every_rule_has_a_case_that_breaks_it_and_one_that_hides_it() -> None:
    assert {case.rule for case in BROKEN} == set(RULES)
    # What FO701 asks about exists, and every value of it is known.
    assert {case.rule for case in HIDDEN} == set(RULES) - {"FO701"}


def test_every_rule_about_what_there_will_be_is_asked_of_the_good_composition() -> None:
    asked = {rule for rule, _ in judged(laid_out(good(), LAYOUTS[0])).asked}
    assert asked == {rule.id for rule in RULES.values() if not rule.leaving}


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_rule_says_what_why_and_how(rule: Any) -> None:
    assert len(RULES) >= 30
    assert rule.title[0].isupper()
    assert not rule.title.endswith(".")
    assert rule.why.endswith(".")
    assert rule.fix.strip() == rule.fix.strip("\n")
    assert rule.link.startswith("https://")
    assert rule.subjects
