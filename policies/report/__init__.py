"""What a run found, in the formats that people and machines read."""

from policies.report import json_report, junit, markdown, sarif, text
from policies.report.run import Run

FORMATS = {
    "text": text.render,
    "json": json_report.render,
    "sarif": sarif.render,
    "markdown": markdown.render,
    "junit": junit.render,
}

__all__ = ["FORMATS", "Run"]
