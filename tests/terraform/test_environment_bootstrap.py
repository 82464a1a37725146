"""envs/bootstrap: what an account needs before an environment can live in it."""

import json
from pathlib import Path
from typing import Any

import pytest

from deploy.offline import copied
from deploy.terraform import Terraform, TerraformError
from local.emulator import Emulator
from tests.terraform.conftest import DIST, attached_to
from tests.terraform.modules import REPOSITORY
from tests.terraform.plans import Plan, listed
from tests.terraform.snippets import FILES

pytestmark = [pytest.mark.terraform, pytest.mark.emulator]
VALUES = {"account_id": "111122223333", "environment": "prod", "repository": "example/fanout-once"}


def _terraform(aws: Emulator, attached: dict[str, str], folder: Path, **values: Any) -> Terraform:
    root = Terraform(
        copied(REPOSITORY / "envs" / "bootstrap", aws.endpoint, folder, DIST),
        attached,
        VALUES | values,
        data_dir=folder / "terraform",
        state=folder / "terraform.tfstate",
    )
    root.init()
    return root


@pytest.fixture(scope="module")
def plan(aws: Emulator, attached: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Plan:
    folder = tmp_path_factory.mktemp("bootstrap")
    return Plan.of(_terraform(aws, attached, folder), folder)


def _statements(text: str) -> list[dict[str, Any]]:
    statements = json.loads(text)["Statement"]
    return statements if isinstance(statements, list) else [statements]


def test_second_plan_is_empty_and_a_destroy_takes_nothing(tmp_path: Path) -> None:
    """On a local AWS of its own: what cannot be destroyed ends with it."""
    with Emulator.start(log=tmp_path / "log") as aws, attached_to(aws) as environment:
        root = _terraform(aws, environment, tmp_path)

        added = root.apply()["add"]
        second = root.plan()
        made = root.resources()

        assert (second["add"], second["change"], second["remove"]) == (0, 0, 0)
        assert root.output()["state_bucket"] == "tfstate-fanout-111122223333"
        with pytest.raises(TerraformError, match="Instance cannot be destroyed") as refusal:
            root.destroy()
        for kept in ('aws_kms_key.this["data"]', 'aws_kms_key.this["state"]', "aws_s3_bucket.state"):
            assert kept in str(refusal.value)
        assert root.resources() == made
        again = root.plan()
        assert (again["add"], again["change"], again["remove"]) == (0, 0, 0)

        # docs/environments.md, the last step of parting with an environment.
        (lifting,) = (one for one in FILES if one.file_of == ("bootstrap", "parting_override.tf"))
        (tmp_path / "envs" / "bootstrap" / "parting_override.tf").write_text(lifting.code, encoding="utf-8")
        assert root.destroy()["remove"] == added
        assert root.resources() == []


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({"resource": {"aws_s3_bucket": {"state": {"bucket": "another-name"}}}}, "aws_s3_bucket.state"),
        ({"locals": {"keys": {"state": "only"}}}, 'aws_kms_key.this["data"]'),
    ],
    ids=["bucket", "key"],
)
def test_change_that_would_replace_the_bucket_or_take_a_key_is_refused(
    change: dict[str, Any], kept: str, tmp_path: Path
) -> None:
    with Emulator.start(log=tmp_path / "log") as aws, attached_to(aws) as environment:
        root = _terraform(aws, environment, tmp_path)
        root.apply()
        override = tmp_path / "envs" / "bootstrap" / "change_override.tf.json"
        override.write_text(json.dumps(change), encoding="utf-8")

        with pytest.raises(TerraformError, match="Instance cannot be destroyed") as refusal:
            root.plan()
        assert kept in str(refusal.value)


NAMES, IDS = "repo:octocat/my-repo", "repo:octocat@123456/my-repo@456789"


