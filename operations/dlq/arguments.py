"""The command line."""

import argparse
import re
from datetime import timedelta
from typing import Final

from job_runtime.failures import FailureClass
from job_runtime.selection import Selection

_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_MOST: Final = 1_000_000

_ENDINGS: Final = """\
exit status: 0 done; 1 something that was asked for is not done; 2 wrong use, or not confirmed, nothing was
changed; 3 AWS cannot be reached or said no; 130 interrupted (nothing is lost, run it again)"""


def _age(text: str) -> timedelta:
    match = re.fullmatch(r"([0-9]{1,6})([smhd])", text)
    if not match:
        raise argparse.ArgumentTypeError("write a whole number and s, m, h or d: 90s, 15m, 2h, 3d")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= _MOST):
        raise argparse.ArgumentTypeError(f"write a whole number from 1 to {_MOST:,}")
    return int(text)


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = 0.0
    if not 0.01 <= rate <= 10_000:
        raise argparse.ArgumentTypeError("write messages a second, from 0.01 to 10000")
    return rate


def _filters(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("which messages (each may be given again; all that is given must hold)")
    classes = [name.value for name in FailureClass if name is not FailureClass.SUPERSEDED]
    group.add_argument("--class", dest="classes", action="append", choices=classes, default=[])
    for name, what in (
        ("exception", "class of the exception"),
        ("tenant", "tenant id"),
        ("group", "message group"),
        ("key", "idempotency key"),
        ("id", "message id, here or in the queue"),
    ):
        group.add_argument(f"--{name}", dest=f"{name}s", action="append", default=[], help=what)
    group.add_argument(
        "--older-than", type=_age, metavar="AGE", help="here for at least AGE: 90s, 15m, 2h, 3d"
    )
    group.add_argument("--younger-than", type=_age, metavar="AGE", help="here for at most AGE")


def selection(given: argparse.Namespace) -> Selection:
    """The selection that the filters describe."""
    return Selection(
        classes=frozenset(given.classes),
        exceptions=frozenset(given.exceptions),
        tenants=frozenset(given.tenants),
        groups=frozenset(given.groups),
        keys=frozenset(given.keys),
        ids=frozenset(given.ids),
        older_than=given.older_than,
        younger_than=given.younger_than,
    )


def _anywhere(parser: argparse.ArgumentParser, default: bool | str) -> None:
    parser.add_argument(
        "--json", action="store_true", default=default, help="one JSON document on standard output"
    )
    parser.add_argument("--yes", action="store_true", default=default, help="do not ask")


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command; wrong use ends the process with status 2."""
    whole = argparse.ArgumentParser(
        prog="python -m operations.dlq",
        usage="make dlq ENV=… JOB=… ARGS='COMMAND …'",
        description="See what failed, understand it, put it back.",
        epilog=_ENDINGS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    whole.add_argument("--env", required=True, help="environment, as below envs/")
    whole.add_argument("--job", required=True, help="job: charge, co2, …")
    whole.add_argument("--function", help="name of the job's consumer (default: fanout-ENV-JOB-consumer)")
    _anywhere(whole, default=False)
    commands = whole.add_subparsers(
        dest="command", required=True, metavar="COMMAND", prog="make dlq ENV=… JOB=… ARGS: "
    )

    inspect = commands.add_parser("inspect", help="count what is there by class, exception, tenant, age …")
    inspect.add_argument("--limit", type=_number, default=1_000, help="messages to look at (default: 1000)")

    show = commands.add_parser("show", help="one message, its reason, what the table knows of its key")
    show.add_argument("id", help="message id, or idempotency key")
    show.add_argument("--personal", action="store_true", help="with tenant, employee and body")

    redrive = commands.add_parser("redrive", help="put messages back, oldest first in each group")
    _filters(redrive)
    redrive.add_argument("--dry-run", action="store_true", help="show which would go, in order")
    redrive.add_argument("--rate", type=_rate, help="messages a second at most")
    redrive.add_argument("--limit", type=_number, help="messages at most")
    redrive.add_argument(
        "--hold", type=_number, help="seconds to hide what is in hand (default: by the depth)"
    )
    redrive.add_argument(
        "--patience",
        type=_number,
        help="seconds to wait for what a killed run still hides (default: as long as this one hides)",
    )
    redrive.add_argument(
        "--native", action="store_true", help="SQS's own move task: everything, redrives not counted"
    )

    release = commands.add_parser("release", help="end the halt of groups, in order")
    release.add_argument("groups", nargs="*", metavar="GROUP")
    release.add_argument("--all", action="store_true", help="every halted group that can be seen")
    release.add_argument(
        "--patience", type=_number, default=300, help="seconds that a group may stand still (default: 300)"
    )
    release.add_argument("--give-up", metavar="REASON", help="write off what was parked and is gone")

    purge = commands.add_parser("purge", help="archive messages and take them away for good")
    _filters(purge)
    purge.add_argument("--all", action="store_true", help="everything that can be reached")
    purge.add_argument("--archive", required=True, help="a file, or s3://BUCKET/PREFIX")
    purge.add_argument("--reason", required=True, help="why; the audit shows it")
    purge.add_argument(
        "--confirm", metavar="QUEUE", help="the dead-letter queue's name, instead of typing it"
    )
    for command in (inspect, show, redrive, release, purge):
        # Given before the command, a default of the command's own would undo it.
        _anywhere(command, default=argparse.SUPPRESS)
    return whole
