"""monthly-job with a bucket for payloads: whose objects its functions may touch, and by which key."""

import json
from typing import Any

import pytest

from deploy.offline import provider_block
from deploy.terraform import Terraform
from local.emulator import Emulator
from tests.support.policies import Check, allowed
from tests.terraform.conftest import DIST
from tests.terraform.modules import MODULES
from tests.terraform.plans import Plan

pytestmark = [pytest.mark.terraform, pytest.mark.emulator]

BUCKET = "arn:aws:s3:::prod-payloads"
KEY = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d"
VIA_S3 = {"kms:ViaService": "s3.ap-northeast-1.amazonaws.com"}


def _table(name: str) -> dict[str, str]:
    return {"name": name, "arn": f"arn:aws:dynamodb:ap-northeast-1:111122223333:table/{name}"}


@pytest.fixture(scope="module")
def policies(
    aws: Emulator, attached: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[str]]:
    """The planned policies of each function's role, by the function."""
    folder = tmp_path_factory.mktemp("payloads")
    (folder / "modules").symlink_to(MODULES)
    job: dict[str, Any] = {
        "source": "./modules/monthly-job",
        "name": "prod-charge",
        "job": "charge",
        "tables": {"jobs": _table("jobs"), "directory": _table("directory")},
        "schedule": {"timezone": "Asia/Tokyo"},
        "dispatcher": {"package": str(DIST / "monthly_dispatcher.zip")},
        "auditor": {"package": str(DIST / "run_auditor.zip")},
        "consumer": {
            "package": str(DIST / "charge_consumer.zip"),
            "handler": "charge_consumer.handler.handler",
        },
        "payloads": {"bucket_name": "prod-payloads", "bucket_arn": BUCKET, "kms_key_arn": KEY},
    }
    (folder / "main.tf.json").write_text(json.dumps({"module": {"charge": job}}), encoding="utf-8")
    provider = provider_block(aws.endpoint, {"region": '"ap-northeast-1"'})
    (folder / "provider.tf").write_text(provider, encoding="utf-8")
    root = Terraform(folder, attached, data_dir=folder / "terraform", state=folder / "terraform.tfstate")
    root.init()
    found: dict[str, list[str]] = {"dispatcher": [], "auditor": [], "consumer": []}
    for planned in Plan.of(root, folder).resources("aws_iam_role_policy").values():
        for who, documents in found.items():
            if planned["role"].startswith(f"prod-charge-{who}-"):
                documents.append(planned["policy"])
    return found


REQUESTS = [
    ("dispatcher", Check("s3:PutObject", f"{BUCKET}/charge/2026-01/k/h.json"), True),
    ("dispatcher", Check("s3:PutObject", f"{BUCKET}/co2/2026-01/k/h.json"), False),
    ("dispatcher", Check("s3:PutObject", f"{BUCKET}/charge-2/x"), False),
    ("dispatcher", Check("s3:GetObject", f"{BUCKET}/charge/x"), False),
    ("dispatcher", Check("kms:GenerateDataKey", KEY, VIA_S3), True),
    ("dispatcher", Check("kms:GenerateDataKey", KEY), False),
    ("auditor", Check("s3:PutObject", f"{BUCKET}/charge/x"), True),
    ("auditor", Check("s3:PutObject", f"{BUCKET}/co2/x"), False),
    ("consumer", Check("s3:GetObject", f"{BUCKET}/charge/x"), True),
    ("consumer", Check("s3:GetObject", f"{BUCKET}/co2/x"), False),
    ("consumer", Check("s3:PutObject", f"{BUCKET}/charge/x"), False),
    ("consumer", Check("s3:ListBucket", BUCKET, {"s3:prefix": "charge/x"}), True),
    ("consumer", Check("s3:ListBucket", BUCKET, {"s3:prefix": "co2/x"}), False),
    ("consumer", Check("s3:ListBucket", BUCKET, {"s3:prefix": ""}), False),
    ("consumer", Check("s3:ListBucket", BUCKET), False),
    ("consumer", Check("kms:Decrypt", KEY, VIA_S3), True),
    ("consumer", Check("kms:Decrypt", KEY), False),
]


@pytest.mark.parametrize(
    ("who", "check", "verdict"), REQUESTS, ids=[f"{who}-{n}" for n, (who, _, _) in enumerate(REQUESTS)]
)
def test_payloads_of_the_job_alone(
    who: str, check: Check, verdict: bool, aws: Emulator, policies: dict[str, list[str]]
) -> None:
    assert allowed(aws, policies[who], check) is verdict
