"""`make plan`: two files of the same plan, from the locked provider or, offline, from a copy."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from deploy.__main__ import main
from deploy.terraform import terraform_command
from deploy.terraform.attach import SHARED_ENVIRONMENTS
from tests.deploy.conftest import REPOSITORY, Repository

pytestmark = pytest.mark.terraform


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """The shared environments as they are, with packages, in a repository of their own."""
    for name in SHARED_ENVIRONMENTS:
        shutil.copytree(
            REPOSITORY / "envs" / name,
            tmp_path / "envs" / name,
            ignore=shutil.ignore_patterns(".terraform"),
        )
    (tmp_path / "modules").symlink_to(REPOSITORY / "modules")
    shutil.copytree(REPOSITORY / "modules" / "testing" / "dist", tmp_path / "dist")
    return tmp_path


def _files(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.emulator
@pytest.mark.parametrize("name", sorted(SHARED_ENVIRONMENTS))
def test_offline_plan_is_written_and_the_environments_stay_as_they_are(
    name: str, whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = _files(whole / "envs")

    assert main(["plan", name, "--offline"], whole) == 0

    document = json.loads((whole / "dist" / "plans" / f"{name}.json").read_text(encoding="utf-8"))
    assert document["applyable"]
    assert (whole / "dist" / "plans" / f"{name}.tfplan").stat().st_size > 0
    assert _files(whole / "envs") == before
    shown = capsys.readouterr().out
    assert f"dist/plans/{name}.tfplan" in shown
    assert "aws_sqs_queue_redrive_policy" in shown


@pytest.mark.emulator
def test_offline_plan_names_files_as_the_root_does(whole: Path) -> None:
    """No path of the machine that planned it."""
    main(["plan", "dev", "--offline"], whole)
    changes = json.loads((whole / "dist" / "plans" / "dev.json").read_text(encoding="utf-8"))[
        "resource_changes"
    ]
    packages = {c["change"]["after"]["filename"] for c in changes if c["type"] == "aws_lambda_function"}

    assert packages
    assert all(package.startswith("../../dist/") for package in packages)


@pytest.mark.emulator
def test_offline_plan_takes_neither_keys_nor_region_of_the_user(
    whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "999988887777")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    monkeypatch.setenv("AWS_REGION", "us-east-1")

    assert main(["plan", "dev", "--offline"], whole) == 0


@pytest.mark.emulator
def test_diff_prints_what_differs(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "stg", "prod"], whole) == 0
    (row, *_) = [line for line in capsys.readouterr().out.splitlines() if "retention_in_days" in line]

    assert [cell.strip() for cell in row.split("│")][2:5] == ["retention_in_days", "30", "365"]
    assert not list((whole / "dist" / "plans").glob("*.tfplan"))


def test_plans_are_their_owner_s_alone(repository: Repository) -> None:
    done = repository.run("plan", "dev")

    assert done.returncode == 0, done.stderr
    assert stat.S_IMODE((repository.path / "dist" / "plans").stat().st_mode) == 0o700


def test_plan_that_fails_leaves_no_former_plan(repository: Repository) -> None:
    repository.run("plan", "dev")
    plans = repository.path / "dist" / "plans"
    assert {file.name for file in plans.iterdir()} == {"dev.tfplan", "dev.json", "dev.md", "dev.plan.json"}
    repository.write("dev", "${nowhere.x}")

    assert repository.run("plan", "dev").returncode == 1
    assert list(plans.iterdir()) == []


def _mirror(folder: Path, monkeypatch: pytest.MonkeyPatch, *versions: str) -> None:
    """Terraform takes providers from a folder only; it holds a program that is not the genuine one."""
    told = subprocess.run(
        [*terraform_command(), "version", "-json"],
        env={**os.environ, "TF_CLI_CONFIG_FILE": os.devnull},
        capture_output=True,
        check=True,
    )
    platform = json.loads(told.stdout)["platform"]
    for version in versions:
        package = folder / f"mirror/registry.terraform.io/hashicorp/aws/{version}/{platform}"
        package.mkdir(parents=True)
        program = package / f"terraform-provider-aws_v{version}"
        program.write_text("#!/bin/sh\n", encoding="utf-8")
        program.chmod(0o755)
    (folder / "mirror").mkdir(exist_ok=True)
    configuration = folder / "terraform.rc"
    configuration.write_text(
        f'provider_installation {{\n  filesystem_mirror {{\n    path = "{folder}/mirror"\n  }}\n}}\n',
        encoding="utf-8",
    )
    monkeypatch.setenv("TF_CLI_CONFIG_FILE", str(configuration))


def _local_state(root: Path) -> None:
    (root / "state_override.tf").write_text('terraform {\n  backend "local" {}\n}\n', encoding="utf-8")


def test_without_the_provider_terraform_says_so_and_offline_is_named(
    whole: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _mirror(whole, monkeypatch)
    _local_state(whole / "envs" / "prod")

    assert main(["plan", "prod"], whole) == 1
    *terraform, last = capsys.readouterr().err.strip().splitlines()
    assert "hashicorp/aws" in "\n".join(terraform)
    assert last.endswith("make plan ENV=prod OFFLINE=1")


def test_provider_that_is_not_the_locked_one_is_not_used(
    whole: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _mirror(whole, monkeypatch, "6.45.0")
    _local_state(whole / "envs" / "prod")
    lock = (whole / "envs" / "prod" / ".terraform.lock.hcl").read_bytes()

    assert main(["plan", "prod"], whole) == 1
    assert "checksum" in capsys.readouterr().err
    assert (whole / "envs" / "prod" / ".terraform.lock.hcl").read_bytes() == lock


def test_lock_file_that_lacks_the_provider_is_not_extended(
    whole: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _mirror(whole, monkeypatch, "6.45.0")
    root = whole / "envs" / "prod"
    _local_state(root)
    (root / ".terraform.lock.hcl").write_text("", encoding="utf-8")

    assert main(["plan", "prod"], whole) == 1
    assert "lock" in capsys.readouterr().err
    assert (root / ".terraform.lock.hcl").read_text(encoding="utf-8") == ""
