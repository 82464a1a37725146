"""Each format says the same, and is what it claims to be."""

import json
from datetime import date
from pathlib import Path
from xml.etree import ElementTree as Xml  # the reports are the gate's own

import pytest

from policies.judge import Judgement, Outcome, Verdict
from policies.plan.resource import Place
from policies.report import FORMATS, Run, text
from policies.rules import RULES
from policies.waivers import Waiver
from tests.policies.support.judging import judged

PLACE = Place("modules/queue/main.tf", 29)
ADDRESS = 'module.job["a|b"].aws_sqs_queue.this'


def outcome(verdict: Verdict, *, waived: str | None = None, message: str = "60 s <b> `x` | @team") -> Outcome:
    return Outcome("plan.json", RULES["FO301"], ADDRESS, verdict, message, PLACE, waived)


def run(*outcomes: Outcome, strict: bool = False, problems: tuple[str, ...] = ()) -> Run:
    asked = {("FO301", ADDRESS), ("FO302", ADDRESS)}
    return Run([Judgement("plan.json", 7, list(outcomes), asked)], strict, list(problems))


def parsed(text: str) -> Xml.Element:
    return Xml.fromstring(text)  # noqa: S314 - made by the test itself


FINDING = outcome(Verdict.FINDING)
UNDECIDED = outcome(Verdict.UNDECIDED)
WAIVED = outcome(Verdict.FINDING, waived="Known (team, until 2027-01-01)")


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("made", [run(FINDING), run(UNDECIDED, strict=True)], ids=["finding", "undecided"])
def test_every_format_names_rule_address_and_message(kind: str, made: Run) -> None:
    text = FORMATS[kind](made)
    assert "FO301" in text
    assert "aws_sqs_queue.this" in text
    assert "60 s" in text


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (run(), 0),
        (run(FINDING), 1),
        (run(UNDECIDED), 0),
        (run(UNDECIDED, strict=True), 1),
        (run(WAIVED, strict=True), 0),
        (run(problems=("waiver 1: expired",)), 1),
    ],
)
def test_exit_code_follows_findings_strictness_and_waivers(made: Run, code: int) -> None:
    assert made.exit_code == code
    assert json.loads(FORMATS["json"](made))["exit_code"] == code


def test_text_groups_by_rule_and_says_the_remedy_once() -> None:
    other = Outcome("plan.json", RULES["FO301"], "other", Verdict.FINDING, "61 s")
    shown = FORMATS["text"](run(FINDING, other))

    assert shown.count(RULES["FO301"].title) == 1
    assert shown.count("Why: ") == 1
    assert f"{ADDRESS} (modules/queue/main.tf:29): 60 s <b>" in shown


def test_colour_is_for_terminals_only() -> None:
    assert "\x1b[" in text(run(FINDING), colour=True)
    assert "\x1b[" not in text(run(FINDING))


def test_text_puts_the_gravest_rule_first() -> None:
    low = Outcome("plan.json", RULES["FO107"], "a", Verdict.FINDING, "short polling")
    shown = FORMATS["text"](run(low, FINDING))
    assert shown.index("FO301") < shown.index("FO107")


def test_sarif_is_what_code_scanning_reads() -> None:
    document = json.loads(FORMATS["sarif"](run(FINDING, UNDECIDED, WAIVED)))
    (scan,) = document["runs"]
    rules = scan["tool"]["driver"]["rules"]

    assert document["version"] == "2.1.0"
    assert [rule["id"] for rule in rules] == list(RULES)
    kinds = {(result["kind"], result["level"], "suppressions" in result) for result in scan["results"]}
    assert kinds == {("fail", "error", False), ("open", "none", False), ("fail", "error", True)}
    for result in scan["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        place = result["locations"][0]["physicalLocation"]
        assert place == {"artifactLocation": {"uri": PLACE.file}, "region": {"startLine": 29}}


def test_sarif_fingerprint_outlives_the_message() -> None:
    texts = [FORMATS["sarif"](run(outcome(Verdict.FINDING, message=message))) for message in ("60 s", "61 s")]
    prints = [json.loads(text)["runs"][0]["results"][0]["partialFingerprints"] for text in texts]
    assert prints[0] == prints[1]


def test_strict_undecided_is_an_error_to_code_scanning() -> None:
    document = json.loads(FORMATS["sarif"](run(UNDECIDED, strict=True)))
    (result,) = document["runs"][0]["results"]
    assert (result["kind"], result["level"]) == ("fail", "error")


def test_markdown_keeps_its_table_and_mentions_nobody() -> None:
    text = FORMATS["markdown"](run(FINDING))
    (row,) = [line for line in text.splitlines() if line.startswith("| FO301")]

    assert row.replace("\\|", "").count("|") == 5
    assert "<b>" not in row
    assert "@team" not in row
    assert "```hcl" in text


def test_markdown_fits_into_a_comment() -> None:
    many = [Outcome("p", RULES["FO301"], f"address.{n}", Verdict.FINDING, "m" * 100) for n in range(1000)]
    text = FORMATS["markdown"](run(*many))
    assert len(text) < 65_536
    assert "Cut here" in text


def test_junit_counts_what_it_holds() -> None:
    suites = parsed(FORMATS["junit"](run(FINDING, problems=("waiver 1: no reason",))))
    suite, waivers = suites.findall("testsuite")

    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("2", "1", "0")
    assert len(suite.findall("testcase/failure")) == 1
    assert waivers.get("failures") == "1"
    skipped = parsed(FORMATS["junit"](run(UNDECIDED)))
    assert len(skipped.findall("testsuite/testcase/skipped")) == 1


@pytest.mark.parametrize("kind", FORMATS)
def test_control_characters_in_a_plan_break_no_format(kind: str, tmp_path: Path) -> None:
    values = {"name": "\x00\x1b[31m\ud800.fifo", "fifo_queue": False}
    change = {"actions": ["create"], "after": values, "after_unknown": {}}
    address = 'aws_sqs_queue.this["\x00\x1b[31m\ud800"]'
    queue = {"address": address, "mode": "managed", "type": "aws_sqs_queue", "name": "this", "change": change}
    document = {"format_version": "1.2", "resource_changes": [queue]}
    text = FORMATS[kind](Run([judged(document)], strict=True))

    (tmp_path / "report").write_text(text, encoding="utf-8")
    assert "\x1b" not in text
    if kind == "junit":
        parsed(text)
    if kind in ("json", "sarif"):
        json.loads(text)


def test_unused_waivers_are_named() -> None:
    waiver = Waiver(1, "FO301", "a.*", "r", "o", date(2027, 1, 1))
    made = Run([], strict=False, unused_waivers=[waiver])
    for kind in ("text", "markdown", "json"):
        assert "a.*" in FORMATS[kind](made)
