"""docs/policies.md says what there is."""

from pathlib import Path

import pytest

from policies.__main__ import parser
from policies.report import FORMATS
from policies.rules import RULES, Rule
from policies.rules.one_resource import ONE_RESOURCE, checkov_id

PAGE = Path(__file__).parents[2] / "docs" / "policies.md"
TEXT = PAGE.read_text(encoding="utf-8")


def row(rule: Rule) -> str:
    """A rule's line in the table."""
    also = checkov_id(rule.id) if rule.id in ONE_RESOURCE else ""
    title = rule.title.replace("|", "\\|")
    return (
        f"| {rule.id} | {rule.severity} | [{title}]({rule.link}) |"
        f" {', '.join(f'`{s}`' for s in rule.subjects)} | {also} |"
    )


def test_every_rule_has_its_row_in_order() -> None:
    rows = [line for line in TEXT.splitlines() if line.startswith("| FO")]
    assert rows == [row(rule) for rule in RULES.values()]


@pytest.mark.parametrize("action", [a for a in parser()._actions if a.dest != "help"], ids=lambda a: a.dest)
def test_every_option_is_explained(action: object) -> None:
    names = getattr(action, "option_strings", []) or ["PLAN"]
    assert any(name in TEXT for name in names)


def test_every_format_is_named() -> None:
    for kind in FORMATS:
        assert f"`{kind}`" in TEXT
