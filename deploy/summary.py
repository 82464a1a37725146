"""What a plan would do: a table for a terminal, Markdown for a pull request; neither holds values."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from deploy.plan import Document, managed

ACTIONS = ("create", "update", "replace", "delete", "forget")
LONGEST = 30_000
"""Bytes of the Markdown at most. GitHub refuses comments above 65,536 characters, and a comment may hold more
than this."""
_TAKEN_AWAY = ("replace", "delete")
_FIRST = ("replace", "delete", "forget", "update", "create")  # what matters most, should the text be cut
_SIGNS = {"create": "+", "update": "!", "replace": "-", "delete": "-", "forget": "-"}  # GitHub colours a diff


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


def markdown(
    document: Document,
    title: str,
    notes: Mapping[str, str],
    lost: Sequence[object] = (),
    longest: int = LONGEST,
) -> str:
    """Every resource that changes, by address, with the names of the arguments that differ.

    No value of any argument is in it, be it sensitive or not. `notes` are further facts by their names,
    `lost` says what the plan takes away. The text has at most `longest` bytes; whatever is left out is
    counted, and it is never a resource that is taken away as long as one that is not could be left out.
    """
    done = actions(document)
    totals = Counter(done.values())
    counts = ", ".join(f"{totals[action]} to {action}" for action in ACTIONS if totals[action])
    head = [f"### {title}: {counts or 'no resource changes'}", ""]
    head += [f"- {name}: `{value}`" for name, value in notes.items()]
    outputs = [
        name
        for name, change in sorted(document.get("output_changes", {}).items())
        if change["actions"] != ["no-op"]
    ]
    if outputs:
        head.append(f"- outputs that change: {', '.join(f'`{name}`' for name in outputs)}")
    lines = sorted(_lines(document, done), key=lambda line: (_FIRST.index(line[0]), line[1]))
    room = longest - len("\n".join(head).encode())
    lost_too = _block("text", "What this takes away, and cannot give back:", map(str, lost), room // 2)
    room -= len("\n".join(lost_too).encode()) + 1
    changes = _block("diff", "", (f"{_SIGNS[action]} {text}" for action, text in lines), room)
    return "\n".join([*head, *lost_too, *changes]) + "\n"


def _block(language: str, heading: str, lines: Iterable[str], room: int) -> list[str]:
    """Lines between fences, as many as fit into `room` bytes, and how many did not."""
    whole = list(lines)
    if not whole:
        return []
    fence = "```"
    while any(fence in line for line in whole):
        fence += "`"
    room -= len(heading.encode()) + 2 * len(fence) + 80  # the fences, and the sentence about the rest
    kept: list[str] = []
    for line in whole:
        room -= len(line.encode()) + 1
        if room < 0:
            break
        kept.append(line)
    rest = len(whole) - len(kept)
    return [
        "",
        *([heading, ""] if heading else []),
        *([f"{fence}{language}", *kept, fence] if kept else []),
        *(["", f"{rest} more are in the plan's JSON: this text is cut."] if rest else []),
    ]


def _lines(document: Document, done: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The action of each changing resource, and the line that tells of it."""
    drifted = {change["address"] for change in document.get("resource_drift", [])}
    for change in managed(document):
        address = change["address"]
        action = done.get(address)
        if action is None:
            continue
        told = [f"{action}: {address}"]
        if change.get("previous_address"):
            told.append(f"(was {change['previous_address']})")
        if action in ("update", "replace"):
            told.append(f"[{', '.join(_differing(change['change']))}]")
        if address in drifted:
            told.append("(changed outside of Terraform)")
        yield action, " ".join(told)


def _differing(change: Mapping[str, Any]) -> list[str]:
    """Names of the arguments that differ or are not known yet; if some force a replacement, only these."""
    forcing = {str(path[0]) for path in change.get("replace_paths", []) if path}
    if forcing:
        return sorted(forcing)
    before, after, unknown = (change.get(side) or {} for side in ("before", "after", "after_unknown"))
    names = before.keys() | after.keys() | unknown.keys()
    return sorted(
        name for name in names if _any_unknown(unknown.get(name)) or before.get(name) != after.get(name)
    )


def _any_unknown(marks: Any) -> bool:
    """Whether `marks` (of `after_unknown`, in the shape of the value) say of any part that it is unknown."""
    if isinstance(marks, dict):
        return any(map(_any_unknown, marks.values()))
    if isinstance(marks, list):
        return any(map(_any_unknown, marks))
    return marks is True
