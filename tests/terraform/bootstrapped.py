"""envs/bootstrap as it was applied; IAM's simulator is asked about the documents that Terraform wrote."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deploy.offline import copied
from deploy.terraform import Terraform
from local.emulator import Emulator
from tests.support.policies import Check, allowed
from tests.terraform.ci_requests import ACCOUNT, BOUNDARY
from tests.terraform.conftest import DIST, attached_to
from tests.terraform.modules import REPOSITORY


@dataclass(frozen=True)
class Applied:
    """The bootstrap on a local AWS of its own, and what IAM has of it."""

    aws: Emulator
    environment: dict[str, str]
    policies: dict[str, str]
    boundary: str
    keys: dict[str, str]

    def may(self, who: str, *checks: Check) -> bool:
        """Whether one of CI's roles may do what the checks, together, ask for."""
        named = [
            Check(check.action, self.keys.get(check.resource, check.resource), check.context)
            for check in checks
        ]
        return allowed(self.aws, [self.policies[who]], *named)


@contextmanager
def bootstrap(folder: Path) -> Iterator[Applied]:
    """Apply the bootstrap of prod on a local AWS of its own, which ends with all that is in it."""
    with Emulator.start(log=folder / "log") as aws, attached_to(aws) as environment:
        root = Terraform(
            copied(REPOSITORY / "envs" / "bootstrap", aws.endpoint, folder, DIST),
            environment,
            {"account_id": ACCOUNT, "environment": "prod", "repository": "example/fanout-once"},
            data_dir=folder / "terraform",
            state=folder / "terraform.tfstate",
        )
        root.init()
        root.apply()
        yield _read(aws, environment)


def _read(aws: Emulator, environment: dict[str, str]) -> Applied:
    iam, kms = aws.client("iam"), aws.client("kms")
    policies = {
        who: json.dumps(iam.get_role_policy(RoleName=f"ci-fanout-{who}", PolicyName=who)["PolicyDocument"])
        for who in ("plan", "apply")
    }
    version = iam.get_policy(PolicyArn=BOUNDARY)["Policy"]["DefaultVersionId"]
    boundary = iam.get_policy_version(PolicyArn=BOUNDARY, VersionId=version)["PolicyVersion"]["Document"]
    keys = {
        f"{name} key": kms.describe_key(KeyId=f"alias/fanout-{name}")["KeyMetadata"]["Arn"]
        for name in ("state", "data")
    }
    return Applied(aws, environment, policies, json.dumps(boundary), keys)
