"""Plans as files, and no CI unless a test says so."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.policies.support.command import write
from tests.policies.support.good import Stack, good
from tests.policies.support.layouts import FLAT, Layout, render

PlanFile = Callable[..., Path]


@pytest.fixture(autouse=True)
def no_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)


@pytest.fixture
def plan_file(tmp_path: Path) -> PlanFile:
    """`plan_file(change)`: the good composition, changed, as a file."""

    def made(
        change: Callable[[Stack], object] = lambda _: None,
        *,
        layout: Layout = FLAT,
        known: bool = True,
        name: str = "plan.json",
    ) -> Path:
        stack = good()
        change(stack)
        return write(tmp_path, render([(None, list(stack.values()))], layout, known=known), name)

    return made
