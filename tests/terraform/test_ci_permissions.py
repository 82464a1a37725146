"""What CI's roles may do, action by action; which keys are theirs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from deploy.offline import provider_block
from deploy.terraform import Terraform
from tests.support.local_aws import refused
from tests.support.roles import taken
from tests.terraform.bootstrapped import Applied, bootstrap
from tests.terraform.ci_requests import FORBIDDEN, NEEDED, READS, REGION, role
from tests.terraform.modules import MODULES

pytestmark = [pytest.mark.terraform, pytest.mark.emulator]


@pytest.fixture(scope="module")
def applied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Applied]:
    with bootstrap(tmp_path_factory.mktemp("bootstrap")) as made:
        yield made


@pytest.mark.parametrize("who", ["plan", "apply"])
@pytest.mark.parametrize("attempt", FORBIDDEN)
def test_ci_may_not(attempt: str, who: str, applied: Applied) -> None:
    assert not applied.may(who, *FORBIDDEN[attempt])


@pytest.mark.parametrize("request_", NEEDED)
def test_apply_may_and_plan_may_not(request_: str, applied: Applied) -> None:
    assert applied.may("apply", *NEEDED[request_])
    assert not applied.may("plan", *NEEDED[request_])


@pytest.mark.parametrize("who", ["plan", "apply"])
@pytest.mark.parametrize("read", READS)
def test_both_may_read(read: str, who: str, applied: Applied) -> None:
    assert applied.may(who, *READS[read])


@pytest.fixture(scope="module")
def channel_key(applied: Applied, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The key of an alert channel whose keepers are CI's roles."""
    folder = tmp_path_factory.mktemp("channel")
    (folder / "modules").symlink_to(MODULES)
    channel = {
        "source": "./modules/alert-channel",
        "name": "fanout-prod-alerts",
        "environment": "prod",
        "email": {"on-call": {"address": "on-call@example.com"}},
        "key_access": {
            "administrator_arns": [role("ci-fanout-apply")],
            "reader_arns": [role("ci-fanout-plan")],
        },
    }
    output = {"key": {"value": "${module.alerts.kms_key_arn}"}}
    (folder / "main.tf.json").write_text(json.dumps({"module": {"alerts": channel}, "output": output}))
    (folder / "provider.tf").write_text(
        provider_block(applied.aws.endpoint, {"region": f'"{REGION}"'}), encoding="utf-8"
    )
    root = Terraform(folder, applied.environment, data_dir=folder / "terraform")
    root.init()
    root.apply()
    return str(root.output()["key"])


def _kms(applied: Applied, who: str) -> Any:
    """KMS, as one of CI's roles."""
    return taken(applied.aws, f"ci-fanout-{who}", "kms")


def test_apply_keeps_the_channel_s_key_and_plan_reads_it(applied: Applied, channel_key: str) -> None:
    keeper, reader = _kms(applied, "apply"), _kms(applied, "plan")
    written = keeper.get_key_policy(KeyId=channel_key, PolicyName="default")["Policy"]

    keeper.put_key_policy(KeyId=channel_key, PolicyName="default", Policy=written)
    keeper.update_key_description(KeyId=channel_key, Description="Alerts")
    keeper.tag_resource(KeyId=channel_key, Tags=[{"TagKey": "team", "TagValue": "x"}])
    keeper.untag_resource(KeyId=channel_key, TagKeys=["team"])
    keeper.enable_key_rotation(KeyId=channel_key)
    assert refused(keeper.create_grant, KeyId=channel_key, GranteePrincipal=role("x"), Operations=["Decrypt"])
    assert refused(keeper.encrypt, KeyId=channel_key, Plaintext=b"x") == "AccessDeniedException"
    reader.describe_key(KeyId=channel_key)
    reader.get_key_rotation_status(KeyId=channel_key)
    assert refused(reader.put_key_policy, KeyId=channel_key, PolicyName="default", Policy=written)
    assert refused(reader.schedule_key_deletion, KeyId=channel_key) == "AccessDeniedException"


def test_foreign_key_stays_foreign_whatever_its_tags_say(applied: Applied) -> None:
    kms, keeper = applied.aws.client("kms"), _kms(applied, "apply")
    tags = [
        {"TagKey": "project", "TagValue": "fanout-once"},
        {"TagKey": "environment", "TagValue": "prod"},
    ]
    key = kms.create_key(Tags=tags)["KeyMetadata"]["Arn"]
    written = kms.get_key_policy(KeyId=key, PolicyName="default")["Policy"]

    for call, arguments in (
        (keeper.put_key_policy, {"PolicyName": "default", "Policy": written}),
        (keeper.get_key_policy, {"PolicyName": "default"}),
        (keeper.schedule_key_deletion, {}),
        (keeper.untag_resource, {"TagKeys": ["project"]}),
        (keeper.create_grant, {"GranteePrincipal": role("ci-fanout-apply"), "Operations": ["Decrypt"]}),
        (keeper.encrypt, {"Plaintext": b"x"}),
    ):
        assert refused(call, KeyId=key, **arguments) == "AccessDeniedException"
    mine = keeper.create_key(Tags=tags)["KeyMetadata"]["Arn"]
    assert refused(keeper.create_key) == "AccessDeniedException"
    assert refused(keeper.create_key, Tags=tags[:1]) == "AccessDeniedException"
    # Made without a policy that names the role, it is the account's: of no use to its maker.
    assert refused(keeper.encrypt, KeyId=mine, Plaintext=b"x") == "AccessDeniedException"


def test_policies_fit_into_a_role(applied: Applied) -> None:
    """IAM takes 10,240 characters of inline policies a role, blanks not counted; 6,144 of a managed one."""
    for text in applied.policies.values():
        assert len(json.dumps(json.loads(text), separators=(",", ":"))) <= 10_240
    assert len(json.dumps(json.loads(applied.boundary), separators=(",", ":"))) <= 6_144
