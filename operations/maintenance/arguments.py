"""The command line."""

import argparse
from typing import Final

from operations.maintenance.window import LONGEST_MINUTES

_ENDINGS: Final = """\
exit status: 0 done; 1 nothing was there to end; 2 wrong use, or not confirmed, nothing was changed; 3 AWS
cannot be reached or said no; 130 interrupted (run it again)"""


def _minutes(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= LONGEST_MINUTES):
        raise argparse.ArgumentTypeError(
            f"write a whole number from 1 to {LONGEST_MINUTES}; longer work declares again before it is over"
        )
    return int(text)


def _reason(text: str) -> str:
    if not 1 <= len(text.strip()) <= 200:
        raise argparse.ArgumentTypeError("write why, in 1 to 200 characters")
    return text.strip()


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command; wrong use ends the process with status 2."""
    whole = argparse.ArgumentParser(
        prog="python -m operations.maintenance",
        usage="make maintenance ENV=… JOB=… ARGS='--minutes 30 --reason \"…\"'",
        description="Keep the composites of a job quiet for a while, from now; or end that.",
        epilog=_ENDINGS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    whole.add_argument("--env", required=True, help="environment, as below envs/")
    whole.add_argument("--job", required=True, help="job: charge, co2; or platform")
    whole.add_argument("--alarm", help="name of the maintenance alarm (default: fanout-ENV-JOB-maintenance)")
    what = whole.add_mutually_exclusive_group(required=True)
    what.add_argument("--minutes", type=_minutes, help=f"how long, from now; {LONGEST_MINUTES} at most")
    what.add_argument("--end", action="store_true", help="end it now")
    whole.add_argument("--reason", type=_reason, required=True, help="why; the alarm's history shows it")
    whole.add_argument("--json", action="store_true", help="one JSON document on standard output")
    whole.add_argument("--yes", action="store_true", help="do not ask")
    return whole
