"""Terraform here: which one is run, how it ends, and where the stand-in is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from deploy.terraform import (
    Refused,
    Terraform,
    TerraformError,
    TerraformMissing,
    command,
    refuse_shared_environment,
    stand_in,
    terraform_command,
)

REPOSITORY = Path(__file__).parents[3]
QUEUE = 'resource "aws_sqs_queue" "this" {\n  name = "runner"\n}\n'
REQUIRED = """
terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "6.45.0"
    }
  }
}
"""
LOCK = """
provider "registry.terraform.io/hashicorp/aws" {
  version     = "6.45.0"
  constraints = "6.45.0"
  hashes = [
    "h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
  ]
}
"""
# Longer than any ending takes; an interrupted run ends long before.
SLOW_SECONDS = 600
SLOW = f"""
resource "terraform_data" "slow" {{
  provisioner "local-exec" {{
    command = "echo started; sleep {SLOW_SECONDS}"
  }}
}}
"""


@pytest.fixture
def forget() -> Iterator[None]:
    """Look for Terraform anew, before and after."""
    command._found.cache_clear()
    yield
    command._found.cache_clear()


def install(directory: Path, version: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `terraform` on PATH that says it is of `version`."""
    binary = directory / "terraform"
    binary.write_text(f"""#!/bin/sh\necho '{{"terraform_version": "{version}"}}'\n""")
    binary.chmod(0o755)
    monkeypatch.setenv("PATH", str(directory))
    return binary


@pytest.mark.usefixtures("forget")
@pytest.mark.parametrize("version", ["1.11.0", "1.12.3", "2.0.0"])
def test_a_recent_terraform_on_path_is_used(
    version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    binary = install(tmp_path, version, monkeypatch)
    assert terraform_command() == [str(binary)]
    assert command.terraform_version() == version


@pytest.mark.usefixtures("forget")
@pytest.mark.terraform
def test_the_wheel_steps_in_for_one_that_is_too_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "1.10.5", monkeypatch)
    python, script = terraform_command()
    assert (python, Path(script).name) == (sys.executable, "wheel.py")
    assert command.terraform_version().startswith("1.15")


@pytest.mark.usefixtures("forget")
def test_no_terraform_at_all_is_an_error_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "1.10.5", monkeypatch)
    monkeypatch.setattr(command, "find_spec", {}.get)
    with pytest.raises(
        TerraformMissing, match=r"is 1\.10\.5; no Terraform >= 1\.11: .*requirements/local\.txt"
    ):
        terraform_command()


@pytest.mark.parametrize("environment", ["dev", "stg", "prod"])
@pytest.mark.parametrize("arguments", [["apply"], ["destroy", "-auto-approve"], ["import", "a", "b"]])
def test_shared_environments_are_not_changed_through_the_stand_in(
    environment: str, arguments: list[str], tmp_path: Path
) -> None:
    directory = tmp_path / "envs" / environment
    directory.mkdir(parents=True)
    with pytest.raises(Refused, match=f"envs/{environment} is refused"):
        refuse_shared_environment(arguments, directory)
    with pytest.raises(Refused, match=f"envs/{environment} is refused"):
        refuse_shared_environment([f"-chdir=envs/{environment}", *arguments], tmp_path)