@pytest.mark.parametrize(
    ("ids", "repositories"),
    [
        ({}, [NAMES]),
        ({"owner": "123456", "repository": "456789"}, [IDS]),
        ({"owner": "123456", "repository": "456789", "names_too": True}, [IDS, NAMES]),
    ],
)
def test_roles_trust_the_subjects_that_the_repository_has(
    ids: dict[str, Any], repositories: list[str], aws: Emulator, attached: dict[str, str], tmp_path: Path
) -> None:
    root = _terraform(aws, attached, tmp_path, repository="octocat/my-repo", repository_ids=ids)

    assert _subjects(Plan.of(root, tmp_path)) == {
        "ci-fanout-plan": {
            f"{repository}:{context}"
            for repository in repositories
            for context in ("pull_request", "ref:refs/heads/main")
        },
        "ci-fanout-apply": {f"{repository}:environment:prod" for repository in repositories},
    }


def test_an_apply_is_not_ended_by_its_keys(plan: Plan) -> None:
    """GitHub lets a job run for six hours."""
    roles = {role["name"]: role for role in plan.resources("aws_iam_role").values()}

    assert roles["ci-fanout-apply"]["max_session_duration"] == 6 * 3600
    assert roles["ci-fanout-plan"]["max_session_duration"] == 3600


def _subjects(plan: Plan) -> dict[str, set[str]]:
    """By role: the subjects that its trust admits, and nothing beside them."""
    roles = {role["name"]: role for role in plan.resources("aws_iam_role").values()}
    subjects = {}
    for name, role in roles.items():
        (statement,) = _statements(role["assume_role_policy"])
        equals = statement["Condition"]["StringEquals"]
        assert set(statement["Condition"]) == {"StringEquals"}
        assert equals["token.actions.githubusercontent.com:aud"] == "sts.amazonaws.com"
        subjects[name] = set(listed(equals["token.actions.githubusercontent.com:sub"]))
    return subjects


def test_state_is_versioned_encrypted_private_and_served_by_tls_only(plan: Plan) -> None:
    (versioning,) = plan.resources("aws_s3_bucket_versioning").values()
    (block,) = plan.resources("aws_s3_bucket_public_access_block").values()
    (encryption,) = plan.resources("aws_s3_bucket_server_side_encryption_configuration").values()
    (policy,) = plan.resources("aws_s3_bucket_policy").values()

    assert versioning["versioning_configuration"][0]["status"] == "Enabled"
    assert all(
        block[name]
        for name in (
            "block_public_acls",
            "block_public_policy",
            "ignore_public_acls",
            "restrict_public_buckets",
        )
    )
    assert encryption["rule"][0]["apply_server_side_encryption_by_default"][0]["sse_algorithm"] == "aws:kms"
    (statement,) = _statements(policy["policy"])
    assert statement["Effect"] == "Deny"
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_data_key_admits_the_log_service_for_the_functions_logs_only(plan: Plan) -> None:
    keys = plan.resources("aws_kms_key")
    data = _statements(keys['aws_kms_key.this["data"]']["policy"])

    assert keys['aws_kms_key.this["data"]']["enable_key_rotation"]
    (logs,) = [statement for statement in data if "Service" in statement["Principal"]]
    assert logs["Principal"]["Service"] == "logs.ap-northeast-1.amazonaws.com"
    assert logs["Condition"]["ArnLike"]["kms:EncryptionContext:aws:logs:arn"].endswith(
        "log-group:/aws/lambda/fanout-prod-*"
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("account_id", "1111"),
        ("environment", "production"),
        ("repository", "example/*"),
        ("repository", "*/*"),
        ("repository", "octocat@123456/my-repo@456789"),
        ("repository", "octocat@*/my-repo@*"),
        ("repository_ids", {"owner": "*", "repository": "*"}),
        ("repository_ids", {"owner": "123456", "repository": "45678?"}),
        ("repository_ids", {"owner": "123456"}),
        ("repository_ids", {"owner": "", "repository": ""}),
        ("repository_ids", {"names_too": True}),
        ("repository_ids", {"owner": "octocat", "repository": "my-repo"}),
    ],
)
def test_wrong_value_is_refused(
    name: str, value: Any, aws: Emulator, attached: dict[str, str], tmp_path: Path
) -> None:
    with pytest.raises(TerraformError, match=rf"{name} is |\"owner\" is required|\"repository\" is required"):
        _terraform(aws, attached, tmp_path, **{name: value}).plan()
