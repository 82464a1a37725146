"""`python -m operations.dlq`: the command."""

import sys
from collections.abc import Sequence

import boto3
from rich.console import Console

from job_runtime import aws
from job_runtime.clock import SystemClock
from operations.caller import caller, check_local, check_names
from operations.command import carry_out, end_as_interrupted
from operations.dlq.arguments import parser
from operations.dlq.commands import Commands
from operations.dlq.target import find
from operations.outcome import Exit


def main(arguments: Sequence[str]) -> Exit:
    """Run the command; the exit status (see `outcome.Exit`)."""
    given = parser().parse_args(arguments)

    def command(console: Console) -> Exit:
        check_names(given.env, given.job)
        check_local(given.env)
        who = caller(boto3.client("sts", config=aws.CONFIG))
        target = find(aws.lambda_(), given.env, given.job, given.function)
        return Commands(given, target, who, SystemClock(), console).run()

    return carry_out("dlq", command)


if __name__ == "__main__":
    end_as_interrupted()
    sys.exit(main(sys.argv[1:]))
