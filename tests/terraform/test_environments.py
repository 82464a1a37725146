"""dev, stg and prod: what their plans say, and that they differ in what their roots say and nothing else."""

import json
from typing import Any

import pytest

from local.emulator import Emulator
from local.terraform import TerraformError
from tests.terraform.modules import REPOSITORY, bare, read_hcl
from tests.terraform.offline import planned
from tests.terraform.plans import Plan

pytestmark = [pytest.mark.terraform, pytest.mark.emulator]
SHARED = ("dev", "stg", "prod")
ACCOUNT = "111122223333"


@pytest.fixture(scope="module")
def plans(
    aws: Emulator, attached: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Plan]:
    return {
        name: planned(name, aws, attached, tmp_path_factory.mktemp(name), {"account_id": ACCOUNT})
        for name in SHARED
    }


def _settings(plan: Plan, environment: str) -> dict[str, Any]:
    """Every planned value by address and attribute, with the environment's own name taken out."""
    values: dict[str, Any] = {}
    for change in plan.document["resource_changes"]:
        if change["mode"] == "managed":
            for attribute, value in change["change"]["after"].items():
                text = json.dumps(value, sort_keys=True).replace(f"fanout-{environment}", "fanout-ENV")
                values[f"{change['address']}.{attribute}"] = text.replace(f'"{environment}"', '"ENV"')
    return values


def _differing(plans: dict[str, Plan], one: str, other: str) -> set[str]:
    first, second = _settings(plans[one], one), _settings(plans[other], other)
    return {key for key in first.keys() | second.keys() if first.get(key) != second.get(key)}


def test_all_are_made_of_the_same_resources(plans: dict[str, Plan]) -> None:
    addresses = {name: sorted(plan.addresses()) for name, plan in plans.items()}

    assert addresses["dev"] == addresses["stg"] == addresses["prod"]
    assert len(addresses["prod"]) == 83


def test_stg_and_prod_differ_in_the_values_of_their_roots_only(plans: dict[str, Plan]) -> None:
    key = {"environment key", "table key", "log key", "queue key", "schedule key", "policies of the key"}
    differing = _differing(plans, "stg", "prod")
    kinds = {
        ("aws_cloudwatch_log_group", "retention_in_days"): "log_retention_days",
        ("aws_cloudwatch_log_group", "kms_key_id"): "log key",
        ("aws_lambda_function", "kms_key_arn"): "environment key",
        ("aws_lambda_function", "environment"): "group_scope",
        ("aws_lambda_event_source_mapping", "scaling_config"): "maximum_concurrency",
        ("aws_sqs_queue", "deduplication_scope"): "high_throughput",
        ("aws_sqs_queue", "fifo_throughput_limit"): "high_throughput",
        ("aws_sqs_queue", "kms_master_key_id"): "queue key",
        ("aws_sqs_queue", "kms_data_key_reuse_period_seconds"): "queue key",
        ("aws_sqs_queue", "sqs_managed_sse_enabled"): "queue key",
        ("aws_dynamodb_table", "server_side_encryption"): "table key",
        ("aws_scheduler_schedule", "kms_key_arn"): "schedule key",
        ("aws_iam_role_policy", "policy"): "policies of the key",
    }
    found = set()
    for path in differing:
        resource, _, attribute = path.rpartition(".")
        kind = next(kind for kind, name in kinds if f".{kind}." in f"{resource}." and name == attribute)
        found.add(kinds[kind, attribute])

    assert found == {"log_retention_days", "group_scope", "maximum_concurrency", "high_throughput"} | key


def test_prod_keeps_what_it_holds(plans: dict[str, Plan]) -> None:
    tables = plans["prod"].resources("aws_dynamodb_table")

    assert len(tables) == 3
    for table in tables.values():
        assert table["deletion_protection_enabled"]
        assert table["point_in_time_recovery"][0]["enabled"]
        assert table["server_side_encryption"][0]["enabled"]
    for group in plans["prod"].resources("aws_cloudwatch_log_group").values():
        assert group["retention_in_days"] == 365


def test_dev_runs_nothing_by_itself(plans: dict[str, Plan]) -> None:
    states = {
        name: {schedule["state"] for schedule in plan.resources("aws_scheduler_schedule").values()}
        for name, plan in plans.items()
    }

    assert states == {"dev": {"DISABLED"}, "stg": {"ENABLED"}, "prod": {"ENABLED"}}


def test_every_role_is_bounded(plans: dict[str, Plan]) -> None:
    for plan in plans.values():
        for role in plan.resources("aws_iam_role").values():
            assert role["permissions_boundary"] == f"arn:aws:iam::{ACCOUNT}:policy/fanout-boundary"


def test_policies_are_known_at_plan_with_a_customer_key_too(plans: dict[str, Plan]) -> None:
    for name, plan in plans.items():
        for address, policy in plan.resources("aws_iam_role_policy").items():
            assert policy["policy"], f"{name}: {address}"


@pytest.mark.parametrize("name", SHARED)
def test_plan_in_another_account_is_refused(
    name: str, aws: Emulator, attached: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    with pytest.raises(TerraformError, match=r"(?i)account"):
        planned(name, aws, attached, tmp_path_factory.mktemp(name), {"account_id": "999988887777"})


@pytest.mark.parametrize("name", [*SHARED, "bootstrap"])
def test_provider_is_locked_for_every_platform(name: str) -> None:
    lock = (REPOSITORY / "envs" / name / ".terraform.lock.hcl").read_text(encoding="utf-8")
    (entry,) = read_hcl(REPOSITORY / "envs" / name / ".terraform.lock.hcl")["provider"]
    provider = entry['"registry.terraform.io/hashicorp/aws"']

    assert bare(provider["version"]) == "6.45.0"
    assert bare(provider["constraints"]) == ">= 6.28.0, < 7.0.0"
    assert lock.count('"zh:') == 15
    assert lock.count('"h1:') == 14


@pytest.mark.parametrize("name", SHARED)
def test_state_is_locked_encrypted_and_in_the_environment_s_own_account(name: str) -> None:
    folder = REPOSITORY / "envs" / name
    (terraform,) = read_hcl(folder / "versions.tf")["terraform"]
    (backend,) = terraform["backend"]
    settings = backend['"s3"']
    values = read_hcl(folder / "terraform.tfvars")

    assert settings["use_lockfile"] is True
    assert settings["encrypt"] is True
    assert bare(settings["key"]) == f"{name}/terraform.tfstate"
    assert bare(settings["bucket"]) == f"tfstate-fanout-{bare(values['account_id'])}"
