"""What was asked for, checked before anything is started."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from deploy.losses import NoAddress, addresses
from deploy.terraform.attach import CHANGING_COMMANDS, SHARED_ENVIRONMENTS

VERBS = ("plan", "apply", "destroy", "diff", "unlock")
_REATTACHED = "TF_REATTACH_PROVIDERS"


class WrongUse(Exception):  # noqa: N818 - it names what happened
    """The request is not one that can be carried out; the message says what to write instead."""


@dataclass(frozen=True)
class Request:
    """`verb` is one of `VERBS`; `environments` are two for `diff`, else one."""

    verb: str
    environments: tuple[str, ...]
    offline: bool = False
    consent: str = ""
    """The name of an environment, given beforehand for where nobody can be asked; else empty."""
    lock: bool = True
    """Whether a plan takes the state's lock; whatever changes the state always does."""
    plan: str = ""
    """File of a plan to apply, else empty: plan anew."""
    digest: str = ""
    """SHA-256 of the plan that was approved, else empty."""
    lock_id: str = ""
    """The lock that `unlock` frees."""
    only_check: bool = False
    lose: tuple[str, ...] = ()
    """Addresses of what an apply may take away, given beforehand."""
    waivers: Path | None = None
    """A file of waivers; those of the gate's rules about what leaves name what an apply may take away."""

    @property
    def environment(self) -> str:
        """The environment of a verb that has one."""
        return self.environments[0]


def parse(arguments: Sequence[str]) -> Request:
    """Read the command line. Raises WrongUse."""
    parser = argparse.ArgumentParser(prog="python -m deploy", description=__doc__)
    parser.add_argument("verb", choices=VERBS)
    parser.add_argument("environments", nargs="+", metavar="ENVIRONMENT")
    parser.add_argument("--offline", action="store_true", help="the stand-in and the local AWS (plan only)")
    parser.add_argument("--consent", default="", metavar="ENVIRONMENT", help="for where nobody can be asked")
    parser.add_argument("--no-lock", dest="lock", action="store_false", help="plan without the state's lock")
    parser.add_argument("--plan", default="", metavar="FILE", help="apply this saved plan")
    parser.add_argument("--digest", default="", metavar="SHA256", help="of the plan that was approved")
    parser.add_argument("--lock-id", default="", metavar="ID", help="the lock to free")
    parser.add_argument("--check", dest="only_check", action="store_true", help="check the request, and end")
    parser.add_argument("--lose", default="", metavar="ADDRESSES", help="what an apply may take away")
    parser.add_argument("--waivers", type=Path, metavar="FILE", help="waivers that name what it may")
    given = vars(parser.parse_args(arguments))
    try:
        lose = addresses(given["lose"])
    except NoAddress as error:
        raise WrongUse(str(error)) from error
    request = Request(**{**given, "environments": tuple(given["environments"]), "lose": lose})
    _check_environments(request)
    if request.lose and request.verb != "apply":
        raise WrongUse(f"LOSE is for apply: {request.verb} takes away no single things")
    _check_provider(request)
    _check_options(request)
    return request


def _check_environments(request: Request) -> None:
    variables = ("A", "B") if request.verb == "diff" else ("ENV",)
    if len(request.environments) != len(variables):
        raise WrongUse(f"{request.verb} takes {len(variables)} of {_either('')}")
    for variable, name in zip(variables, request.environments, strict=True):
        if name not in SHARED_ENVIRONMENTS:
            raise WrongUse(f"{variable} is {name!r}: write {_either(f'{variable}=')}")
    if len(set(request.environments)) != len(variables):
        raise WrongUse(f"A and B are both {request.environment!r}: name two environments")


def _check_provider(request: Request) -> None:
    if request.verb in CHANGING_COMMANDS and request.offline:
        raise WrongUse(
            f"OFFLINE=1 plans only: leave it out to {request.verb} with the genuine provider, in the account"
        )
    if request.verb != "diff" and not request.offline and _REATTACHED in os.environ:
        raise WrongUse(f"{_REATTACHED} is set, so the provider would not be the locked one: unset it")


def _check_options(request: Request) -> None:
    if not request.lock and request.verb != "plan":
        raise WrongUse(f"LOCK=0 is for plans only: {request.verb} without the lock could spoil the state")
    if request.plan and request.verb != "apply":
        raise WrongUse(f"PLAN is for apply only: {request.verb} plans anew")
    if request.digest and not request.plan:
        raise WrongUse("DIGEST says which plan was approved: write PLAN=dist/plans/….tfplan too")
    if bool(request.lock_id) != (request.verb == "unlock"):
        raise WrongUse(
            "unlock takes LOCK_ID, and no other verb does: `make plan` names the lock that holds it up"
        )


def _either(prefix: str) -> str:
    *first, last = (prefix + name for name in sorted(SHARED_ENVIRONMENTS))
    return f"{', '.join(first)} or {last}"
