"""Who has to say what before an environment is changed."""

from __future__ import annotations

import sys

from rich.console import Console

from deploy.request import Request, WrongUse
from deploy.terraform.attach import CHANGING_COMMANDS

_UNPROTECTED = "dev"


def answer(request: Request) -> str:
    """What has to be typed: the environment's name for `prod` and for a destroy of anything but `dev`."""
    if request.environment == "prod" or (request.verb == "destroy" and request.environment != _UNPROTECTED):
        return request.environment
    return "yes"


def check_unattended(request: Request) -> None:
    """Without a terminal nobody can be asked. Raises WrongUse unless consent was given beforehand.

    It names the environment: a YES=1 that a shell happens to hold is consent to nothing. To destroy `stg` or
    `prod` somebody has to be there.
    """
    if request.verb not in CHANGING_COMMANDS or sys.stdin.isatty():
        return
    if request.verb == "destroy" and request.environment != _UNPROTECTED:
        raise WrongUse(f"destroying {request.environment} takes a terminal: its name has to be typed")
    if request.consent != request.environment:
        raise WrongUse(
            f"there is no terminal to ask at: to {request.verb} unasked, write YES={request.environment}"
        )


def given(request: Request, console: Console) -> bool:
    """Ask at the terminal; without one the consent that `check_unattended` saw counts."""
    if not sys.stdin.isatty():
        return True
    wanted = answer(request)
    prompt = f"{request.verb} this plan in {request.environment}? Only {wanted!r} goes on: "
    try:
        return console.input(prompt, markup=False).strip() == wanted
    except EOFError:  # the end of the input is no answer
        console.print()
        return False
