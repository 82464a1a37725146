"""Every alarm has an entry in the runbook, where its messages link to; every entry is of an alarm."""

import re
import shlex
from pathlib import Path

import pytest

from operations.dlq.arguments import parser as dlq_parser
from operations.maintenance.arguments import parser as maintenance_parser
from tests.alarms.documented import IDS

REPOSITORY = Path(__file__).resolve().parents[2]
RUNBOOK = REPOSITORY / "docs" / "runbook.md"
TEXT = RUNBOOK.read_text(encoding="utf-8")
COMPOSITES = ("broken", "slow")
PARTS = ["Means", "Look", "Causes", "Run", "Over"]
ENTRIES = dict(re.findall(r"^### (\S+)\n(.*?)(?=^##|\Z)", TEXT, re.MULTILINE | re.DOTALL))
MAKE = re.compile(r"`make ([a-z-]+)([^`]*)`")
ARGUMENTS = re.compile(r"ENV=(\S+) JOB=(\S+) ARGS=(?:'([^']*)'|(\S+))")


def test_alarms_and_entries_are_the_same() -> None:
    assert sorted(ENTRIES) == sorted([*IDS, *COMPOSITES])


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_says_what_it_means_where_to_look_why_what_to_run_and_when_it_is_over(entry: str) -> None:
    parts = re.findall(r"^- \*\*(\w+)\*\* (.+)", ENTRIES[entry], re.MULTILINE)
    assert [name for name, _ in parts] == PARTS


def test_a_heading_is_its_own_anchor() -> None:
    # GitHub makes the anchor of a heading: lower case, blanks to hyphens, punctuation dropped.
    assert all(re.fullmatch(r"[a-z][a-z-]*", title) for title in ENTRIES)
    headings = re.findall(r"^#+ (.+)$", TEXT, re.MULTILINE)
    anchors = [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]
    assert len(anchors) == len(set(anchors))


def test_a_link_leads_somewhere() -> None:
    for link in re.findall(r"\]\(([^)]+)\)", TEXT):
        file, _, anchor = link.partition("#")
        target = RUNBOOK.parent / file if file else RUNBOOK
        assert target.is_file(), link
        if not anchor:
            continue
        text = target.read_text(encoding="utf-8")
        headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
        anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
        assert anchor in anchors, link


def test_a_verb_of_make_exists() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    verbs = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = {verb for verb, _ in MAKE.findall(TEXT)}
    assert named
    assert named <= verbs


def test_arguments_of_operators_commands_are_understood() -> None:
    parsers = {"dlq": dlq_parser, "maintenance": maintenance_parser}
    understood = 0
    for verb, rest in MAKE.findall(TEXT):
        if verb in parsers:
            match = ARGUMENTS.fullmatch(rest.strip())
            assert match, rest
            environment, job, quoted, plain = match.groups()
            given = ["--env", environment, "--job", job, *shlex.split(quoted or plain)]
            parsers[verb]().parse_args(given)
            understood += 1
    assert understood > 10


def test_a_query_of_the_aws_cli_is_of_a_service_that_is_here() -> None:
    known = {"cloudwatch", "dynamodb", "lambda", "logs", "scheduler", "service-quotas", "sns", "sqs"}
    assert set(re.findall(r"\baws ([a-z-]+) [a-z-]+", TEXT)) == known
