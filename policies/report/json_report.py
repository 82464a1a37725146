"""For programs: one JSON object."""

from __future__ import annotations

import json

from policies.report.run import Run


def render(run: Run) -> str:
    """`format_version`, `exit_code`, `summary`, `outcomes`, `waivers`; every outcome whole, with its rule."""
    document = {
        "format_version": "1",
        "strict": run.strict,
        "exit_code": run.exit_code,
        "summary": run.summary,
        "judged": [
            {"name": judgement.name, "resources": judgement.resources, "answers": len(judgement.asked)}
            for judgement in run.judgements
        ],
        "outcomes": [
            {
                "plan": outcome.plan,
                "rule": outcome.rule.id,
                "title": outcome.rule.title,
                "severity": outcome.rule.severity,
                "verdict": outcome.verdict,
                "address": outcome.address,
                "message": outcome.message,
                "file": outcome.place.file if outcome.place else None,
                "line": outcome.place.line if outcome.place else None,
                "waived": outcome.waived,
                "fails": run.fails(outcome),
                "fix": outcome.rule.fix,
                "link": outcome.rule.link,
            }
            for outcome in run.outcomes
        ],
        "waivers": {
            "problems": run.waiver_problems,
            "unused": [{"rule": w.rule, "address": w.address} for w in run.unused_waivers],
        },
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
