"""Run Terraform with the stand-in for hashicorp/aws attached.

python -m deploy.terraform [--provider stand-in|registry] TERRAFORM-ARGUMENTS...
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import FrameType

from deploy.terraform.attach import Refused, refuse_shared_environment, stand_in
from deploy.terraform.command import TerraformMissing, terraform_command

PROVIDERS = ("stand-in", "registry")
_USAGE_ERROR = 2


def _split(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """The provider asked for, and Terraform's own arguments. Raises Refused for a name that is none."""
    provider, rest = PROVIDERS[0], list(arguments)
    if rest and rest[0].partition("=")[0] == "--provider":
        option, separator, value = rest.pop(0).partition("=")
        provider = value if separator else (rest.pop(0) if rest else "")
        if provider not in PROVIDERS:
            raise Refused(f"{option} must be one of {', '.join(PROVIDERS)}, not {provider!r}")
    return provider, rest


def _run(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a command to its end, whatever interrupts this process: Terraform itself stops in good order.

    On a terminal, Ctrl-C reaches Terraform as well as this process; elsewhere it is passed on, once a signal.
    """
    on_terminal = sys.stdin.isatty()
    process = subprocess.Popen(command, env=dict(environment), start_new_session=not on_terminal)

    def pass_on(number: int, _frame: FrameType | None) -> None:
        if not (on_terminal and number == signal.SIGINT):
            process.send_signal(number)

    before = {
        number: signal.signal(number, pass_on) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    try:
        return process.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def main(arguments: Sequence[str]) -> int:
    """Command line; returns Terraform's exit status, or 2 when it was not started."""
    try:
        provider, rest = _split(arguments)
        command = [*terraform_command(), *rest]
        with ExitStack() as stack:
            environment = dict(os.environ)
            if provider == PROVIDERS[0]:
                refuse_shared_environment(rest, Path.cwd())
                environment |= stack.enter_context(stand_in())
            return _run(command, environment)
    except (Refused, TerraformMissing) as error:
        print(f"error: {error}", file=sys.stderr)
        return _USAGE_ERROR


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
