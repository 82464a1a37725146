"""Asking every rule about every resource it is for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum

from policies.plan import Leaving, Plan, Resource, Undecided
from policies.plan.resource import Place
from policies.rules import RULES, Open, Rule

# Control characters and halves of pairs: a terminal obeys the first, no encoding has the second.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def printable(text: str) -> str:
    """A text from a plan as reports may show it."""
    return _UNPRINTABLE.sub("\ufffd", text)


class Verdict(StrEnum):
    """What an outcome is; a rule that is kept has none."""

    FINDING = "finding"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One thing that a rule says of one resource. `waived` holds the reason when a waiver covers it."""

    plan: str
    rule: Rule
    address: str
    verdict: Verdict
    message: str
    place: Place | None = None
    waived: str | None = None


@dataclass(frozen=True)
class Judgement:
    """All outcomes for one plan or source folder. `asked`: the pairs of rule and address judged."""

    name: str
    resources: int
    outcomes: list[Outcome]
    asked: set[tuple[str, str]] = field(default_factory=set)


def judge(plan: Plan, rules: Iterable[Rule] = tuple(RULES.values())) -> Judgement:
    """Ask the rules about each resource that is to be judged: what there will be, or what goes."""
    outcomes: list[Outcome] = []
    asked: set[tuple[str, str]] = set()
    for rule in rules:
        for resource in (plan.leaving_of if rule.leaving else plan.of)(*rule.subjects):
            if resource.judged:
                asked.add((rule.id, printable(resource.address)))
                outcomes += _ask(rule, resource, plan)
    deleted = sum(1 for resource in plan.leaving if resource.leaving is Leaving.DELETED)
    judged = sum(1 for resource in plan.resources if resource.judged)
    return Judgement(plan.name, judged + deleted, outcomes, asked)


def _ask(rule: Rule, resource: Resource, plan: Plan) -> Iterator[Outcome]:
    seen: set[tuple[Verdict, str]] = set()
    for verdict, message in _answers(rule, resource, plan):
        if (verdict, message) not in seen:
            seen.add((verdict, message))
            address = printable(resource.address)
            yield Outcome(plan.name, rule, address, verdict, printable(message), resource.place)


def _answers(rule: Rule, resource: Resource, plan: Plan) -> Iterator[tuple[Verdict, str]]:
    try:
        for answer in rule.check(resource, plan):
            if isinstance(answer, Open):
                yield Verdict.UNDECIDED, answer.reason
            else:
                yield Verdict.FINDING, answer
    except Undecided as reason:
        yield Verdict.UNDECIDED, str(reason)


def settle(judgement: Judgement, by_source: Judgement) -> Judgement:
    """Replace what is undecided by what the source of the same plan decides, where it does.

    Not inside modules with `for_each` or `count`: tfparse evaluates one instance with another's values.
    """
    told: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in by_source.outcomes:
        told.setdefault((outcome.rule.id, outcome.address), []).append(outcome)
    outcomes = [o for o in judgement.outcomes if o.verdict is Verdict.FINDING]
    said = {(outcome.rule.id, outcome.address, outcome.message) for outcome in outcomes}
    for outcome in judgement.outcomes:
        pair = (outcome.rule.id, outcome.address)
        if outcome.verdict is Verdict.FINDING:
            continue
        if outcome.rule.leaving:  # the source does not know what there is
            outcomes.append(outcome)
            continue
        answers = told.get(pair, [])
        repeated = "]." in outcome.address
        if repeated or pair not in by_source.asked or any(a.verdict is Verdict.UNDECIDED for a in answers):
            outcomes.append(outcome)
            continue
        for answer in answers:
            if (*pair, answer.message) not in said:
                said.add((*pair, answer.message))
                outcomes.append(replace(answer, plan=judgement.name))
    return replace(judgement, outcomes=outcomes)
