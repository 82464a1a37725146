"""What a run found: the figures, the invariants among them, the table and the file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

Report = dict[str, Any]


@dataclass(frozen=True)
class Invariant:
    """A figure of the report and what it must be."""

    figure: str
    """Where it stands in the report, with dots between the levels."""
    wanted: int | str
    """A number, or the name of the figure it must equal."""
    meaning: str
    after_destroy: bool = False
    """Whether it can be judged only once everything has been destroyed."""


INVARIANTS = (
    Invariant("employees_charged", "employees_expected", "every employee was charged"),
    Invariant("charged_twice", 0, "nobody was charged twice"),
    Invariant("lost", 0, "no charge was lost"),
    Invariant("unexpected", 0, "nobody was charged who should not have been"),
    Invariant("balance_mismatches", 0, "every balance is the sum of its charges"),
    Invariant("order_violations", 0, "order inside each group held"),
    Invariant("payments.captured", "payments.expected", "every charge with an amount was captured"),
    Invariant("payments.captured_twice", 0, "no payment was captured twice"),
    Invariant("co2.aggregated", "co2.expected", "every employee's CO2 was aggregated"),
    Invariant("co2.mismatches", 0, "no CO2 row is missing, unexpected or wrong"),
    Invariant("halted_group.messages", "halted_group.expected", "the halted group lies in its queue"),
    Invariant("halted_group.out_of_order", 0, "the halted group went there in order"),
    Invariant("dlq_messages", "dlq_expected", "each bad message, no other, was quarantined"),
    Invariant("alarms.recovered", "alarms.fired", "every alarm that fired went back to OK"),
    Invariant("alarms.notifications", "alarms.incidents", "Slack had one message an incident"),
    Invariant("alarms.dropped", 0, "no alarm's message was dropped"),
    Invariant("redrive.double", 0, "nothing that was put back took effect twice"),
    Invariant("redrive.lost", 0, "nothing that was put back was lost"),
    Invariant("redrive.order_violations", 0, "what was put back kept its order"),
    Invariant("redrive.dlq_left", "redrive.expected_left", "what was not put back is still there"),
    Invariant("iam_denied", 0, "IAM refused nothing"),
    Invariant("terraform.second_plan_changes", 0, "a second plan changes nothing"),
    Invariant("terraform.left_after_destroy", 0, "destroy left nothing", after_destroy=True),
)


def figure(report: Report, name: str) -> Any:
    """Return the figure NAME (levels joined by dots) of the report."""
    value: Any = report
    for level in name.split("."):
        value = value[level]
    return value


def wanted(report: Report, invariant: Invariant) -> Any:
    """Return the value that the invariant asks for."""
    return figure(report, invariant.wanted) if isinstance(invariant.wanted, str) else invariant.wanted


def judged(report: Report) -> list[Invariant]:
    """Return the invariants that the run can be held to: not those of a destruction or redrive left out."""
    left_out = "redrive." if report["redrive"] is None else "none."
    return [
        invariant
        for invariant in INVARIANTS
        if not (invariant.after_destroy and report["kept"]) and not invariant.figure.startswith(left_out)
    ]


def broken(report: Report) -> list[Invariant]:
    """Return the invariants that do not hold; a figure that is missing (None) breaks its invariant."""
    return [i for i in judged(report) if figure(report, i.figure) != wanted(report, i)]


def write(report: Report, path: Path) -> None:
    """Write the report as JSON, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    partial.replace(path)


def _listed(values: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value:,}" for name, value in values.items()) or "none"


def _alarms(alarms: dict[str, Any]) -> str:
    quickest = ", ".join(f"{job} {seconds}" for job, seconds in alarms["seconds_to_slack"].items())
    return (
        f"{alarms['defined']} defined, {alarms['fired']} fired, {alarms['recovered']} recovered;"
        f" {alarms['notifications']} messages in Slack, {alarms['updates']} updates;"
        f" seconds from the first dead letter to Slack: {quickest}"
    )


def show(report: Report, console: Console) -> None:
    """Print the invariants with a verdict each, then what happened on the way."""
    table = Table(title="One month, charged", title_justify="left")
    table.add_column("invariant")
    table.add_column("found", justify="right")
    table.add_column("wanted", justify="right")
    table.add_column("")
    failed = broken(report)
    for invariant in judged(report):
        verdict = "[bold red]broken" if invariant in failed else "[green]holds"
        found, want = figure(report, invariant.figure), wanted(report, invariant)
        table.add_row(invariant.meaning, f"{found}", f"{want}", verdict)
    console.print(table)

    run = Table.grid(padding=(0, 2))
    terraform = report["terraform"]
    run.add_row("period", f"{report['period']}, scheduled for {report['scheduled_time']}")
    run.add_row("fired", f"{report['schedule_fires']} times")
    run.add_row("faults", _listed(report["faults_injected"]))
    run.add_row("quarantined", _listed(report["quarantined"]))
    run.add_row("alarms", _alarms(report["alarms"]))
    run.add_row("speed", f"{report['messages_per_second']:,} messages a second on this machine")
    run.add_row("seconds", _listed(report["seconds"]))
    run.add_row("peak memory (MiB)", _listed(report["memory_mib"]))
    run.add_row(
        "terraform",
        f"{terraform['version']}, provider {terraform['provider']}, {terraform['resources']} resources",
    )
    console.print(run)
