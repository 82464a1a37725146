"""Texts out of messages, as a terminal and a JSON document may show them: whoever wrote a message is a
stranger."""

import json
import re
import sys
from collections.abc import Mapping
from typing import Any, Final

from rich.console import Console

# A terminal obeys control characters, and no encoding has halves of surrogate pairs.
_UNPRINTABLE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_PIPE_COLUMNS: Final = 200


def plain(text: str) -> str:
    """A text without what a terminal would obey or could not show."""
    return _UNPRINTABLE.sub("\ufffd", text)


def json_text(document: Mapping[str, Any]) -> str:
    """A JSON document that every encoding of Unicode can write."""
    text = json.dumps(document, ensure_ascii=False, indent=2)
    # What this replaces is half of a pair, inside a string, and becomes JSON's own escape of it.
    return text.encode("utf-8", "backslashreplace").decode()


def result_console() -> Console:
    """Where people read results: standard output, without a terminal wide enough that no id is cut."""
    return Console(width=None if sys.stdout.isatty() else _PIPE_COLUMNS, emoji=False)
