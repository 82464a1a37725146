"""A changed input changes what it belongs to, and nothing else."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deploy.offline import provider_block
from deploy.terraform import Terraform
from local.emulator import Emulator
from tests.terraform.conftest import DIST
from tests.terraform.modules import MODULES
from tests.terraform.plans import Plan

pytestmark = [pytest.mark.terraform, pytest.mark.emulator]
Arguments = dict[str, Any]
Planner = Callable[[Arguments], set[tuple[str, str]]]

TABLE = "arn:aws:dynamodb:ap-northeast-1:111122223333:table/changes-"
CONSUMER = {"package": str(DIST / "charge_consumer.zip"), "handler": "charge_consumer.handler.handler"}
DISPATCHER = {"package": str(DIST / "monthly_dispatcher.zip")}
ARGUMENTS: Arguments = {
    "source": "./modules/monthly-job",
    "name": "changes-charge",
    "job": "charge",
    "tables": {name: {"name": f"changes-{name}", "arn": TABLE + name} for name in ("jobs", "directory")},
    "schedule": {"timezone": "Asia/Tokyo"},
    "dispatcher": DISPATCHER,
    "consumer": CONSUMER,
}

MAPPING, FUNCTION, QUEUE = "aws_lambda_event_source_mapping", "aws_lambda_function", "aws_sqs_queue"
SCHEDULE, LOGS, ROLE = "aws_scheduler_schedule", "aws_cloudwatch_log_group", "aws_iam_role_policy"
CHANGES: dict[str, tuple[Arguments, set[tuple[str, str]]]] = {
    "maximum concurrency": (
        {"consumer": CONSUMER | {"maximum_concurrency": 20}},
        {(MAPPING, "scaling_config")},
    ),
    "batch size": ({"consumer": CONSUMER | {"batch_size": 5}}, {(MAPPING, "batch_size")}),
    "consumer's timeout": (
        {"consumer": CONSUMER | {"timeout_seconds": 90}},
        {(FUNCTION, "timeout"), (QUEUE, "visibility_timeout_seconds")},
    ),
    "consumer's memory": ({"consumer": CONSUMER | {"memory_mb": 512}}, {(FUNCTION, "memory_size")}),
    "attempts": ({"consumer": CONSUMER | {"max_attempts": 3}}, {(FUNCTION, "environment")}),
    "halted groups": (
        {"consumer": CONSUMER | {"on_quarantine": "halt-group"}},
        {(FUNCTION, "environment"), (ROLE, "policy")},
    ),
    "receives": (
        {"queue": {"maximum_receive_count": 300}},
        # The consumer counts on its own and is not told.
        {("aws_sqs_queue_redrive_policy", "redrive_policy")},
    ),
    "retention": ({"queue": {"retention_seconds": 604800}}, {(QUEUE, "message_retention_seconds")}),
    "time of the run": (
        {"schedule": {"timezone": "Asia/Tokyo", "expression": "cron(0 5 1 * ? *)"}},
        {(SCHEDULE, "schedule_expression")},
    ),
    "timezone": (
        {"schedule": {"timezone": "UTC"}},
        {(SCHEDULE, "schedule_expression_timezone"), (FUNCTION, "environment")},
    ),
    "days of logs": ({"observability": {"log_retention_days": 30}}, {(LOGS, "retention_in_days")}),
    "group scope": ({"dispatcher": DISPATCHER | {"group_scope": "wallet"}}, {(FUNCTION, "environment")}),
}
# Lambda gives a changed function a new date; the provider cannot know it before.
FOLLOWS = {(FUNCTION, "last_modified")}


@pytest.fixture(scope="module")
def planner(
    aws: Emulator, attached: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Planner]:
    """Applies the job once; then plans it with other arguments and tells what would change."""
    folder = tmp_path_factory.mktemp("changes")
    shutil.copytree(MODULES, folder / "modules")
    provider = provider_block(aws.endpoint, {"region": '"ap-northeast-1"'})
    (folder / "provider.tf").write_text(provider, encoding="utf-8")
    call = folder / "main.tf.json"
    root = Terraform(folder, attached, data_dir=folder / "terraform", state=folder / "terraform.tfstate")

    def write(arguments: Arguments) -> None:
        call.write_text(json.dumps({"module": {"charge": arguments}}), encoding="utf-8")

    def changes(changed: Arguments) -> set[tuple[str, str]]:
        write(ARGUMENTS | changed)
        return Plan.of(root, folder).changes()

    write(ARGUMENTS)
    root.init()
    root.apply()
    yield changes
    write(ARGUMENTS)
    root.destroy()


def test_no_change_is_no_diff(planner: Planner) -> None:
    assert planner({}) == set()


@pytest.mark.parametrize("changed", CHANGES)
def test_change_stays_where_it_belongs(changed: str, planner: Planner) -> None:
    arguments, expected = CHANGES[changed]

    assert planner(arguments) - FOLLOWS == expected


def test_other_content_of_a_zip_replaces_the_code_of_its_function_only(
    planner: Planner, tmp_path: Path
) -> None:
    package = tmp_path / "charge_consumer.zip"
    package.write_bytes((DIST / "charge_consumer.zip").read_bytes() + b"\0")

    assert planner({"consumer": CONSUMER | {"package": str(package)}}) - FOLLOWS == {
        (FUNCTION, "filename"),
        (FUNCTION, "source_code_hash"),
        (FUNCTION, "code_sha256"),
        (FUNCTION, "source_code_size"),
    }
