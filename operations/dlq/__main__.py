"""`python -m operations.dlq`: the command, with what goes wrong turned into one clear line."""

import sys
from collections.abc import Sequence

import boto3
from botocore.exceptions import BotoCoreError, ClientError
from rich.console import Console

from job_runtime import aws
from job_runtime.clock import SystemClock
from job_runtime.config import ConfigurationError
from job_runtime.failures import error_code
from operations.dlq.arguments import parser
from operations.dlq.commands import Commands
from operations.dlq.outcome import Exit, RefusedError
from operations.dlq.target import caller, check_local, find


def main(arguments: Sequence[str]) -> Exit:
    """Run the command; the exit status (see `outcome.Exit`)."""
    given = parser().parse_args(arguments)
    console = Console(stderr=True)
    try:
        check_local(given.env)
        who = caller(boto3.client("sts", config=aws.CONFIG))
        target = find(aws.lambda_(), given.env, given.job, given.function)
        return Commands(given, target, who, SystemClock(), console).run()
    except (RefusedError, ConfigurationError) as error:
        return _end(console, str(error), Exit.REFUSED)
    except ClientError as error:
        return _end(console, f"{error.operation_name}: {error_code(error)}: {error}", Exit.AWS)
    except BotoCoreError as error:
        return _end(console, f"no answer from AWS: {error}", Exit.AWS)
    except OSError as error:
        return _end(console, f"{error.filename or 'file'}: {error.strerror}; nothing was deleted", Exit.PART)
    except KeyboardInterrupt:
        return _end(console, "interrupted; nothing is lost, run it again to finish", Exit.INTERRUPTED)


def _end(console: Console, text: str, status: Exit) -> Exit:
    console.print(f"dlq: {text}", style="bold red", highlight=False, markup=False)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
