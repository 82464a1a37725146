"""From a rendered plan to outcomes."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from policies.judge import Judgement, Outcome, Verdict, judge
from policies.plan import Plan, read_plan
from policies.rules import RULES


def plan_of(document: Any) -> Plan:
    """The document read as the gate reads it: from a file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "plan.json")
        file.write_text(json.dumps(document), encoding="utf-8")
        return read_plan(file)


def judged(document: Any) -> Judgement:
    return judge(plan_of(document))


def said(document: Any, rule: str, verdict: Verdict) -> dict[str, list[str]]:
    """Messages of a rule by address."""
    messages: dict[str, list[str]] = {}
    for outcome in judge(plan_of(document), [RULES[rule]]).outcomes:
        if outcome.verdict is verdict:
            messages.setdefault(outcome.address, []).append(outcome.message)
    return messages


def lines(outcomes: list[Outcome]) -> list[str]:
    return [f"{o.rule.id} {o.verdict} {o.address}: {o.message}" for o in outcomes]