@pytest.mark.parametrize(
    ("directory", "arguments"),
    [
        ("envs/local", ["apply"]),
        ("envs/dev", ["plan"]),
        ("envs/dev", ["validate"]),
        ("modules/prod", ["apply"]),
        ("envs/dev", ["-chdir=../local", "apply"]),
    ],
)
def test_everything_else_is_allowed(directory: str, arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / directory).mkdir(parents=True)
    refuse_shared_environment(arguments, tmp_path / directory)


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    return subprocess.run(
        [sys.executable, "-m", "deploy.terraform", *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_line_refuses_a_shared_environment(tmp_path: Path) -> None:
    (tmp_path / "envs" / "prod").mkdir(parents=True)
    done = run("-chdir=envs/prod", "apply", cwd=tmp_path)
    assert done.returncode == 2
    assert "terraform apply in envs/prod is refused" in done.stderr


def test_the_command_line_refuses_a_provider_that_is_none(tmp_path: Path) -> None:
    done = run("--provider=azure", "version", cwd=tmp_path)
    assert (done.returncode, "must be one of stand-in, registry" in done.stderr) == (2, True)


@pytest.mark.terraform
def test_the_command_line_hands_on_output_and_exit_status(tmp_path: Path) -> None:
    done = run("version", cwd=tmp_path)
    assert (done.returncode, done.stdout.startswith("Terraform v")) == (0, True)
    (tmp_path / "main.tf").write_text("nonsense")
    assert run("validate", cwd=tmp_path).returncode == 1


@pytest.mark.terraform
def test_init_needs_no_registry_and_leaves_the_lock_file_alone(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text(REQUIRED)
    lock = tmp_path / ".terraform.lock.hcl"
    lock.write_text(LOCK)
    before = lock.read_bytes()
    done = run("init", "-input=false", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert lock.read_bytes() == before
    assert run("validate", cwd=tmp_path).returncode == 0


@pytest.mark.terraform
@pytest.mark.parametrize("through", ["path", "wheel"])
def test_a_mocked_provider_needs_no_endpoint(through: str, tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text(REQUIRED + QUEUE)
    (tmp_path / "main.tftest.hcl").write_text(
        'mock_provider "aws" {}\nrun "apply" {\n  assert {\n'
        '    condition     = aws_sqs_queue.this.name == "runner" && aws_sqs_queue.this.arn != ""\n'
        '    error_message = "not mocked"\n  }\n}\n'
    )
    wheel = [sys.executable, str(REPOSITORY / "deploy" / "terraform" / "wheel.py")]
    start = terraform_command() if through == "path" else wheel
    with stand_in() as environment:
        for arguments in (["init"], ["test"]):
            done = subprocess.run(
                [*start, *arguments],
                cwd=tmp_path,
                env={**os.environ, **environment},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed, 0 failed" in done.stdout


@pytest.mark.terraform
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("before", [(), ("sh", "-c", 'trap "" INT; exec "$@"', "sh")], ids=["", "ignored"])
def test_an_interrupted_command_line_ends_terraform_in_good_order(
    number: signal.Signals, before: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "main.tf").write_text(SLOW)
    assert run("init", cwd=tmp_path).returncode == 0
    process = subprocess.Popen(
        [*before, sys.executable, "-m", "deploy.terraform", "apply", "-auto-approve", "-no-color"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if "started" in line:
            break
    begun = time.monotonic()
    process.send_signal(number)
    rest = process.stdout.read()
    assert process.wait() == 1
    assert "Interrupt received" in rest or "signal: killed" in rest
    assert time.monotonic() - begun < SLOW_SECONDS
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


@pytest.mark.terraform
def test_a_reader_that_stops_reading_ends_terraform(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text(SLOW)
    terraform = Terraform(tmp_path, {})
    terraform.init()

    def stop(event: Mapping[str, Any]) -> None:
        if "started" in str(event.get("hook", {}).get("output", "")):
            raise KeyboardInterrupt

    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        terraform.apply(stop)
    assert time.monotonic() - begun < SLOW_SECONDS
    assert terraform.resources() == ["terraform_data.slow"], "the state of what was begun is kept, as tainted"


@pytest.mark.terraform
def test_an_error_carries_terraforms_diagnostics(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text(
        'variable "a" {\n  type = number\n}\noutput "a" {\n  value = var.a\n}\n'
    )
    terraform = Terraform(tmp_path, {}, {"a": "text"})
    terraform.init()
    with pytest.raises(
        TerraformError, match="terraform apply ended with status 1: Invalid value for input variable"
    ):
        terraform.apply()
    (tmp_path / "main.tf").write_text('output "a" {\n  value = local.missing\n}\n')
    with pytest.raises(TerraformError, match="undeclared local value") as caught:
        terraform.validate()
    assert caught.value.diagnostics[0]["severity"] == "error"


@pytest.mark.terraform
def test_variables_of_every_type_arrive_and_outputs_come_back(tmp_path: Path) -> None:
    source, work = tmp_path / "root", tmp_path / "work"
    source.mkdir()
    work.mkdir()
    (source / "main.tf").write_text(
        'variable "text" {\n  type = string\n}\nvariable "map" {\n  type = map(list(number))\n}\n'
        'output "text" {\n  value = var.text\n}\noutput "map" {\n  value = var.map\n}\n'
    )
    variables = {"text": "5 ${x}", "map": {"a": [1, 2]}}
    terraform = Terraform(source, {}, variables, data_dir=work / "data", state=work / "terraform.tfstate")
    terraform.init()
    terraform.apply()
    assert terraform.output() == variables
    assert terraform.show_json()["values"]["outputs"]["map"]["value"] == {"a": [1, 2]}
    assert terraform.resources() == []
    assert [path.name for path in source.iterdir()] == ["main.tf"], (
        "nothing is written beside the configuration"
    )


AWKWARD = "🙂 東京 ${name} %{if x} $${kept} \"quoted\" 'single' \\back\\slash\nnext\r\n\tline #{} <&>"
ANY_TEXT = """
variable "text" {
  type = string
}
variable "free" {
  type = any
}
variable "list" {
  type = list(string)
}
variable "map" {
  type = map(string)
}
variable "nested" {
  type = object({ items = list(map(string)), number = number, flag = bool, none = optional(string) })
}
"""


def awkward() -> dict[str, Any]:
    return {
        "text": AWKWARD,
        "free": {"a": AWKWARD},
        "list": [AWKWARD, "", "[1]", "null"],
        "map": {"key ${x} 🙂": AWKWARD},
        "nested": {"items": [{"k": AWKWARD}], "number": 1.5, "flag": True, "none": None},
    }


@pytest.mark.terraform
def test_variables_arrive_as_they_are_whatever_they_hold(tmp_path: Path) -> None:
    outputs = "".join(f'output "{name}" {{\n  value = var.{name}\n}}\n' for name in awkward())
    (tmp_path / "main.tf").write_text(ANY_TEXT + outputs)
    terraform = Terraform(tmp_path, {}, awkward())
    terraform.init()
    terraform.apply()
    assert terraform.output() == awkward()
    assert terraform.destroy()["remove"] == 0


@pytest.mark.terraform
@pytest.mark.emulator
def test_text_goes_through_the_stand_in_as_it_is(
    root: Callable[[str, Mapping[str, Any]], Terraform], aws: Any
) -> None:
    terraform = root(
        ANY_TEXT
        + """
resource "aws_ssm_parameter" "this" {
  name  = "/awkward"
  type  = "String"
  value = var.text
}
resource "aws_cloudwatch_metric_alarm" "this" {
  alarm_name          = "awkward"
  alarm_description   = var.map["key $${x} 🙂"]
  comparison_operator = "GreaterThanThreshold"
  evaluation_periods  = 1
  metric_name         = "Failed"
  namespace           = "Shop"
  period              = 60
  statistic           = "Sum"
  threshold           = 1
}
resource "aws_cloudwatch_dashboard" "this" {
  dashboard_name = "awkward"
  dashboard_body = jsonencode({ widgets = [{ type = "text", properties = { markdown = var.list[0] } }] })
}
output "read" {
  value = [aws_cloudwatch_metric_alarm.this.alarm_description, var.nested]
}
""",
        awkward(),
    )
    terraform.apply()
    assert aws.client("ssm").get_parameter(Name="/awkward")["Parameter"]["Value"] == AWKWARD
    (alarm,) = aws.client("cloudwatch").describe_alarms(AlarmNames=["awkward"])["MetricAlarms"]
    assert alarm["AlarmDescription"] == AWKWARD
    body = json.loads(aws.client("cloudwatch").get_dashboard(DashboardName="awkward")["DashboardBody"])
    assert body["widgets"][0]["properties"]["markdown"] == AWKWARD
    changes = terraform.plan()
    assert [changes[kind] for kind in ("add", "change", "remove")] == [0, 0, 0]
    assert terraform.output()["read"] == [AWKWARD, awkward()["nested"]]
    assert terraform.destroy()["remove"] == 3


@pytest.mark.terraform
@pytest.mark.emulator
def test_two_provider_blocks_keep_their_regions_and_default_tags(
    root: Callable[[str], Terraform], aws: Any
) -> None:
    terraform = root(
        """
        provider "aws" {
          alias      = "oregon"
          region     = "us-west-2"
          access_key = "test"
          secret_key = "test"

          endpoints {
            sqs = var.endpoint
          }
        }

        resource "aws_sqs_queue" "near" {
          name = "cycle-near"
        }

        resource "aws_sqs_queue" "far" {
          provider = aws.oregon
          name     = "cycle-far"
        }

        resource "aws_sqs_queue" "farther" {
          region = "eu-west-1"
          name   = "cycle-farther"
        }

        output "queues" {
          value = [for queue in [aws_sqs_queue.near, aws_sqs_queue.far, aws_sqs_queue.farther] :
            [split(":", queue.arn)[3], queue.tags_all]]
        }

        data "aws_region" "current" {}
        data "aws_partition" "current" {}

        output "where" {
          value = [data.aws_region.current.description, data.aws_partition.current.partition]
        }
        """
    )
    try:
        terraform.apply()
        assert terraform.output() == {
            "queues": [
                ["ap-northeast-1", {"project": "cycle"}],
                ["us-west-2", {}],
                ["eu-west-1", {"project": "cycle"}],
            ],
            "where": ["Asia Pacific (Tokyo)", "aws"],
        }
    finally:
        assert terraform.destroy()["remove"] == 3


@pytest.mark.terraform
@pytest.mark.emulator
@pytest.mark.usefixtures("forget")
def test_the_terraform_of_the_wheel_works_with_the_stand_in(
    root: Callable[[str], Terraform], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    install(tmp_path / "bin", "1.10.5", monkeypatch)
    terraform = root(QUEUE)
    try:
        assert terraform.apply()["add"] == 1
        plan = terraform.plan()
        assert (plan["add"], plan["change"], plan["remove"]) == (0, 0, 0)
    finally:
        assert terraform.destroy()["remove"] == 1
    assert command.terraform_version().startswith("1.15")


@pytest.mark.terraform
@pytest.mark.emulator
def test_what_failed_after_it_was_made_is_kept_in_the_state(
    root: Callable[[str], Terraform], aws: Any
) -> None:
    """A role that does not let Lambda in: the function fails, the role stays known and is destroyed later."""
    terraform = root(
        """
        resource "aws_iam_role" "this" {
          name               = "cycle-partial"
          assume_role_policy = jsonencode({ Version = "2012-10-17", Statement = [] })
        }

        resource "aws_iam_role_policy" "this" {
          role   = aws_iam_role.this.name
          policy = jsonencode({ Statement = "not a policy" })
        }
        """
    )
    try:
        with pytest.raises(TerraformError, match="MalformedPolicyDocument"):
            terraform.apply()
        assert terraform.resources() == ["aws_iam_role.this"]
    finally:
        assert terraform.destroy()["remove"] == 1
