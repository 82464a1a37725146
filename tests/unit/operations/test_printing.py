"""What strangers wrote into messages, on a terminal and in JSON."""

import json

import pytest

from operations.command import grid, tell
from operations.printing import json_text, plain


def test_what_a_terminal_would_obey_is_replaced_and_the_rest_stays() -> None:
    assert (
        plain("\x1b]0;owned\x07 東京\tline\nnext \x9b2J") == "\ufffd]0;owned\ufffd 東京\tline\nnext \ufffd2J"
    )
    assert plain("half \ud800 of a pair") == "half \ufffd of a pair"


def test_half_of_a_pair_is_escaped_in_json_and_read_back_as_it_was() -> None:
    text = json_text({"tenant": "half \ud800", "reason": "東京"})
    assert json.loads(text.encode()) == {"tenant": "half \ud800", "reason": "東京"}
    assert "東京" in text


def test_a_result_in_a_pipe_keeps_ids_whole_and_names_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    identifier = "tenant-with-a-long-name-0123456789#2026-11:moon:" + "x" * 80
    tell({}, grid({"group": identifier, "text": "\x1b[31m[red]"}), as_json=False)
    printed = capsys.readouterr().out
    assert identifier in printed
    assert "\ufffd[31m[red]" in printed
