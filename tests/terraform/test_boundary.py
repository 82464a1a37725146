"""The boundary of every role: it holds one that may do everything, and is no wider than what prod grants."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from deploy.offline import copied
from deploy.terraform import Terraform
from tests.support.local_aws import policy
from tests.support.policies import Check, allowed
from tests.terraform.bootstrapped import Applied, bootstrap
from tests.terraform.ci_requests import ACCOUNT, OUT_OF_BOUNDS
from tests.terraform.conftest import DIST
from tests.terraform.modules import REPOSITORY
from tests.terraform.plans import Plan, listed

pytestmark = [pytest.mark.terraform, pytest.mark.emulator]

EVERYTHING = policy({"Action": "*"})
# In the boundary for what an environment may add: a bucket for large payloads, the credential as a secret.
OPTIONAL = {"s3:GetObject", "s3:ListBucket", "s3:PutObject", "secretsmanager:GetSecretValue"}


@pytest.fixture(scope="module")
def applied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Applied]:
    with bootstrap(tmp_path_factory.mktemp("bootstrap")) as made:
        yield made


@pytest.mark.parametrize("attempt", OUT_OF_BOUNDS)
def test_boundary_holds_a_role_that_may_do_everything(attempt: str, applied: Applied) -> None:
    check = OUT_OF_BOUNDS[attempt]
    named = Check(check.action, applied.keys.get(check.resource, check.resource), check.context)

    assert not allowed(applied.aws, [EVERYTHING], named, boundary=applied.boundary)


@pytest.fixture(scope="module")
def granted(applied: Applied, tmp_path_factory: pytest.TempPathFactory) -> list[Check]:
    """Each permission that prod, in this account, plans for a role, as a request that just fits it."""
    folder = tmp_path_factory.mktemp("prod")
    root = Terraform(
        copied(REPOSITORY / "envs" / "prod", applied.aws.endpoint, folder, DIST),
        applied.environment,
        {"account_id": ACCOUNT, "kms_key_arn": applied.keys["data key"]},
        data_dir=folder / "terraform",
    )
    root.init()
    policies = Plan.of(root, folder).resources("aws_iam_role_policy").values()
    return [
        Check(action, resource, {**context, "aws:ResourceAccount": ACCOUNT})
        for written in policies
        for statement in json.loads(written["policy"])["Statement"]
        if statement["Effect"] == "Allow"
        for context in _fitting(statement.get("Condition", {}))
        for action in listed(statement["Action"])
        for resource in listed(statement["Resource"])
    ]


def _fitting(conditions: dict[str, dict[str, Any]]) -> Iterator[dict[str, str | list[str]]]:
    """Contexts that fulfil the conditions of a statement: each value that they name, in turn."""
    wanted = {
        key: listed(values)
        for operator, keys in conditions.items()
        if operator != "Null"
        for key, values in keys.items()
    }
    for values in product(*wanted.values()):
        yield dict(zip(wanted, values, strict=True))


def test_boundary_lets_through_all_that_prod_grants(applied: Applied, granted: list[Check]) -> None:
    refused_here = [
        check for check in granted if not allowed(applied.aws, [EVERYTHING], check, boundary=applied.boundary)
    ]

    assert refused_here == []
    assert len(granted) > 100


def test_boundary_names_no_action_that_prod_does_not_grant(applied: Applied, granted: list[Check]) -> None:
    named = {
        action
        for statement in json.loads(applied.boundary)["Statement"]
        for action in listed(statement["Action"])
    }

    assert named - OPTIONAL == {check.action for check in granted}
