"""The workflow's own scripts: keys by OIDC, a plan handed on sealed, the summary."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.workflows.conftest import REPOSITORY

SCRIPTS = REPOSITORY / ".github"
ROLE = "arn:aws:iam::111122223333:role/ci-fanout-prod-plan"
SUBJECT = "repo:octocat@123456/my-repo@456789:environment:prod"
# As GitHub's: base64url without padding, and a text that has a `-` and a `_` there.
CLAIMS = base64.urlsafe_b64encode(json.dumps({"sub": SUBJECT, "x": "<<???>>>"}).encode()).decode().rstrip("=")
TOKEN = f"e30.{CLAIMS}.c2ln"
KEYS = ("AKIDEXAMPLE", "secret/key+1", "session==")


def _run(script: str, *arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPTS / script, *arguments],
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


class Runner:
    """A job's folder, with stand-ins for curl and aws before the genuine ones."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.given = folder, folder / "github_env"
        self.given.touch()
        self.program("curl", f'echo \'{{"value": "{TOKEN}"}}\'')
        self.program("aws", f"echo \"$*\" > '{folder}/asked'; printf '%s\\t%s\\t%s\\n' {' '.join(KEYS)}")

    def program(self, name: str, text: str) -> None:
        """Put a program in the place of the genuine one."""
        (self.folder / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (self.folder / name).chmod(0o755)

    def take(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """`oidc.sh` in a job that may ask for a token."""
        job = {
            "PATH": f"{self.folder}:{os.environ['PATH']}",
            "ACTIONS_ID_TOKEN_REQUEST_URL": "http://127.0.0.1:9/token?x=1",
            "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "request",
            "GITHUB_ENV": str(self.given),
            "GITHUB_RUN_ID": "42",
            "GITHUB_RUN_ATTEMPT": "2",
        }
        return _run("oidc.sh", *arguments, **{**job, **environment})


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


def test_keys_are_handed_to_later_steps_and_masked_before(runner: Runner) -> None:
    done = runner.take(ROLE)

    assert done.returncode == 0, done.stderr
    assert runner.given.read_text(encoding="utf-8").splitlines() == [
        f"AWS_ACCESS_KEY_ID={KEYS[0]}",
        f"AWS_SECRET_ACCESS_KEY={KEYS[1]}",
        f"AWS_SESSION_TOKEN={KEYS[2]}",
    ]
    assert done.stdout.splitlines() == [
        f"::add-mask::{TOKEN}",
        f"subject: {SUBJECT}",
        *(f"::add-mask::{secret}" for secret in KEYS),
    ]


def test_session_is_named_after_the_run_and_lasts_as_long_as_is_said(runner: Runner) -> None:
    runner.take(ROLE, "21600")
    asked = (runner.folder / "asked").read_text(encoding="utf-8")

    assert "--role-session-name github-42-2 " in asked
    assert "--duration-seconds 21600 " in asked
    assert f"--role-arn {ROLE} " in asked


@pytest.mark.parametrize("arn", ["", "ci-fanout-prod-plan", "arn:aws:s3:::bucket"])
def test_variable_that_is_not_set_is_named_before_anything_is_asked(arn: str, runner: Runner) -> None:
    done = runner.take(arn)

    assert done.returncode == 2
    assert "no ARN of a role" in done.stderr
    assert not (runner.folder / "asked").exists()


@pytest.mark.parametrize(
    ("program", "text"),
    [
        ("curl", "exit 22"),
        ("curl", "echo '{}'"),
        ("curl", "echo not JSON"),
        ("aws", "echo AccessDenied >&2; exit 254"),
        ("aws", "true"),
        ("aws", "echo AKID"),
    ],
)
def test_without_keys_the_step_fails_and_hands_none_on(program: str, text: str, runner: Runner) -> None:
    runner.program(program, text)
    done = runner.take(ROLE)

    assert done.returncode != 0
    assert runner.given.read_text(encoding="utf-8") == ""


def test_job_without_the_permission_is_told_so(runner: Runner) -> None:
    done = runner.take(ROLE, ACTIONS_ID_TOKEN_REQUEST_URL="")

    assert done.returncode != 0
    assert "id-token: write" in done.stderr


class Pair:
    """A certificate and its private key, made as docs/environments.md says."""

    def __init__(self, folder: Path) -> None:
        key, certificate = folder / "plan.key", folder / "plan.crt"
        command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=plan", "-keyout"]
        subprocess.run([*command, key, "-out", certificate], check=True, capture_output=True)
        self.key, self.certificate = (file.read_text(encoding="utf-8") for file in (key, certificate))


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


@pytest.fixture
def plans(tmp_path: Path) -> Path:
    """A folder with a plan of prod beside one of dev."""
    folder = tmp_path / "plans"
    folder.mkdir()
    for name, content in (("prod.tfplan", b"PK\0\xffplan"), ("prod.plan.json", b"{}"), ("dev.tfplan", b"")):
        (folder / name).write_bytes(content)
    return folder


def test_sealed_plan_opens_as_it_was_with_the_private_key(pair: Pair, plans: Path, tmp_path: Path) -> None:
    sealed, opened = tmp_path / "plan.cms", tmp_path / "opened"
    done = _run("sealed.sh", "seal", plans, "prod", sealed, CERTIFICATE=pair.certificate)
    assert done.returncode == 0, done.stderr
    assert b"\xffplan" not in sealed.read_bytes()

    done = _run("sealed.sh", "open", sealed, opened, CERTIFICATE=pair.certificate, PRIVATE_KEY=pair.key)

    assert done.returncode == 0, done.stderr
    assert {file.name: file.read_bytes() for file in opened.iterdir()} == {
        name: (plans / name).read_bytes() for name in ("prod.tfplan", "prod.plan.json")
    }


def test_another_key_and_an_altered_plan_are_refused(pair: Pair, plans: Path, tmp_path: Path) -> None:
    sealed, opened, elsewhere = tmp_path / "plan.cms", tmp_path / "opened", tmp_path / "other"
    elsewhere.mkdir()
    other = Pair(elsewhere)
    _run("sealed.sh", "seal", plans, "prod", sealed, CERTIFICATE=pair.certificate)

    done = _run("sealed.sh", "open", sealed, opened, CERTIFICATE=other.certificate, PRIVATE_KEY=other.key)
    assert done.returncode != 0

    altered = bytearray(sealed.read_bytes())
    altered[-40] ^= 1
    sealed.write_bytes(altered)
    done = _run("sealed.sh", "open", sealed, opened, CERTIFICATE=pair.certificate, PRIVATE_KEY=pair.key)
    assert done.returncode != 0
    assert list(opened.iterdir()) == []


def test_plan_that_is_missing_is_not_sealed(pair: Pair, plans: Path, tmp_path: Path) -> None:
    done = _run("sealed.sh", "seal", plans, "stg", tmp_path / "plan.cms", CERTIFICATE=pair.certificate)

    assert done.returncode != 0


@pytest.mark.parametrize("certificate", ["", "not a certificate"])
def test_certificate_that_is_not_set_is_named(certificate: str, plans: Path, tmp_path: Path) -> None:
    done = _run("sealed.sh", "seal", plans, "prod", tmp_path / "plan.cms", CERTIFICATE=certificate)

    assert done.returncode == 2
    assert "CERTIFICATE is not a PEM block" in done.stderr
    assert not (tmp_path / "plan.cms").exists()


def test_summary_has_changes_then_report_and_says_what_is_missing(plans: Path, tmp_path: Path) -> None:
    (plans / "prod.md").write_text("### prod: 1 to delete\n", encoding="utf-8")
    shown = _run("summary.sh", "prod", plans, tmp_path / "none").stdout
    assert shown == "## prod\n\n### prod: 1 to delete\n\nThe gate has judged nothing.\n"

    (tmp_path / "gate.md").write_text("### Policy gate: findings\n", encoding="utf-8")
    assert _run("summary.sh", "stg", plans, tmp_path).stdout == (
        "## stg\n\nThe plan failed.\n\n### Policy gate: findings\n"
    )
