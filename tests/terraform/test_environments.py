"""dev, stg and prod: what their plans say, and that they differ in what their roots say and nothing else."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from deploy.differences import Difference, Side, differences
from deploy.offline import Offline, copied
from deploy.plan import PlanFiles
from deploy.terraform import Terraform, TerraformError
from local.emulator import Emulator
from tests.terraform.conftest import DIST
from tests.terraform.modules import REPOSITORY, bare, read_hcl
from tests.terraform.plans import Plan

pytestmark = [pytest.mark.terraform, pytest.mark.emulator]
ENVS = REPOSITORY / "envs"
SHARED = ("dev", "stg", "prod")
OWN = {"name"}  # an argument that holds the environment's own name


@pytest.fixture(scope="module")
def offline(aws: Emulator, attached: dict[str, str]) -> Offline:
    return Offline(aws.endpoint, attached)


@pytest.fixture(scope="module")
def plans(offline: Offline, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Plan]:
    folders = {name: tmp_path_factory.mktemp(name) for name in SHARED}
    return {
        name: Plan.of(offline.root(ENVS / name, folder, DIST), folder) for name, folder in folders.items()
    }


def _account(environment: str) -> str:
    return str(bare(read_hcl(ENVS / environment / "terraform.tfvars")["account_id"]))


def _arguments(environment: str) -> dict[str, Any]:
    """What a root hands to `platform`, as Terraform's JSON syntax has it; its variables by their values."""
    (entry,) = read_hcl(ENVS / environment / "main.tf")["module"]
    values = read_hcl(ENVS / environment / "terraform.tfvars")
    variables = {f"${{var.{name}}}": bare(value) for name, value in values.items()}

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {bare(key): plain(item) for key, item in value.items()}
        if isinstance(value, list):
            return [plain(item) for item in value]
        return variables.get(value, bare(value)) if isinstance(value, str) else value

    return {name: plain(value) for name, value in entry['"platform"'].items() if not name.startswith("__")}


def _settings(arguments: Mapping[str, Any]) -> dict[tuple[str, ...], Any]:
    """Each value of a root by its path: what is set for a job, or for everything."""
    found: dict[tuple[str, ...], Any] = {}
    for name, value in arguments.items():
        if name == "jobs":
            found |= {(name, job, key): item for job, keys in value.items() for key, item in keys.items()}
        else:
            found[name,] = value
    return found


def _unnamed(value: Any, environment: str) -> str:
    """A value without the environment's name, which all have in the same places."""
    return json.dumps(value, sort_keys=True).replace(f"fanout-{environment}", "fanout")


def _side(plan: Plan, environment: str) -> Side:
    return Side(environment, plan.document)


def test_all_are_made_of_the_same_resources(plans: dict[str, Plan]) -> None:
    addresses = {name: sorted(plan.addresses()) for name, plan in plans.items()}

    assert addresses["dev"] == addresses["stg"] == addresses["prod"]
    assert len(addresses["prod"]) == 284


@pytest.mark.parametrize("name", SHARED)
def test_all_that_a_function_is_told_is_known_at_plan(plans: dict[str, Plan], name: str) -> None:
    """The provider plans a map with one unknown value as unknown, and a gate then reads none of it."""
    functions = plans[name].resources("aws_lambda_function")
    assert len(functions) == 7
    for function in functions.values():
        (environment,) = function["environment"]
        assert environment["variables"]["POWERTOOLS_SERVICE_NAME"]


def _hidden_metrics(change: Mapping[str, Any]) -> list[str]:
    """The metrics of an alarm whose dimensions are known after the apply only."""
    after, unknown = change["after"], change["after_unknown"]
    found = [after["metric_name"]] if unknown.get("dimensions") is True else []
    for query, marks in zip(after["metric_query"], unknown.get("metric_query", []), strict=False):
        for metric, mark in zip(query["metric"], marks.get("metric", []), strict=True):
            found += [metric["metric_name"]] if mark.get("dimensions") is True else []
    return found


