"""Markdown, for a comment on a pull request."""

from __future__ import annotations

from policies.judge import Outcome, Verdict
from policies.report.run import Run

# GitHub refuses comments above 65,536 characters, and the summary of changes, of 30,000, stands before this.
_LONGEST = 30_000


def render(run: Run) -> str:
    """A verdict, a table of what fails, the remedy of each rule folded away, and the rest folded away."""
    outcomes = run.outcomes
    failing = [outcome for outcome in outcomes if run.fails(outcome)]
    lines = [f"### Policy gate: {'clean' if run.exit_code == 0 else 'findings'}", "", run.summary, ""]
    lines += [f"- Waiver refused: {_escaped(problem)}" for problem in run.waiver_problems]
    lines += [
        f"- Waiver {waiver.number} (`{waiver.rule}` `{waiver.address}`) covers nothing; take it away"
        for waiver in run.unused_waivers
    ]
    if run.waiver_problems or run.unused_waivers:
        lines.append("")
    if failing:
        lines += _table(failing, run)
        for rule, _ in run.by_rule(failing):
            lines += [
                f"<details><summary>{rule.id}: how to mend it</summary>",
                "",
                f"{rule.why} [Reference]({rule.link})",
                "",
                "```hcl",
                rule.fix,
                "```",
                "",
                "</details>",
            ]
        lines.append("")
    for title, rest in (
        (
            "Undecided",
            [o for o in outcomes if o.verdict is Verdict.UNDECIDED and o.waived is None and not run.fails(o)],
        ),
        ("Waived", [o for o in outcomes if o.waived is not None]),
    ):
        if rest:
            lines += [
                f"<details><summary>{title}: {len(rest)}</summary>",
                "",
                *_table(rest, run),
                "</details>",
                "",
            ]
    return _cut("\n".join(lines))


def _table(outcomes: list[Outcome], run: Run) -> list[str]:
    rows = ["| rule | severity | resource | what |", "|---|---|---|---|"]
    for outcome in outcomes:
        place = run.where(outcome)
        undecided = "undecided: " if outcome.verdict is Verdict.UNDECIDED else ""
        what = outcome.waived if outcome.waived is not None else undecided + outcome.message
        rows.append(
            f"| {outcome.rule.id} | {outcome.rule.severity} | `{_cell(outcome.address)}`"
            f"{f'<br>{_escaped(place)}' if place else ''} | {_escaped(what)} |"
        )
    return [*rows, ""]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("`", "'").replace("\n", " ")


def _escaped(text: str) -> str:
    marked = text.replace("\\", "\\\\").replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for character in "`*_[]|@#":
        marked = marked.replace(
            character, f"\\{character}" if character not in "@#" else f"{character}&#8203;"
        )
    return " ".join(marked.split())


def _cut(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    kept = text[:_LONGEST].rpartition("\n")[0]
    return f"{kept}\n\nCut here: the whole report is longer than a comment may be.\n"
