"""Apply or destroy: plan (or take the plan that was made before), show it, ask, and apply that very plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from deploy import summary
from deploy.losses import Loss, losses, show
from deploy.plan import Document, PlanFiles, managed
from deploy.terraform import Terraform

_TOLD = frozenset({"apply_start", "apply_complete", "apply_errored", "change_summary"})


class Protected(Exception):  # noqa: N818 - it names the condition
    """The plan deletes what AWS would not let go, and would stop half way."""


def check_protected(document: Document) -> None:
    """Raise Protected when the plan deletes anything with deletion protection."""
    kept = [
        change["address"]
        for change in managed(document)
        if "delete" in change["change"]["actions"]
        and change["change"]["before"].get("deletion_protection_enabled")
    ]
    if kept:
        raise Protected(
            f"deletion protection is on for {', '.join(kept)}: the rest would be deleted and these would "
            "stay; set deletion_protection = false for them in the root and apply that first"
        )


def carry_out(
    root: Terraform,
    files: PlanFiles,
    title: str,
    console: Console,
    agreed: Callable[[Sequence[Loss]], bool],
    *options: str,
) -> bool:
    """Plan an initialised root with `options`, show it, and apply the plan's file if `agreed`.

    `agreed` is told what the plan takes away. Returns whether nothing is left to do. Raises TerraformError,
    Protected before anything is changed, and what `agreed` raises.
    """
    files.make(root, *options)
    return apply_plan(root, files.binary, title, console, agreed)


def apply_plan(
    root: Terraform,
    plan: Path,
    title: str,
    console: Console,
    agreed: Callable[[Sequence[Loss]], bool],
) -> bool:
    """Show a saved plan, and apply it if `agreed`.

    Terraform refuses it under its lock when the state has moved on since. Returns whether nothing is left to
    do. Raises as `carry_out` does.
    """
    document = root.show_json(plan)
    check_protected(document)
    if not document["applyable"]:
        console.print(f"{title}: nothing to do.", highlight=False)
        return True
    console.print(root.show(plan), markup=False, highlight=False, soft_wrap=True)
    summary.show(document, title, console)
    found = losses(document)
    show(found, console)
    if not agreed(found):
        console.print("Not confirmed: nothing was changed.")
        return False

    def tell(event: Mapping[str, Any]) -> None:
        if event["type"] in _TOLD:
            console.print(event["@message"], markup=False, highlight=False, soft_wrap=True)

    root.apply(tell, str(plan.resolve()))
    return True
