"""The workflows: pinned, with no more rights than they need; approval is given to a plan that is known."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.conftest import REPOSITORY, WORKFLOWS, jobs_of, read, runs, uses

PINNED = re.compile(r"^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")
LOCAL = re.compile(r"^\./\.github/workflows/[a-z]+\.yml$")
VERBS = re.compile(r"\bmake (?:--[a-z-]+ )*([a-z][a-z-]*)")
WRITING = {"pull-requests", "security-events", "contents", "actions", "deployments"}


def test_there_are_these() -> None:
    assert [file.stem for file in WORKFLOWS] == ["environment", "proofs", "terraform"]


def test_every_action_is_pinned_by_digest_with_its_version(text: str) -> None:
    used = re.findall(r"uses: (.+)", text)
    assert used
    for action in used:
        assert PINNED.match(action) or LOCAL.match(action), action


def test_token_may_read_only_unless_a_job_says_more(file: Path) -> None:
    workflow = read(file)
    assert workflow["permissions"] == {"contents": "read"}
    assert all(isinstance(job.get("permissions", {}), dict) for job in workflow["jobs"].values())


def test_nothing_runs_a_fork_s_code_with_this_repository_s_rights(file: Path) -> None:
    assert not {"pull_request_target", "workflow_run", "issue_comment"} & set(read(file)["on"])


def test_jobs_with_a_writing_token_run_no_code_of_the_repository(jobs: dict[str, Any]) -> None:
    for name, job in jobs.items():
        writes = {right for right, access in job.get("permissions", {}).items() if access == "write"}
        if writes & WRITING and "steps" in job:
            assert "actions/checkout" not in uses(job), name
            assert "id-token" not in writes, name


def test_called_jobs_say_each_what_they_may() -> None:
    """A called job without permissions of its own has all those of its caller."""
    for name in ("environment", "proofs"):
        callers = [
            job for job in jobs_of("terraform").values() if job.get("uses", "").endswith(f"/{name}.yml")
        ]
        assert callers
        if any("permissions" in caller for caller in callers):
            assert all("permissions" in job for job in jobs_of(name).values())


def test_only_jobs_that_take_a_role_may_ask_for_a_token(jobs: dict[str, Any]) -> None:
    for name, job in jobs.items():
        if "steps" in job:
            asks = job.get("permissions", {}).get("id-token") == "write"
            assert asks == (".github/oidc.sh" in runs(job)), name


def test_checkouts_leave_no_credentials_behind(text: str) -> None:
    assert text.count("actions/checkout@") == text.count("persist-credentials: false")


def test_scripts_take_no_text_from_expressions(jobs: dict[str, Any]) -> None:
    for name, job in jobs.items():
        assert "${{" not in runs(job), name


def test_verbs_exist(jobs: dict[str, Any]) -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    for job in jobs.values():
        for verb in VERBS.findall(runs(job)):
            assert re.search(rf"^{verb}:", makefile, re.MULTILINE), verb


def test_plans_need_no_approval_and_leave_no_lock() -> None:
    plan = jobs_of("environment")["plan"]

    assert "environment" not in plan
    assert "make plan" in runs(plan)
    assert "LOCK=0" in runs(plan)
    assert runs(plan).index("make plan") < runs(plan).index("make gate-plan")
    assert "GITHUB_STEP_SUMMARY" in runs(plan)


def test_protected_job_applies_the_plan_that_was_judged_and_makes_none() -> None:
    environment = jobs_of("environment")
    apply = environment["apply"]

    assert [name for name, job in environment.items() if "environment" in job] == ["apply"]
    assert apply["needs"] == "plan"
    assert "make plan" not in runs(apply)
    assert 'PLAN="dist/plans/$ENV.tfplan" DIGEST="$DIGEST"' in runs(apply)
    (step,) = [step for step in apply["steps"] if "make apply" in step.get("run", "")]
    # An output of the job that planned: whoever can replace the artifact cannot replace this.
    assert step["env"]["DIGEST"] == "${{ needs.plan.outputs.digest }}"
    for condition in ("inputs.apply", "github.event_name == 'push'", "github.ref == 'refs/heads/main'"):
        assert condition in apply["if"]


def test_nothing_ends_a_running_apply() -> None:
    """GitHub's own limit of six hours is the only one, for the job and for its keys."""
    apply = jobs_of("environment")["apply"]
    assert apply["timeout-minutes"] == 360
    assert f'.github/oidc.sh "$ROLE_ARN" {apply["timeout-minutes"] * 60}' in runs(apply)
    assert apply["concurrency"]["cancel-in-progress"] is False
    whole = read(REPOSITORY / ".github" / "workflows" / "terraform.yml")["concurrency"]
    assert whole["cancel-in-progress"] == "${{ github.event_name == 'pull_request' }}"


def test_jobs_that_change_nothing_have_a_time_limit(jobs: dict[str, Any]) -> None:
    assert all("timeout-minutes" in job for job in jobs.values() if "steps" in job)


def test_environments_follow_each_other_after_every_proof() -> None:
    jobs = jobs_of("terraform")
    chain = {name: job["needs"] for name, job in jobs.items() if job.get("with", {}).get("apply") is True}

    assert chain == {"dev": ["check", "proofs"], "stg": "dev", "prod": "stg"}
    for name in chain:
        assert jobs[name]["with"]["environment"] == name
        assert "github.ref == 'refs/heads/main'" in jobs[name]["if"]
        assert "strategy" not in jobs[name]


def test_pull_requests_of_forks_get_neither_role_nor_secret() -> None:
    jobs = jobs_of("terraform")
    for name, job in jobs.items():
        if name not in {"check", "dev", "stg", "prod", "proofs"}:
            assert "head.repo.full_name == github.repository" in job["if"], name
        if "github.event_name == 'push'" not in job.get("if", ""):
            assert "secrets" not in job, name
    assert "permissions" not in jobs["check"]


@pytest.mark.parametrize("workflow", ["environment", "terraform", "proofs"])
def test_secrets_go_to_the_protected_job_alone(workflow: str) -> None:
    for name, job in jobs_of(workflow).items():
        assert ("${{ secrets." in str(job)) == (name == "apply"), name


def test_report_holds_the_changes_before_the_gate_and_goes_to_code_scanning_from_main_too() -> None:
    report = jobs_of("environment")["report"]
    comment, scanning = [step for step in report["steps"] if "run" in step]

    assert comment["run"].index("$ENV.md") < comment["run"].index("gate.md")
    assert comment["if"] == "github.event_name == 'pull_request'"
    assert "if" not in scanning
    assert "policies/$ENV" in scanning["run"]
    assert report["env"]["REF"].endswith("|| github.ref }}")


def test_artifacts_hold_no_plan_that_is_not_sealed() -> None:
    plan = jobs_of("environment")["plan"]
    paths = [step["with"]["path"] for step in plan["steps"] if "upload-artifact" in step.get("uses", "")]

    assert paths == [
        "dist/plans/${{ inputs.environment }}.md\ndist/reports\n",
        "${{ runner.temp }}/plan.cms",
    ]
    assert "sealed.sh seal" in runs(plan)
