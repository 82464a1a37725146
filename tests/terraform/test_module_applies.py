"""Every module is made for real on the local AWS by its examples, planned again, and taken away."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.offline import provider_block
from deploy.terraform import Terraform
from local.emulator import Emulator
from tests.terraform.conftest import Record
from tests.terraform.modules import MODULES
from tests.terraform.plans import Plan
from tests.terraform.test_module_examples import EXAMPLES, values_of

# MiniStack keeps no period of recovery, so a plan asks for it again.
NOT_TOLD_BY_THE_LOCAL_AWS = {("aws_dynamodb_table", "point_in_time_recovery")}

# The full examples hold what the minimal ones do; containers and their scaling are not here.
PLANNED_ONLY = {"minimal", "container-scaling"}

pytestmark = [pytest.mark.terraform, pytest.mark.emulator]


@pytest.fixture(scope="module", autouse=True)
def boundary(aws: Emulator) -> Iterator[None]:
    """The permissions boundary that the full examples name."""
    iam = aws.client("iam")
    everything = {"Effect": "Allow", "Action": "*", "Resource": "*"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [everything]})
    arn = iam.create_policy(PolicyName="boundary", PolicyDocument=document)["Policy"]["Arn"]
    yield
    iam.delete_policy(PolicyArn=arn)


@pytest.mark.parametrize(
    "example",
    [folder for folder in EXAMPLES if folder.name not in PLANNED_ONLY],
    ids=lambda folder: f"{folder.parents[1].name}/{folder.name}",
)
def test_example_applies_once_and_leaves_nothing(
    example: Path, aws: Emulator, attached: dict[str, str], tmp_path: Path, record_property: Record
) -> None:
    shutil.copytree(MODULES, tmp_path / "modules")
    copy = tmp_path / "modules" / example.relative_to(MODULES)
    provider = provider_block(aws.endpoint, {"region": '"ap-northeast-1"'})
    (copy / "provider.tf").write_text(provider, encoding="utf-8")
    root = Terraform(
        copy,
        attached,
        values_of(example),
        data_dir=tmp_path / "terraform",
        state=tmp_path / "terraform.tfstate",
    )
    root.init()
    try:
        made = root.apply()["add"]
        changes = Plan.of(root, tmp_path).changes()
        for name in _tables(root):  # what is protected has to be unprotected first
            aws.client("dynamodb").update_table(TableName=name, DeletionProtectionEnabled=False)
    finally:
        removed = root.destroy()["remove"]

    unexpected, left = changes - NOT_TOLD_BY_THE_LOCAL_AWS, root.resources()
    record_property("module", example.parents[1].name)
    record_property("resources", made)
    record_property("second-plan changes", len(unexpected))
    record_property("left over", len(left))
    assert made == removed > 0
    assert not unexpected
    assert not left


def _tables(root: Terraform) -> list[str]:
    """The names of the tables in the state."""
    found: list[str] = []
    modules = [root.show_json()["values"]["root_module"]]
    while modules:
        module = modules.pop()
        modules += module.get("child_modules", [])
        found += [
            resource["values"]["name"]
            for resource in module.get("resources", [])
            if resource["type"] == "aws_dynamodb_table"
        ]
    return found
