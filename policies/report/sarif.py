"""SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

from policies.judge import Outcome, Verdict
from policies.report.run import Run
from policies.rules import RULES, Rule, Severity

_LEVELS = {Severity.HIGH: "error", Severity.MEDIUM: "warning", Severity.LOW: "note"}
# The scale on which code scanning sorts: 7 and more is high, 4 and more is medium.
_SCORES = {Severity.HIGH: "8.0", Severity.MEDIUM: "5.0", Severity.LOW: "2.0"}


def render(run: Run) -> str:
    """One SARIF run; waived outcomes are suppressed ones, undecided ones are open unless strict."""
    indexes = {rule_id: index for index, rule_id in enumerate(RULES)}
    notifications = [
        {"level": "error", "message": {"text": f"Waiver refused: {problem}"}}
        for problem in run.waiver_problems
    ]
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "policies", "rules": [_rule(rule) for rule in RULES.values()]}},
                "results": [_result(run, outcome, indexes) for outcome in run.outcomes],
                "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notifications}],
            }
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "name": rule.check.__name__,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {"text": rule.fix, "markdown": f"{rule.why}\n\n```hcl\n{rule.fix}\n```"},
        "helpUri": rule.link,
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"security-severity": _SCORES[rule.severity], "tags": ["terraform", "aws"]},
    }


def _result(run: Run, outcome: Outcome, indexes: dict[str, int]) -> dict[str, Any]:
    undecided = outcome.verdict is Verdict.UNDECIDED
    open_ = undecided and not run.strict
    fingerprint = hashlib.sha256(f"{outcome.rule.id}\0{outcome.address}\0{outcome.verdict}".encode())
    location: dict[str, Any] = {
        "logicalLocations": [{"fullyQualifiedName": outcome.address, "kind": "resource"}],
        # A result without a file is not shown: the plan stands in where the line is not known.
        "physicalLocation": {
            "artifactLocation": {
                "uri": quote(outcome.place.file if outcome.place else Path(outcome.plan).as_posix())
            },
            "region": {"startLine": outcome.place.line if outcome.place else 1},
        },
    }
    result = {
        "ruleId": outcome.rule.id,
        "ruleIndex": indexes[outcome.rule.id],
        "kind": "open" if open_ else "fail",
        "level": "none" if open_ else _LEVELS[outcome.rule.severity],
        "message": {"text": f"{outcome.address}: {'undecided: ' if undecided else ''}{outcome.message}"},
        "locations": [location],
        "partialFingerprints": {"ruleAndAddress/v1": fingerprint.hexdigest()},
    }
    if outcome.waived is not None:
        result["suppressions"] = [{"kind": "external", "justification": outcome.waived}]
    return result
