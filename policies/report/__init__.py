"""What a run found, in the formats that people and machines read."""

from policies.report import json_report, junit, markdown, sarif
from policies.report.run import Run


def text(run: Run, *, colour: bool = False) -> str:
    """For people; `colour` where a terminal shows it."""
    from policies.report.text import render  # noqa: PLC0415 - only this format needs rich, which is slow to load

    return render(run, colour=colour)


FORMATS = {
    "text": text,
    "json": json_report.render,
    "sarif": sarif.render,
    "markdown": markdown.render,
    "junit": junit.render,
}

__all__ = ["FORMATS", "Run", "text"]
