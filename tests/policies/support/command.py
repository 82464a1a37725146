"""The command, run in this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from policies.__main__ import main


class Ended(NamedTuple):
    """Exit code and what was printed."""

    code: int
    out: str
    err: str


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> Ended:
    """`python -m policies ARGUMENTS`."""
    try:
        code = main([str(argument) for argument in arguments])
    except SystemExit as ended:  # argparse's own way out
        code = int(ended.code or 0)
    printed = capsys.readouterr()
    return Ended(code, printed.out, printed.err)


def write(folder: Path, document: Any, name: str = "plan.json") -> Path:
    """A document as a file."""
    file = folder / name
    file.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return file
