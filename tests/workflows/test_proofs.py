"""Whatever proves something is run every night, before an apply and by `.ci/run`, or its reason is here."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.workflows.conftest import REPOSITORY, jobs_of, read, runs

MAKEFILE = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
PROVING = re.compile(r"^((?:test|bench)[a-z-]*|lint|demo|coverage|mutants):", re.MULTILINE)
IN_OTHERS = {
    "test": "lint and test-code, which are run",
    "test-all": "the verbs of `.ci/run` one after the other, which are run side by side here",
}
NOT_BEFORE_AN_APPLY = {"mutants": "takes hours; a job of its own every night"}
NOT_BY_CI_RUN = {"coverage", "mutants"} | {v for v in PROVING.findall(MAKEFILE) if v.startswith("bench")}


def _listed(variable: str) -> set[str]:
    found = re.search(rf"^{variable} := (.*)$", MAKEFILE, re.MULTILINE)
    assert found
    return set(found[1].split())


@pytest.fixture(scope="module")
def verbs() -> set[str]:
    """What `make proofs` prints."""
    printed = subprocess.run(
        ["make", "--no-print-directory", "proofs"],  # noqa: S607 - as the workflow has it
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(printed.stdout.split())


def test_every_verb_that_proves_something_is_run_or_has_its_reason(verbs: set[str]) -> None:
    proving = set(PROVING.findall(MAKEFILE))
    assert len(proving) > len(IN_OTHERS)
    assert proving - IN_OTHERS.keys() - NOT_BEFORE_AN_APPLY.keys() == verbs


def test_ci_run_runs_all_but_what_is_measured() -> None:
    assert "make --no-print-directory test-all" in (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8")
    assert set(PROVING.findall(MAKEFILE)) - IN_OTHERS.keys() - NOT_BY_CI_RUN == _listed("PROVED")


def test_workflow_takes_its_verbs_from_make() -> None:
    jobs = jobs_of("proofs")
    assert "make --no-print-directory proofs" in runs(jobs["verbs"])
    assert jobs["prove"]["strategy"]["matrix"] == {"verb": "${{ fromJSON(needs.verbs.outputs.verbs) }}"}
    assert jobs["prove"]["strategy"]["fail-fast"] is False
    assert 'make "$VERB"' in runs(jobs["prove"])
    assert "make mutants" in runs(jobs["mutants"])


def test_proofs_are_due_every_night_and_may_be_called() -> None:
    triggers = read(REPOSITORY / ".github" / "workflows" / "proofs.yml")["on"]
    assert re.fullmatch(r"\d+ \d+ \* \* \*", triggers["schedule"][0]["cron"])
    assert "workflow_call" in triggers


@pytest.mark.parametrize(("asked", "status"), [("optional", 0), ("required", 1), ("", 1)])
def test_linter_that_is_missing_fails_unless_it_is_optional(asked: str, status: int, tmp_path: Path) -> None:
    for tool in ("bash", "dirname"):
        found = shutil.which(tool)
        assert found
        (tmp_path / tool).symlink_to(found)
    environment = {"PATH": str(tmp_path), **({"LINTERS": asked} if asked else {})}
    done = subprocess.run(
        [REPOSITORY / ".ci" / "linters"], env=environment, capture_output=True, text=True, check=False
    )

    assert done.returncode == status
    for linter in ("tflint", "actionlint", "shellcheck"):
        assert f"{linter} is not installed" in done.stdout + done.stderr


@pytest.mark.parametrize(("ci", "asked"), [("", "optional"), ("true", "required")])
def test_linters_are_required_where_ci_is_set(ci: str, asked: str) -> None:
    shown = subprocess.run(
        ["make", "--dry-run", "lint"],  # noqa: S607 - as people type it
        cwd=REPOSITORY,
        env={
            **{k: v for k, v in os.environ.items() if k not in ("CI", "LINTERS", "MAKEFLAGS")},
            **({"CI": ci} if ci else {}),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"LINTERS='{asked}'" in shown.stdout
