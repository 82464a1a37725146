"""The commands in the pages on dead letters are commands."""

import re
import shlex
from pathlib import Path

import pytest

from operations.dlq.arguments import parser

PAGE = Path(__file__).resolve().parents[3] / "docs" / "dead-letters.md"
_SHOWN = re.compile(r"\$ make dlq ENV=(\S+) JOB=(\S+) ARGS=(?:'([^']*)'|(\S+))")
COMMANDS = [
    (environment, job, quoted or plain)
    for environment, job, quoted, plain in _SHOWN.findall(PAGE.read_text(encoding="utf-8"))
]


def test_the_page_shows_every_command() -> None:
    shown = {shlex.split(arguments)[0] for _, _, arguments in COMMANDS}
    assert shown == {"inspect", "show", "redrive", "release", "purge"}


@pytest.mark.parametrize(("environment", "job", "arguments"), COMMANDS)
def test_a_command_of_the_page_is_understood(environment: str, job: str, arguments: str) -> None:
    given = parser().parse_args(["--env", environment, "--job", job, *shlex.split(arguments)])
    assert given.command == shlex.split(arguments)[0]
