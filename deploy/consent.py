"""Who has to say what before an environment is changed."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.console import Console

from deploy import losses
from deploy.losses import Loss, Unnamed
from deploy.request import Request, WrongUse
from deploy.terraform.attach import CHANGING_COMMANDS

_ASKING = CHANGING_COMMANDS | {"unlock"}
_UNPROTECTED = "dev"


def answer(request: Request) -> str:
    """What has to be typed: the environment's name for `prod`, a lock, and a destroy except of `dev`."""
    unprotected = request.environment == _UNPROTECTED
    if (
        request.environment == "prod"
        or request.verb == "unlock"
        or (request.verb == "destroy" and not unprotected)
    ):
        return request.environment
    return "yes"


def check_unattended(request: Request) -> None:
    """Without a terminal nobody can be asked. Raises WrongUse unless consent was given beforehand.

    It names the environment: a YES=1 that a shell happens to hold is consent to nothing. To destroy `stg` or
    `prod` somebody has to be there. A plan of an earlier job is told by its digest, too: whoever can put
    another file in its place must not thereby choose what is applied.
    """
    if request.verb not in _ASKING or sys.stdin.isatty():
        return
    if request.verb == "destroy" and request.environment != _UNPROTECTED:
        raise WrongUse(f"destroying {request.environment} takes a terminal: its name has to be typed")
    if request.consent != request.environment:
        raise WrongUse(
            f"there is no terminal to ask at: to {request.verb} unasked, write YES={request.environment}"
        )
    if request.plan and not request.digest:
        raise WrongUse(
            "there is no terminal to ask at: write DIGEST=… too, the `digest` that the job which planned has "
            "told (it is in the plan.json beside the plan, and in the summary)"
        )


def _named(request: Request, found: Sequence[Loss], console: Console) -> bool:
    """Whether each thing that the plan takes away was named: beforehand, or now at the terminal.

    A destroy takes away everything, and its question names the environment. Raises Unnamed where nobody can
    be asked.
    """
    if request.verb == "destroy":
        return True
    left = losses.unnamed(found, request.lose, request.waivers)
    if left and not sys.stdin.isatty():
        raise Unnamed(losses.refusal(left))
    for address in dict.fromkeys(loss.address for loss in left):
        console.print(
            f"To let {address} go, type its address.", markup=False, highlight=False, soft_wrap=True
        )
        if _typed("address: ", console) != address:
            return False
    return True


def given(request: Request, found: Sequence[Loss], console: Console) -> bool:
    """Ask at the terminal; without one the consent that `check_unattended` saw counts.

    What an apply takes away has to be named as well, one by one. Raises Unnamed and, of a file of waivers
    that cannot be read, WaiversError.
    """
    if not _named(request, found, console):
        return False
    if not sys.stdin.isatty():
        return True
    wanted = answer(request)
    what = "the state's lock" if request.verb == "unlock" else "this plan"
    prompt = f"{request.verb} {what} in {request.environment}? Only {wanted!r} goes on: "
    return _typed(prompt, console) == wanted


def _typed(prompt: str, console: Console) -> str | None:
    try:
        return console.input(prompt, markup=False).strip()
    except EOFError:  # the end of the input is no answer
        console.print()
        return None
