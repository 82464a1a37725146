"""What a plan takes away that somebody has to have named: what the gate's rules about leaving find in it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from deploy.plan import Document
from policies.judge import judge
from policies.plan import plan_of
from policies.rules import RULES
from policies.waivers import read_waivers

_RULES = [rule for rule in RULES.values() if rule.leaving]
# An address: no blanks, but for those in a key, as in `module.job["two words"].aws_sqs_queue.this`.
_ADDRESS = re.compile(r'(?:\["(?:[^"\\]|\\.)*"\]|\[\d+\]|[^\s"\[\]])+')


class NoAddress(Exception):  # noqa: N818 - it names the condition
    """A text that holds something other than addresses."""


class Unnamed(Exception):  # noqa: N818 - it names the condition
    """The plan takes away what nobody has named, or somebody has named what it does not take away."""


@dataclass(frozen=True)
class Loss:
    """One thing that a plan takes away: by which rule that is found, and what it means."""

    rule: str
    address: str
    meaning: str

    def __str__(self) -> str:
        return f"{self.address}: {self.meaning}"


def losses(document: Document) -> list[Loss]:
    """What the plan takes away, an undecided answer counted as one. Raises policies.plan.PlanError."""
    judgement = judge(plan_of("the plan", document), _RULES)
    return [Loss(outcome.rule.id, outcome.address, outcome.message) for outcome in judgement.outcomes]


def addresses(text: str) -> tuple[str, ...]:
    """The addresses in a text, with blanks between them. Raises NoAddress."""
    if _ADDRESS.sub("", text).strip():
        raise NoAddress(
            f"LOSE holds something other than addresses ({text}): write them as the plan shows them, in"
            " single quotes, with blanks between"
        )
    return tuple(_ADDRESS.findall(text))


def waived(found: Sequence[Loss], file: Path | None) -> set[Loss]:
    """The losses that a waiver names, by its rule and the whole address; `*` and `?` name nothing here.

    Raises policies.waivers.WaiversError, and Unnamed when a waiver of the file does not hold.
    """
    if file is None:
        return set()
    waivers = read_waivers(file, RULES, datetime.now(UTC).date())
    if waivers.problems:
        raise Unnamed(f"{file}: {'; '.join(waivers.problems)}")
    named = {(waiver.rule, waiver.address) for waiver in waivers.valid}
    return {loss for loss in found if (loss.rule, loss.address) in named}


def unnamed(found: Sequence[Loss], named: Collection[str], file: Path | None) -> list[Loss]:
    """The losses that neither `named` nor a waiver of `file` names.

    Raises Unnamed when `named` has an address that this plan does not take away: the name is mistyped, or
    meant for another plan. Raises as `waived` does.
    """
    strange = sorted(set(named) - {loss.address for loss in found})
    if strange:
        raise Unnamed(f"LOSE names what this plan does not take away: {', '.join(strange)}")
    let_go = waived(found, file)
    return [loss for loss in found if loss.address not in named and loss not in let_go]


def show(found: Sequence[Loss], console: Console) -> None:
    """Print a line a loss; nothing when there is none."""
    if found:
        console.print("What this takes away, and cannot give back:", style="red", highlight=False)
    for loss in found:
        console.print(f"  {loss}", style="red", markup=False, highlight=False, soft_wrap=True)


def refusal(found: Sequence[Loss]) -> str:
    """What to write where nobody can be asked."""
    every = " ".join(dict.fromkeys(loss.address for loss in found))
    return "\n".join(
        [
            "nothing was changed, for this plan takes away what nobody has named:",
            *(f"  {loss}" for loss in found),
            f"to let all of it go, write LOSE='{every}', or waivers with a reason",
        ]
    )
