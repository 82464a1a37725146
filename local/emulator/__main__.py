"""`make local-aws`: the local AWS alone, until Ctrl-C, SIGTERM or SIGHUP.

1: it did not start; 2: wrong use.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from deploy.offline import provider_block
from local.emulator import Emulator, EmulatorError
from local.emulator.process import REPOSITORY, terminating_on_signals

FOLDER = REPOSITORY / "dist" / "local-aws"
OVERRIDE = "local_override.tf"
_LAST_PORT = 65_535


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= _LAST_PORT):
        raise argparse.ArgumentTypeError("PORT must be a whole number from 1 to 65,535: write PORT=4566, say")
    return int(text)


def how_to_reach(aws: Emulator, override: Path) -> str:
    """Return what a person needs: the address, a shell's variables, the override of a Terraform root."""
    exports = (f"  export {name}={value}" for name, value in aws.credentials_env().items())
    return "\n".join(
        [
            f"The local AWS is up at {aws.endpoint}. In another shell:",
            *exports,
            "  aws sqs list-queues        # or boto3, or any other client",
            f"A Terraform root reaches it with a copy of {override} beside its own files.",
            "Ctrl-C ends it; what is in it is gone then.",
        ]
    )


def main(arguments: list[str]) -> int:
    """Serve until a signal comes; returns the exit status."""
    parser = argparse.ArgumentParser(prog="make local-aws", description="Run the local AWS alone.")
    parser.add_argument("--port", type=_port, default=None, help="a free one unless it is given")
    port = parser.parse_args(arguments).port
    try:
        with terminating_on_signals(), Emulator.start(FOLDER / "emulator.log", port) as aws:
            keys = {"access_key": '"test"', "secret_key": '"test"'}
            override = FOLDER / OVERRIDE
            override.write_text(provider_block(aws.endpoint, keys), encoding="utf-8")
            print(how_to_reach(aws, override), flush=True)
            aws.wait()
            print(f"make local-aws: the emulator ended by itself; see {aws.log}", file=sys.stderr)
            return 1
    except EmulatorError as error:
        print(f"make local-aws: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
