"""`make apply` and `make destroy` change what somebody saw and agreed to, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from deploy.change import Protected, carry_out
from deploy.offline import provider_block
from deploy.plan import PlanFiles
from deploy.terraform import Terraform, stand_in
from local.emulator import Emulator
from tests.deploy.conftest import REPOSITORY, Repository, Terminal

pytestmark = pytest.mark.terraform
AtTerminal = Callable[..., Terminal]
QUESTION = "goes on: "


@pytest.mark.parametrize(("environment", "word"), [("dev", "yes"), ("stg", "yes"), ("prod", "prod")])
def test_apply_asks_for_the_word_and_then_applies(
    environment: str, word: str, repository: Repository, at_terminal: AtTerminal
) -> None:
    terminal = at_terminal("apply", environment)
    terminal.await_text(QUESTION)
    assert repository.values(environment) == []

    terminal.press(f"{word}\n")

    assert terminal.end() == 0
    assert repository.values(environment) == ["one"]
    assert "terraform_data.this will be created" in terminal.text


@pytest.mark.parametrize(
    ("environment", "word"), [("dev", "no"), ("dev", ""), ("dev", "y"), ("prod", "yes"), ("prod", "dev")]
)
def test_another_word_changes_nothing(
    environment: str, word: str, repository: Repository, at_terminal: AtTerminal
) -> None:
    terminal = at_terminal("apply", environment)
    terminal.await_text(QUESTION)
    terminal.press(f"{word}\n")

    assert terminal.end() == 1
    assert "nothing was changed" in terminal.text
    assert repository.values(environment) == []


@pytest.mark.parametrize(("key", "status"), [("\x04", 1), ("\x03", 130)], ids=["Ctrl-D", "Ctrl-C"])
def test_leaving_at_the_question_changes_nothing(
    key: str, status: int, repository: Repository, at_terminal: AtTerminal
) -> None:
    terminal = at_terminal("apply", "dev")
    terminal.await_text(QUESTION)
    terminal.press(key)

    assert terminal.end() == status
    assert "Traceback" not in terminal.text
    assert repository.values("dev") == []


def test_what_is_applied_is_the_plan_that_was_shown(repository: Repository, at_terminal: AtTerminal) -> None:
    terminal = at_terminal("apply", "dev")
    terminal.await_text(QUESTION)
    repository.write("dev", "two")
    terminal.press("yes\n")

    assert terminal.end() == 0
    assert repository.values("dev") == ["one"]


def test_consent_given_beforehand_does_not_answer_at_a_terminal(
    repository: Repository, at_terminal: AtTerminal
) -> None:
    terminal = at_terminal("apply", "prod", "--consent", "prod")
    terminal.await_text(QUESTION)
    terminal.press("\n")

    assert terminal.end() == 1
    assert repository.values("prod") == []


@pytest.mark.parametrize("environment", ["dev", "prod"])
def test_without_a_terminal_the_environment_s_name_is_consent(
    environment: str, repository: Repository
) -> None:
    done = repository.run("apply", environment, "--consent", environment)

    assert done.returncode == 0, done.stderr
    assert repository.values(environment) == ["one"]


@pytest.mark.parametrize("consent", ["", "1", "yes", "dev"])
def test_without_a_terminal_anything_else_is_refused_before_a_plan(
    consent: str, repository: Repository
) -> None:
    done = repository.run("apply", "prod", "--consent", consent)

    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "YES=prod" in done.stderr
    assert not (repository.path / "dist").exists()


def test_applying_twice_asks_once(repository: Repository, at_terminal: AtTerminal) -> None:
    repository.run("apply", "dev", "--consent", "dev")
    terminal = at_terminal("apply", "dev")

    assert terminal.end() == 0
    assert "nothing to do" in terminal.text
    assert QUESTION not in terminal.text


@pytest.mark.parametrize(("environment", "word"), [("dev", "yes"), ("stg", "stg"), ("prod", "prod")])
def test_destroy_asks_for_the_word_and_then_destroys(
    environment: str, word: str, repository: Repository, at_terminal: AtTerminal
) -> None:
    repository.run("apply", environment, "--consent", environment)
    terminal = at_terminal("destroy", environment)
    terminal.await_text(QUESTION)
    assert "delete: terraform_data.this" in terminal.text
    terminal.press(f"{word}\n")

    assert terminal.end() == 0
    assert repository.values(environment) == []


@pytest.mark.parametrize("environment", ["stg", "prod"])
def test_destroy_of_what_others_use_takes_its_name(
    environment: str, repository: Repository, at_terminal: AtTerminal
) -> None:
    repository.run("apply", environment, "--consent", environment)
    terminal = at_terminal("destroy", environment)
    terminal.await_text(QUESTION)
    terminal.press("yes\n")

    assert terminal.end() == 1
    assert repository.values(environment) == ["one"]


@pytest.mark.parametrize(("environment", "status"), [("dev", 0), ("stg", 2), ("prod", 2)])
def test_without_a_terminal_only_dev_is_destroyed(
    environment: str, status: int, repository: Repository
) -> None:
    repository.run("apply", environment, "--consent", environment)
    done = repository.run("destroy", environment, "--consent", environment)

    assert done.returncode == status, done.stderr
    assert repository.values(environment) == ([] if status == 0 else ["one"])


def test_terraform_s_failure_is_told_and_ends_with_status_1(repository: Repository) -> None:
    (repository.path / "envs" / "dev" / "broken.tf").write_text("resource {}\n", encoding="utf-8")
    done = repository.run("apply", "dev", "--consent", "dev")

    assert done.returncode == 1
    assert "broken.tf" in done.stderr
    assert "Traceback" not in done.stderr


_TABLE = """
module "table" {{
  source = "{module}"

  name                = "protected"
  partition_key       = "pk"
  deletion_protection = true
}}
"""


@pytest.mark.emulator
def test_destroy_that_would_stop_half_way_is_refused_before_it_begins(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    with Emulator.start(log=tmp_path / "log") as aws, stand_in(aws.credentials_env()) as environment:
        text = _TABLE.format(module=REPOSITORY / "modules" / "job-table")
        provider = provider_block(aws.endpoint, {"region": '"ap-northeast-1"'})
        (root / "main.tf").write_text(text + provider, encoding="utf-8")
        terraform = Terraform(root, environment, data_dir=tmp_path / "data")
        terraform.init()
        terraform.apply()
        before = terraform.resources()

        with pytest.raises(Protected, match=r"module\.table\.aws_dynamodb_table\.this"):
            carry_out(
                terraform,
                PlanFiles.of(tmp_path / "plans", "dev.destroy"),
                "destroy dev",
                Console(),
                lambda _found: True,
                "-destroy",
            )

        assert terraform.resources() == before
