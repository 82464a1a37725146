"""What the documents and examples show is made for real on the local AWS, planned again, and taken away."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.offline import provider_block
from deploy.terraform import Terraform
from local.emulator import Emulator
from tests.terraform.conftest import Record
from tests.terraform.modules import MODULES
from tests.terraform.plans import Plan
from tests.terraform.snippets import WHOLE, Snippet
from tests.terraform.test_module_examples import values_of

# MiniStack keeps no period of recovery, so a plan asks for it again.
NOT_TOLD_BY_THE_LOCAL_AWS = {("aws_dynamodb_table", "point_in_time_recovery")}

PLANNED_ONLY = {"container-scaling"}  # containers and their scaling are not here

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
    "snippet", [one for one in WHOLE if one.document.parent.name not in PLANNED_ONLY], ids=str
)
def test_code_applies_once_and_leaves_nothing(
    snippet: Snippet, aws: Emulator, attached: dict[str, str], tmp_path: Path, record_property: Record
) -> None:
    folder = tmp_path / "root"
    folder.mkdir()
    snippet.write(folder, os.path.relpath(MODULES, folder))
    provider = provider_block(aws.endpoint, {"region": '"ap-northeast-1"'})
    (folder / "provider.tf").write_text(provider, encoding="utf-8")
    root = Terraform(
        folder,
        attached,
        values_of(folder),
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
    record_property("module", snippet.document.relative_to(MODULES).parts[0])
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
