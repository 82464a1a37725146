"""What a plan would do, in a table."""

from __future__ import annotations

from collections import Counter, defaultdict

from rich.console import Console
from rich.table import Table

from deploy.plan import Document, managed

ACTIONS = ("create", "update", "replace", "delete", "forget")
_TAKEN_AWAY = ("replace", "delete")


def actions(document: Document) -> dict[str, str]:
    """What is done to each resource, by address; resources that stay as they are have no entry."""
    found = {}
    for change in managed(document):
        action = "replace" if len(change["change"]["actions"]) > 1 else change["change"]["actions"][0]
        if action in ACTIONS:
            found[change["address"]] = action
    return found


def show(document: Document, title: str, console: Console) -> None:
    """Print how many resources of each type each action is for, then what is taken away by address."""
    done = actions(document)
    if not done:
        console.print(f"{title}: no resource changes.", highlight=False)
        return
    totals = Counter(done.values())
    columns = [action for action in ACTIONS if totals[action]]
    by_type: dict[str, Counter[str]] = defaultdict(Counter)
    for change in managed(document):
        if change["address"] in done:
            by_type[change["type"]][done[change["address"]]] += 1
    table = Table(title=title, title_justify="left", show_footer=True)
    table.add_column("resource type", footer="all")
    for action in columns:
        table.add_column(action, justify="right", footer=str(totals[action]))
    for kind, counts in sorted(by_type.items()):
        table.add_row(kind, *(str(counts[action] or "") for action in columns))
    console.print(table)
    for address, action in sorted(done.items()):
        if action in _TAKEN_AWAY:
            console.print(f"{action}: {address}", style="red", markup=False, highlight=False)
