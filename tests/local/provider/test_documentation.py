"""The page says what the stand-in does."""

from __future__ import annotations

import pytest

from local.provider.documentation import PAGE, rendered, table
from local.provider.resources import RESOURCES


def test_the_table_of_the_page_is_that_of_the_declarations() -> None:
    text = PAGE.read_text()
    assert rendered(text) == text, "run python -m local.provider.documentation"


def test_the_table_names_what_is_refused() -> None:
    assert "| `aws_lambda_function` |" in table()
    row = next(line for line in table().splitlines() if line.startswith("| `aws_scheduler_schedule` |"))
    assert "`target.ecs_parameters`" in row
    assert "`target.input`" not in row
    assert len(
        [line for line in table().splitlines() if "schema only" not in line and "| `aws_" in line]
    ) == len(RESOURCES)


def test_a_page_without_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="needs the marks"):
        rendered("# A page")
