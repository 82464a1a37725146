"""The result of one run of the gate, before it is rendered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from policies.judge import Judgement, Outcome, Verdict
from policies.rules import Rule, Severity
from policies.waivers import Waiver

CLEAN, FOUND, CANNOT_JUDGE = 0, 1, 2
_ORDER = {severity: place for place, severity in enumerate(Severity)}


@dataclass(frozen=True)
class Run:
    """Judgements with waivers applied, what is wrong with waivers, and whether undecided answers fail."""

    judgements: list[Judgement]
    strict: bool
    waiver_problems: list[str] = field(default_factory=list)
    unused_waivers: list[Waiver] = field(default_factory=list)

    @property
    def outcomes(self) -> list[Outcome]:
        """All outcomes, the gravest rule first, then by address."""
        outcomes = [outcome for judgement in self.judgements for outcome in judgement.outcomes]
        return sorted(
            outcomes, key=lambda o: (_ORDER[o.rule.severity], o.rule.id, o.plan, o.address, o.message)
        )

    def fails(self, outcome: Outcome) -> bool:
        """Whether an outcome turns the run red."""
        return outcome.waived is None and (outcome.verdict is Verdict.FINDING or self.strict)

    def by_rule(self, outcomes: list[Outcome]) -> Iterator[tuple[Rule, list[Outcome]]]:
        """Outcomes grouped, in their order."""
        groups: dict[str, list[Outcome]] = {}
        for outcome in outcomes:
            groups.setdefault(outcome.rule.id, []).append(outcome)
        return ((group[0].rule, group) for group in groups.values())

    @property
    def exit_code(self) -> int:
        """0 clean, 1 findings: undecided ones when strict, and waivers that do not hold."""
        red = self.waiver_problems or any(self.fails(outcome) for outcome in self.outcomes)
        return FOUND if red else CLEAN

    @property
    def summary(self) -> str:
        """One line of counts."""
        outcomes = self.outcomes
        open_ = [outcome for outcome in outcomes if outcome.waived is None]
        findings = sum(1 for outcome in open_ if outcome.verdict is Verdict.FINDING)
        undecided = len(open_) - findings
        resources = sum(judgement.resources for judgement in self.judgements)
        answers = sum(len(judgement.asked) for judgement in self.judgements)
        return (
            f"{findings} findings, {undecided} undecided, {len(outcomes) - len(open_)} waived;"
            f" {answers} answers of rules on {resources} resources"
        )

    def where(self, outcome: Outcome) -> str:
        """The plan of an outcome when there are several, and file and line when they are known."""
        plan = [outcome.plan] if len(self.judgements) > 1 else []
        return ", ".join([*plan, *([f"{outcome.place.file}:{outcome.place.line}"] if outcome.place else [])])