@pytest.mark.parametrize("name", SHARED)
def test_all_that_an_alarm_watches_is_known_at_plan_but_a_mapping_s_uuid(
    plans: dict[str, Plan], name: str
) -> None:
    hidden: list[str] = []
    for change in plans[name].document["resource_changes"]:
        if change["type"] == "aws_cloudwatch_metric_alarm":
            hidden += _hidden_metrics(change["change"])
    assert set(hidden) == {
        "DeletedEventCount",
        "FailedInvokeEventCount",
        "FilteredOutEventCount",
        "PolledEventCount",
    }
    assert len(hidden) == 3 * 5  # three mappings; PolledEventCount twice


def test_difference_of_stg_and_prod_is_that_of_the_values_in_their_roots(
    plans: dict[str, Plan], offline: Offline, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Each value of prod, put alone into stg, makes its part of the difference; the parts are all of it."""
    stg, prod = _arguments("stg"), _arguments("prod")
    ours, theirs = _settings(stg), _settings(prod)
    differing = {
        path
        for path in ours.keys() | theirs.keys()
        if path[0] not in OWN and _unnamed(ours.get(path), "stg") != _unnamed(theirs.get(path), "prod")
    }

    def alone(path: tuple[str, ...]) -> set[str]:
        folder = tmp_path_factory.mktemp("alone")
        value = theirs.get(path)  # null where prod leaves the default
        if path[0] == "jobs":
            _, job, key = path
            value = stg["jobs"] | {job: stg["jobs"][job] | {key: value}}
        elif isinstance(value, str):
            value = value.replace(_account("prod"), _account("stg"))
        root = copied(ENVS / "stg", offline.endpoint, folder, DIST)
        override = {"module": {"platform": {path[0]: value}}}
        (root / "value_override.tf.json").write_text(json.dumps(override), encoding="utf-8")
        terraform = Terraform(root, offline.environment, data_dir=folder / "terraform")
        terraform.init()
        return _told(differences(_side(plans["stg"], "stg"), _side(Plan.of(terraform, folder), "stg")))

    parts = {path: alone(path) for path in differing}
    whole = _told(differences(_side(plans["stg"], "stg"), _side(plans["prod"], "prod")))

    assert all(parts.values())
    assert sum(map(len, parts.values())) == len(whole)
    assert set().union(*parts.values()) == whole


def _told(found: list[Difference]) -> set[str]:
    return {repr(difference) for difference in found}


@pytest.mark.parametrize("name", SHARED)
def test_environment_is_planned_in_its_own_account(name: str, plans: dict[str, Plan]) -> None:
    text = json.dumps(plans[name].document["resource_changes"])

    assert f":{_account(name)}:" in text
    for other in set(SHARED) - {name}:
        assert _account(other) not in text


def test_prod_keeps_what_it_holds(plans: dict[str, Plan]) -> None:
    tables = {
        address: table
        for address, table in plans["prod"].resources("aws_dynamodb_table").items()
        if "module.alerts" not in address  # what is lost there is told again
    }

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
    for name, plan in plans.items():
        for role in plan.resources("aws_iam_role").values():
            assert role["permissions_boundary"] == f"arn:aws:iam::{_account(name)}:policy/fanout-boundary"


def test_policies_are_known_at_plan_with_a_customer_key_too(plans: dict[str, Plan]) -> None:
    for name, plan in plans.items():
        for address, policy in plan.resources("aws_iam_role_policy").items():
            assert policy["policy"], f"{name}: {address}"


@pytest.mark.parametrize("name", SHARED)
def test_plan_with_keys_of_another_account_is_refused(name: str, offline: Offline, tmp_path: Path) -> None:
    root = copied(ENVS / name, offline.endpoint, tmp_path, DIST, account='"999988887777"')
    terraform = Terraform(root, offline.environment, data_dir=tmp_path / "terraform")
    terraform.init()

    with pytest.raises(TerraformError, match="account 999988887777 is not allowed"):
        PlanFiles.of(tmp_path, name).make(terraform)


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
