"""A lock that is held or left behind is named with its holder, its age and the command that frees it."""

from __future__ import annotations

import getpass
import os
import re
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from deploy.lock import Lock, lock_refused
from deploy.terraform import Terraform, TerraformError, terraform_command
from local.emulator import Emulator
from tests.deploy.conftest import SECONDS, Repository, Terminal
from tests.support.local_aws import eventually

BUCKET = "states"
_BACKEND = """
terraform {{
  backend "s3" {{
    bucket                      = "{bucket}"
    key                         = "prod/terraform.tfstate"
    region                      = "ap-northeast-1"
    use_lockfile                = true
    use_path_style              = true
    skip_credentials_validation = true
    skip_requesting_account_id  = true
    skip_metadata_api_check     = true
    endpoints                   = {{ s3 = "{endpoint}" }}
  }}
}}

resource "terraform_data" "slow" {{
  provisioner "local-exec" {{
    command = "sleep {seconds}"
  }}
}}
"""


@pytest.fixture
def aws(tmp_path: Path) -> Iterator[Emulator]:
    with Emulator.start(log=tmp_path / "emulator.log") as emulator:
        yield emulator


@pytest.fixture
def locked(repository: Repository, aws: Emulator, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """prod's state is in S3, and an apply of it was killed."""
    for name, value in aws.credentials_env().items():
        monkeypatch.setenv(name, value)
    aws.client("s3").create_bucket(
        Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "ap-northeast-1"}
    )
    root = repository.path / "envs" / "prod" / "main.tf"
    root.write_text(_BACKEND.format(bucket=BUCKET, endpoint=aws.endpoint, seconds=SECONDS), encoding="utf-8")
    terraform = Terraform(root.parent, {})
    terraform.init()
    # In a process group of its own, which ends at once as with its machine.
    with subprocess.Popen(
        [*terraform_command(), "apply", "-auto-approve", "-input=false"],
        cwd=root.parent,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as apply:
        eventually(lambda: bool(_locks(aws)), SECONDS)
        os.killpg(apply.pid, signal.SIGKILL)
    root.write_text(root.read_text(encoding="utf-8").replace(f"sleep {SECONDS}", "true"), encoding="utf-8")
    return repository


def _locks(aws: Emulator) -> list[str]:
    listed = aws.client("s3").list_objects_v2(Bucket=BUCKET).get("Contents", [])
    return [item["Key"] for item in listed if item["Key"].endswith(".tflock")]


@pytest.mark.emulator
def test_left_lock_is_named_and_freed_by_the_command_that_is_named(locked: Repository, aws: Emulator) -> None:
    for verb in (["plan", "prod"], ["apply", "prod", "--consent", "prod"]):
        done = locked.run(*verb)
        assert done.returncode == 1
        assert (
            f"{getpass.getuser()}@{socket.gethostname()} began `apply` less than a minute ago" in done.stderr
        )
    (lock_id,) = set(re.findall(r"make unlock ENV=prod LOCK_ID=(\S+)", done.stderr))

    without = locked.run("plan", "prod", "--no-lock")
    unasked = locked.run("unlock", "prod", "--lock-id", lock_id)
    another = locked.run("unlock", "prod", "--lock-id", "another", "--consent", "prod")
    assert [without.returncode, unasked.returncode, another.returncode] == [0, 2, 1]
    assert _locks(aws)

    freed = locked.run("unlock", "prod", "--lock-id", lock_id, "--consent", "prod")

    assert freed.returncode == 0, freed.stderr
    assert not _locks(aws)
    assert locked.run("apply", "prod", "--consent", "prod").returncode == 0


def test_unlock_asks_for_the_name_of_every_environment(
    repository: Repository, at_terminal: Callable[..., Terminal]
) -> None:
    terminal = at_terminal("unlock", "dev", "--lock-id", "x")
    terminal.await_text("goes on: ")
    terminal.press("yes\n")

    assert terminal.end() == 1
    assert "the lock stays" in terminal.text


NOW = datetime(2026, 12, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("age", "told"),
    [
        (timedelta(seconds=59), "less than a minute ago"),
        (timedelta(seconds=-5), "less than a minute ago"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=3, minutes=12), "3 hours 12 minutes ago"),
        (timedelta(days=2, minutes=1), "2 days 1 minute ago"),
    ],
)
def test_age_is_told_in_words(age: timedelta, told: str) -> None:
    lock = Lock("id", "OperationTypePlan", "somebody@there", NOW - age)

    assert f"somebody@there began `plan` {told} (20" in lock.told("stg", NOW)


def _error(summary: str, detail: str) -> TerraformError:
    return TerraformError("plan", 1, [{"summary": summary, "detail": detail}])


def test_refused_lock_is_no_left_lock() -> None:
    error = _error(
        "Error acquiring the state lock",
        "Error message: operation error S3: PutObject, StatusCode: 403, api error AccessDenied",
    )

    assert lock_refused(error)
    assert Lock.holding_up(error) is None


def test_other_error_is_neither() -> None:
    error = _error("creating SQS Queue", "api error AccessDenied")

    assert not lock_refused(error)
    assert Lock.holding_up(error) is None
