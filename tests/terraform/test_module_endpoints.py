"""A job's queue that is limited to VPC endpoints, as `platform` and `monthly-job` plan it."""

import json
import shutil
from pathlib import Path

import pytest

from deploy.offline import provider_block
from deploy.terraform import Terraform
from local.emulator import Emulator
from tests.terraform.conftest import DIST
from tests.terraform.modules import MODULES
from tests.terraform.plans import Plan

pytestmark = [pytest.mark.terraform, pytest.mark.emulator]

ENDPOINT = "vpce-0a1b2c3d"
ROLE = "arn:aws:iam::111122223333:role/near-charge-{function}-ap-northeast-1"


def test_others_send_through_the_endpoints_and_the_job_s_functions_from_anywhere(
    aws: Emulator, attached: dict[str, str], tmp_path: Path
) -> None:
    shutil.copytree(MODULES, tmp_path / "modules")
    provider = provider_block(aws.endpoint, {"region": '"ap-northeast-1"'})
    (tmp_path / "provider.tf").write_text(provider, encoding="utf-8")
    platform = {
        "source": "./modules/platform",
        "name": "near",
        "dist": str(DIST),
        "timezone": "Asia/Tokyo",
        "jobs": {"charge": {"vpc_endpoint_ids": [ENDPOINT], "redriver": {}}, "co2": {}},
        "alerts": {
            "runbook_url": "https://git.example.com/runbook.md",
            "email": {"on-call": {"address": "on-call@example.com"}},
        },
    }
    (tmp_path / "main.tf.json").write_text(json.dumps({"module": {"near": platform}}), encoding="utf-8")
    root = Terraform(
        tmp_path, attached, data_dir=tmp_path / "terraform", state=tmp_path / "terraform.tfstate"
    )
    root.init()

    limits = {
        address: statement
        for address, policy in Plan.of(root, tmp_path / "plans").resources("aws_sqs_queue_policy").items()
        for statement in json.loads(policy["policy"])["Statement"]
        if statement.get("Sid") == "DenySendOutsideVpcEndpoints"
    }

    (limited,) = limits
    assert limited.startswith('module.near.module.job["charge"].module.queue.')
    assert "dead_letter" not in limited, "the consumer sends there, from outside of the VPC"
    condition = limits[limited]["Condition"]
    assert condition["StringNotEquals"] == {"aws:SourceVpce": ENDPOINT}
    assert condition["Bool"] == {"aws:PrincipalIsAWSService": "false"}
    assert set(condition["ArnNotEquals"]["aws:PrincipalArn"]) == {
        ROLE.format(function=function) for function in ("auditor", "dispatcher", "redriver")
    }
    assert limits[limited]["Effect"] == "Deny"
