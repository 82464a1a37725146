"""checkov beside the gate: the same rules as checks, and red where checkov alone is silently green."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from policies.rules import RULES
from policies.rules.one_resource import ONE_RESOURCE, checkov_id
from policies.scan import known_ids, main, scan
from tests.policies.conftest import PlanFile
from tests.policies.support.cases import hide, put
from tests.policies.support.command import write

REPOSITORY = Path(__file__).parents[2]
CHECKOV = REPOSITORY / ".venv" / "checkov" / "bin" / "checkov"
CONFIG = REPOSITORY / ".checkov.yaml"
Capture = pytest.CaptureFixture[str]

QUEUES = """
resource "aws_sqs_queue" "short" {
  name                      = "short"
  receive_wait_time_seconds = 0
  sqs_managed_sse_enabled   = true
}

variable "wait" {
  type = number
}

resource "aws_sqs_queue" "unknown" {
  name                      = "unknown"
  receive_wait_time_seconds = var.wait
  sqs_managed_sse_enabled   = true
}

resource "aws_sqs_queue_policy" "open" {
  queue_url = aws_sqs_queue.short.id
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Sid = "Send", Effect = "Allow", Action = "sqs:SendMessage", Resource = "*",
        Principal = { AWS = "arn:aws:iam::111122223333:role/a" }
      },
      {
        Sid = "Wide", Effect = "Allow", Action = ["*"], Resource = "*",
        Principal = { AWS = "arn:aws:iam::111122223333:role/a" }
      },
    ]
  })
}

resource "aws_lambda_event_source_mapping" "this" {
  event_source_arn = "arn:aws:sqs:eu-west-1:111122223333:charge.fifo"
  function_name    = "consumer"
  batch_size       = 100
}
"""


@pytest.fixture(scope="module")
def known() -> frozenset[str]:
    return known_ids(str(CHECKOV))


def run(*paths: Path, config: Path = CONFIG) -> int:
    return main([*map(str, paths), "--checkov", str(CHECKOV), "--config", str(config)])


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A configuration with this project's checks only."""
    ids = "".join(f"  - {checkov_id(rule_id)} # it is this project's\n" for rule_id in ONE_RESOURCE)
    folder = tmp_path / "config"
    folder.mkdir()
    return write(
        folder, f"external-checks-dir:\n  - {REPOSITORY / 'policies' / 'checkov'}\ncheck:\n{ids}", "c.yaml"
    )


def test_rules_fire_as_checks_on_source(tmp_path: Path, config: Path, known: frozenset[str]) -> None:
    write(tmp_path, QUEUES, "main.tf")
    found = scan(tmp_path, str(CHECKOV), config, known)

    failed = {tuple(line.split()[:2]) for line in found.failed}
    mapping = "aws_lambda_event_source_mapping.this"
    assert {("CKV_FO_107", "aws_sqs_queue.short"), ("CKV_FO_302", mapping), ("CKV_FO_305", mapping)} <= failed
    assert ("CKV_FO_204", "aws_sqs_queue_policy.open") in failed
    assert ("CKV_FO_107", "aws_sqs_queue.unknown") not in failed
    assert "receive_wait_time_seconds is 0; write 20" in " ".join(found.failed)
    assert found.amiss == []


def test_rules_fire_as_checks_on_plans_and_unknown_is_neither(
    plan_file: PlanFile, config: Path, known: frozenset[str]
) -> None:
    good = scan(plan_file(name="good.json"), str(CHECKOV), config, known)
    short = scan(
        plan_file(put("queue", receive_wait_time_seconds=0), name="bad.json"), str(CHECKOV), config, known
    )
    hidden = scan(
        plan_file(hide("queue", "receive_wait_time_seconds"), name="h.json"), str(CHECKOV), config, known
    )

    assert good.failed == []
    assert [line.split()[:2] for line in short.failed] == [["CKV_FO_107", "aws_sqs_queue.this"]]
    assert hidden.failed == []
    assert (good.passed - short.passed, good.passed - hidden.passed) == (1, 1)


