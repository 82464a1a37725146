"""What a rule is, and the registry that rules enter by their decorator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from policies.plan import Plan, Resource


class Severity(StrEnum):
    """What a broken rule costs: money or messages, time to notice, tidiness."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class Open:
    """An undecided part of an answer, while the rest goes on. `reason`: what would have to be known."""

    reason: str


Check: TypeAlias = Callable[[Resource, Plan], Iterator[str | Open]]


@dataclass(frozen=True)
class Rule:
    """One rule. `check` gets each judged resource of the `subjects` types and yields what is wrong with it.

    A string is a finding (what is given, what is allowed, what to write); `Open`, or an `Undecided` that is
    raised, an answer that the plan does not hold.
    """

    id: str
    severity: Severity
    title: str
    why: str
    fix: str
    link: str
    subjects: tuple[str, ...]
    check: Check
    leaving: bool
    """Whether it is asked about what the plan takes away, instead of what there will be."""


_RULES: dict[str, Rule] = {}


def rule(  # noqa: PLR0913 - one argument for each thing that a reader of a report is told
    rule_id: str,
    severity: Severity,
    *,
    title: str,
    why: str,
    fix: str,
    link: str,
    subjects: tuple[str, ...],
    leaving: bool = False,
) -> Callable[[Check], Check]:
    """Register the decorated check. `fix` is the Terraform to write.

    `leaving`: it gets what the plan deletes or replaces, with the values that this has now.
    """

    def register(check: Check) -> Check:
        if rule_id in _RULES:
            raise ValueError(f"{rule_id} is the id of two rules: {_RULES[rule_id].title}, and {title}")
        _RULES[rule_id] = Rule(rule_id, severity, title, why, fix.strip("\n"), link, subjects, check, leaving)
        return check

    return register


def registered() -> dict[str, Rule]:
    """The rules so far, by id, in the order of their ids."""
    return dict(sorted(_RULES.items()))
