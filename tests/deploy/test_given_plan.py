"""`make apply PLAN=…` applies the very plan that an earlier job made, or says why not and changes nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.conftest import Repository

pytestmark = pytest.mark.terraform


def _origin(plan: Path) -> dict[str, Any]:
    origin: dict[str, Any] = json.loads(plan.with_suffix(".plan.json").read_text(encoding="utf-8"))
    return origin


@pytest.fixture
def plan(repository: Repository, tmp_path: Path) -> Path:
    """A plan of prod, made of a commit and handed on."""
    repository.commit()
    done = repository.run("plan", "prod", "--no-lock")
    assert done.returncode == 0, done.stderr
    return Path(shutil.copytree(repository.path / "dist" / "plans", tmp_path / "handed on"), "prod.tfplan")


def _apply(
    repository: Repository, plan: Path, environment: str = "prod", digest: str = ""
) -> tuple[int, str]:
    known = digest or _origin(plan)["digest"]
    done = repository.run(
        "apply", environment, "--consent", environment, "--plan", str(plan), "--digest", known
    )
    return done.returncode, done.stderr


def test_it_is_applied(plan: Path, repository: Repository) -> None:
    assert _apply(repository, plan) == (0, "")
    assert repository.values("prod") == ["one"]


def test_summary_names_commit_and_digest(plan: Path) -> None:
    summary, origin = plan.with_suffix(".md").read_text(encoding="utf-8"), _origin(plan)

    assert summary.startswith("### prod: 1 to create\n")
    assert f"- commit: `{origin['commit']}`" in summary
    assert f"- digest of the plan: `{origin['digest']}`" in summary


def test_state_that_has_moved_refuses_it(plan: Path, repository: Repository) -> None:
    assert repository.run("apply", "prod", "--consent", "prod").returncode == 0

    status, said = _apply(repository, plan)

    assert status == 1
    assert "stale" in said
    assert "make plan ENV=prod" in said
    assert repository.values("prod") == ["one"]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("another environment", "a plan of prod, not of stg"),
        ("altered", "it was altered"),
        ("replaced with its origin", "not the one that was approved"),
        ("another commit", "it is of commit"),
        ("changed files", "changed, or none of git"),
        ("made of changed files", "no commit holds"),
        ("no origin", "prod.plan.json is missing"),
        ("no plan", "prod.tfplan is missing"),
        ("origin cut off", "prod.plan.json is not as `make plan` writes it"),
        ("origin of other fields", "prod.plan.json is not as `make plan` writes it"),
        ("origin of other types", "prod.plan.json is not as `make plan` writes it"),
    ],
)
def test_another_plan_is_refused(fault: str, said: str, plan: Path, repository: Repository) -> None:
    digest, environment = _origin(plan)["digest"], "prod"
    match fault:
        case "another environment":
            environment = "stg"
        case "altered":
            plan.write_bytes(plan.read_bytes() + b"x")
        case "replaced with its origin":
            # Of other content: two plans of one content that are made in the same second are the same bytes.
            repository.write("prod", "two")
            repository.commit()
            repository.run("plan", "prod")
            shutil.copytree(repository.path / "dist" / "plans", plan.parent, dirs_exist_ok=True)
        case "another commit":
            repository.write("dev", "two")
            repository.commit()
        case "changed files":
            repository.write("dev", "two")
        case "made of changed files":
            repository.write("dev", "two")
            repository.run("plan", "prod")
            shutil.copytree(repository.path / "dist" / "plans", plan.parent, dirs_exist_ok=True)
            digest = ""
        case "no origin":
            plan.with_suffix(".plan.json").unlink()
        case "no plan":
            plan.unlink()
        case "origin cut off":
            plan.with_suffix(".plan.json").write_text('{"environment": ', encoding="utf-8")
        case "origin of other fields":
            plan.with_suffix(".plan.json").write_text('{"environment": "prod"}', encoding="utf-8")
        case "origin of other types":
            plan.with_suffix(".plan.json").write_text("[1, 2, 3]", encoding="utf-8")

    status, complaint = _apply(repository, plan, environment, digest)

    assert status == 2
    assert said in complaint
    assert complaint.count("\n") == 1
    assert repository.values("prod") == []


def test_without_a_terminal_the_digest_has_to_be_told(plan: Path, repository: Repository) -> None:
    done = repository.run("apply", "prod", "--consent", "prod", "--plan", str(plan))

    assert done.returncode == 2
    assert "DIGEST" in done.stderr
    assert repository.values("prod") == []
