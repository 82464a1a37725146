"""`python -m operations.maintenance`: the command."""

import argparse
import sys
from collections.abc import Sequence

import boto3
from rich.console import Console

from job_runtime import aws
from job_runtime.clock import Clock, SystemClock
from operations.caller import caller, check_local, check_names
from operations.command import carry_out, grid, tell
from operations.confirm import ask
from operations.maintenance.arguments import parser
from operations.maintenance.suppressor import find
from operations.maintenance.window import Windows, minute_text
from operations.outcome import Exit


def main(arguments: Sequence[str], clock: Clock | None = None) -> Exit:
    """Run the command; the exit status (see `outcome.Exit`)."""
    given = parser().parse_args(arguments)
    return carry_out("maintenance", lambda console: _run(given, console, clock or SystemClock()))


def _run(given: argparse.Namespace, console: Console, clock: Clock) -> Exit:
    check_names(given.env, given.job)
    check_local(given.env)
    who = caller(boto3.client("sts", config=aws.CONFIG))
    suppressor = find(aws.cloudwatch(), given.env, given.job, given.alarm)
    console.print(
        f"{given.env} / {given.job}: {suppressor.alarm} at {who}",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )
    what = "End the maintenance" if given.end else f"Keep the composites quiet for {given.minutes} minutes"
    ask(console, given.env, what, yes=given.yes)

    windows, now = Windows(aws.cloudwatch(), suppressor), clock.now()
    if given.end:
        undone = windows.end(now)
        until = minute_text(now)
    else:
        undone = None
        until = minute_text(windows.declare(now, given.minutes))
    why = given.reason if given.end else f"{given.reason} (until {until})"
    windows.tell(on=not given.end, why=why, caller=who)

    found = {
        "state": "ended" if given.end else "declared",
        "until": until,
        "alarm": suppressor.alarm,
        "by": who.arn,
        "reason": given.reason,
    }
    tell({"environment": given.env, "job": given.job, **found}, grid(found), as_json=given.json)
    if undone == 0:
        console.print(
            "no declared minute was to be seen; if it was declared just now, end it again in a minute",
            style="bold red",
        )
        return Exit.PART
    return Exit.DONE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
