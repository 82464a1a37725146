"""The workflows as GitHub reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped, unused-ignore]

REPOSITORY = Path(__file__).parents[2]
WORKFLOWS = sorted((REPOSITORY / ".github" / "workflows").glob("*.y*ml"))


def read(file: Path) -> dict[Any, Any]:
    """A workflow; `on` is a key of its own here, which YAML 1.1 takes for true."""
    document: dict[Any, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    document["on"] = document.pop(True)
    return document


@pytest.fixture(params=WORKFLOWS, ids=lambda file: file.stem)
def file(request: pytest.FixtureRequest) -> Path:
    """Each workflow."""
    found: Path = request.param
    return found


@pytest.fixture
def text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@pytest.fixture
def jobs(file: Path) -> dict[str, Any]:
    """The jobs of each workflow by name."""
    found: dict[str, Any] = read(file)["jobs"]
    return found


def jobs_of(name: str) -> dict[str, Any]:
    """The jobs of the workflow `name`."""
    found: dict[str, Any] = read(REPOSITORY / ".github" / "workflows" / f"{name}.yml")["jobs"]
    return found


def runs(job: dict[str, Any]) -> str:
    """All that a job runs, in order."""
    return "\n".join(step.get("run", "") for step in job.get("steps", []))


def uses(job: dict[str, Any]) -> list[str]:
    """The actions of a job."""
    return [step["uses"].partition("@")[0] for step in job.get("steps", []) if "uses" in step]