def test_suppressions_count_with_reason_right_form_and_place(
    tmp_path: Path, config: Path, capsys: Capture
) -> None:
    def queue(name: str, inside: str = "", above: str = "") -> str:
        body = f'  name = "{name}"\n  receive_wait_time_seconds = 0\n  sqs_managed_sse_enabled = true\n'
        return f'{above}resource "aws_sqs_queue" "{name}" {{\n{inside}{body}}}\n'

    write(
        tmp_path,
        queue("right", "  #checkov:skip=CKV_FO_107:polled by hand only\n")
        + queue("dot", "  #checkov.skip=CKV_FO_107:polled by hand only\n")
        + queue("bare", "  #checkov:skip=CKV_FO_107\n")
        + queue("above", above="#checkov:skip=CKV_FO_107:polled by hand only\n")
        + queue("misspelt", "  #checkov:skip=CKV_FO_1077:polled by hand only\n"),
        "main.tf",
    )
    assert run(tmp_path, config=config) == 1
    told = capsys.readouterr().out
    for line in (
        "suppressed: CKV_FO_107 aws_sqs_queue.right: polled by hand only",
        "main.tf:8: no suppression",
        "CKV_FO_107 aws_sqs_queue.bare: suppressed without a reason",
        "main.tf:19: stands outside a block",
        "there is no check CKV_FO_1077",
    ):
        assert line in told


def test_own_configuration_is_right(tmp_path: Path, known: frozenset[str]) -> None:
    write(tmp_path, QUEUES, "main.tf")
    assert scan(tmp_path, str(CHECKOV), CONFIG, known).amiss == []


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ("CKV_AWS_99999 # long gone", "there is no check CKV_AWS_99999"),
        ("CKV_AWS_27", "CKV_AWS_27 has no reason"),
    ],
)
def test_entry_of_the_configuration_needs_a_check_and_a_reason(
    tmp_path: Path, known: frozenset[str], entry: str, says: str
) -> None:
    text = CONFIG.read_text(encoding="utf-8").replace(
        "policies/checkov", str(REPOSITORY / "policies" / "checkov")
    )
    config = write(tmp_path, text + f"  - {entry}\n", "c.yaml")
    source = tmp_path / "source"
    source.mkdir()
    write(source, QUEUES, "main.tf")
    assert any(says in line for line in scan(source, str(CHECKOV), config, known).amiss)


def test_empty_folder_is_red(tmp_path: Path, capsys: Capture) -> None:
    assert run(tmp_path) == 2
    assert "holds no .tf file" in capsys.readouterr().err


def test_file_that_cannot_be_parsed_is_red_and_named(tmp_path: Path, capsys: Capture) -> None:
    write(tmp_path, QUEUES, "main.tf")
    write(tmp_path, 'resource "aws_sqs_queue" "x" {\n  name = \n', "broken.tf")
    assert run(tmp_path) == 2
    assert "broken.tf" in capsys.readouterr().err


def test_plan_without_resources_is_red(tmp_path: Path, capsys: Capture) -> None:
    assert run(write(tmp_path, {"format_version": "1.2", "resource_changes": []})) == 2
    assert "no resources" in capsys.readouterr().err


def test_folder_without_resources_is_red(tmp_path: Path, capsys: Capture) -> None:
    write(tmp_path, 'variable "a" {\n  type = string\n}\n', "main.tf")
    assert run(tmp_path) == 2
    assert "judged no resource" in capsys.readouterr().err


def test_command_that_is_not_there_is_red(tmp_path: Path, capsys: Capture) -> None:
    write(tmp_path, QUEUES, "main.tf")
    assert main([str(tmp_path), "--checkov", str(tmp_path / "checkov")]) == 2
    assert "cannot be run" in capsys.readouterr().err


def test_every_check_is_a_rule() -> None:
    assert set(ONE_RESOURCE) <= set(RULES)
    assert json.dumps([checkov_id(rule) for rule in ONE_RESOURCE]).count("CKV_FO_") == len(set(ONE_RESOURCE))
