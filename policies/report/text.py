"""For people at a terminal."""

from __future__ import annotations

import io

from rich.console import Console
from rich.text import Text

from policies.judge import Outcome, Verdict
from policies.report.run import Run
from policies.rules import Rule, Severity

_COLOURS = {Severity.HIGH: "bold red", Severity.MEDIUM: "bold yellow", Severity.LOW: "bold cyan"}


def render(run: Run, *, colour: bool) -> str:
    """Findings by rule with reason and remedy, then what is undecided, waived, and amiss with waivers."""
    buffer = io.StringIO()
    console = Console(file=buffer, force_terminal=colour, soft_wrap=True, highlight=False)
    outcomes = run.outcomes
    open_ = [outcome for outcome in outcomes if outcome.waived is None]
    for rule, group in run.by_rule([o for o in open_ if o.verdict is Verdict.FINDING]):
        _print_rule(console, rule, group, run)
    undecided = [outcome for outcome in open_ if outcome.verdict is Verdict.UNDECIDED]
    if undecided:
        console.print(Text("Undecided" + (" (strict: these fail)" if run.strict else ""), style="bold"))
        for rule, group in run.by_rule(undecided):
            console.print(Text(f"  {rule.id} {rule.title}"))
            for outcome in group:
                console.print(_line(outcome, run, "    "))
        console.print()
    waived = [outcome for outcome in outcomes if outcome.waived is not None]
    if waived:
        console.print(Text("Waived", style="bold"))
        for outcome in waived:
            place = run.where(outcome)
            console.print(
                Text(f"  {outcome.rule.id} {outcome.address}{place and f' ({place})'}: {outcome.waived}")
            )
        console.print()
    for problem in run.waiver_problems:
        console.print(Text(f"Waiver refused: {problem}", style="bold red"))
    for waiver in run.unused_waivers:
        console.print(
            Text(f"Waiver {waiver.number} ({waiver.rule} {waiver.address}) covers nothing; take it away")
        )
    console.print(Text(run.summary, style="bold green" if run.exit_code == 0 else "bold red"))
    return buffer.getvalue()


def _print_rule(console: Console, rule: Rule, group: list[Outcome], run: Run) -> None:
    console.print(
        Text.assemble((f"{rule.id} {rule.severity}", _COLOURS[rule.severity]), (f" {rule.title}", "bold"))
    )
    for outcome in group:
        console.print(_line(outcome, run, "  "))
    console.print(Text(f"  Why: {rule.why}"))
    console.print(Text("  Write:"))
    for line in rule.fix.splitlines():
        console.print(Text(f"    {line}", style="dim"))
    console.print(Text(f"  See: {rule.link}"))
    console.print()


def _line(outcome: Outcome, run: Run, indent: str) -> Text:
    place = run.where(outcome)
    return Text.assemble(
        indent,
        (outcome.address, "bold"),
        f" ({place})" if place else "",
        f": {outcome.message}",
    )
