"""JUnit's XML, for servers that show tests."""

from __future__ import annotations

import re
from xml.etree import ElementTree as Xml  # writes only

from policies.judge import Judgement, Outcome
from policies.report.run import Run
from policies.rules import RULES

# What XML 1.0 has no way to write.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(run: Run) -> str:
    """A suite for each plan, a case for each rule and resource; undecided ones are skipped unless strict."""
    suites = Xml.Element("testsuites", name="policies")
    for judgement in run.judgements:
        _add_suite(suites, judgement, run)
    if run.waiver_problems:
        suite = Xml.SubElement(
            suites,
            "testsuite",
            name="waivers",
            tests=str(len(run.waiver_problems)),
            failures=str(len(run.waiver_problems)),
        )
        for number, problem in enumerate(run.waiver_problems, start=1):
            case = Xml.SubElement(suite, "testcase", classname="waivers", name=str(number))
            Xml.SubElement(case, "failure", message=_plain(problem))
    Xml.indent(suites)
    return Xml.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _add_suite(suites: Xml.Element, judgement: Judgement, run: Run) -> None:
    said: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in judgement.outcomes:
        said.setdefault((outcome.rule.id, outcome.address), []).append(outcome)
    suite = Xml.SubElement(suites, "testsuite", name=_plain(judgement.name), tests=str(len(judgement.asked)))
    failures = skipped = 0
    for rule_id, address in sorted(judgement.asked):
        case = Xml.SubElement(
            suite, "testcase", classname=f"{rule_id} {RULES[rule_id].title}", name=_plain(address)
        )
        outcomes = said.get((rule_id, address), [])
        failing = [outcome for outcome in outcomes if run.fails(outcome)]
        for outcome in failing:
            Xml.SubElement(case, "failure", type=outcome.verdict, message=_plain(outcome.message))
        if outcomes and not failing:
            Xml.SubElement(case, "skipped", message=_plain(outcomes[0].waived or outcomes[0].message))
        failures += bool(failing)
        skipped += bool(outcomes and not failing)
    suite.set("failures", str(failures))
    suite.set("skipped", str(skipped))


def _plain(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
