"""From an empty account to prod and back, as CI's own roles, with state in S3 and IAM enforced."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from deploy.terraform import terraform_command
from local.emulator import Emulator
from tests.deploy_path.account import ACCOUNT, Account
from tests.deploy_path.roles import Keys, taken, token
from tests.support.git import commit
from tests.support.local_aws import eventually

pytestmark = [pytest.mark.terraform, pytest.mark.emulator, pytest.mark.end_to_end]
REPOSITORY = "repo:octocat@123456/my-repo@456789"
BUCKET = f"tfstate-fanout-{ACCOUNT}"
STATE = "prod/terraform.tfstate"
HANG = 300.0  # seconds; bounds a hang


@contextmanager
def step(what: str) -> Iterator[None]:
    """Print what was done, once it was, and how long it took."""
    began = time.monotonic()
    yield
    sys.stdout.write(f"{time.monotonic() - began:7.1f} s  {what}\n")
    sys.stdout.flush()


def _refusal(call: Callable[..., Any], **arguments: Any) -> str:
    with pytest.raises(ClientError) as refused:
        call(**arguments)
    return str(refused.value.response["Error"]["Code"])


@pytest.fixture(scope="module")
def account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    folder = tmp_path_factory.mktemp("deploy-path")
    with Emulator.start(log=folder / "emulator.log") as aws:
        yield Account.empty(aws, folder)


@pytest.fixture(scope="module")
def roles(account: Account) -> dict[str, str]:
    """The bootstrap is applied and its outputs are written where their descriptions say; ARNs by role."""
    with step("administrator: envs/bootstrap applied in an empty account"):
        made = account.bootstrap(
            account_id=ACCOUNT,
            environment="prod",
            repository="octocat/my-repo",
            repository_ids={"owner": "123456", "repository": "456789"},
        )
        assert made["state_bucket"] == BUCKET
        values = account.repository / "envs" / "prod" / "terraform.tfvars"
        values.write_text(
            f'account_id  = "{ACCOUNT}"\nkms_key_arn = "{made["data_key_arn"]}"\n', encoding="utf-8"
        )
        commit(account.repository)
        account.client("ssm").put_parameter(
            Name="/fanout-prod/slack", Value='{"token": "xoxb-1"}', Type="SecureString"
        )
    return dict(made["ci_role_arns"])


def _plan_keys(account: Account, roles: dict[str, str]) -> Keys:
    return taken(account.aws, roles["plan"], token(f"{REPOSITORY}:ref:refs/heads/main"))


def _apply_keys(account: Account, roles: dict[str, str]) -> Keys:
    return taken(account.aws, roles["apply"], token(f"{REPOSITORY}:environment:prod"))


@pytest.mark.parametrize(
    ("role", "subject", "more"),
    [
        ("apply", f"{REPOSITORY}:pull_request", {}),
        ("apply", f"{REPOSITORY}:ref:refs/heads/main", {}),
        ("apply", f"{REPOSITORY}:environment:dev", {}),
        ("plan", f"{REPOSITORY}:ref:refs/heads/other", {}),
        ("plan", "repo:octocat/my-repo:pull_request", {}),
        ("plan", "repo:octocat@123456/my-repo@456780:pull_request", {}),
        ("plan", f"{REPOSITORY}:pull_request", {"audience": "https://github.com/octocat"}),
        ("plan", f"{REPOSITORY}:pull_request", {"issuer": "https://token.actions.example.com"}),
        ("plan", f"{REPOSITORY}:pull_request", {"lives": -1}),
    ],
)
def test_nobody_else_takes_a_role(
    role: str, subject: str, more: dict[str, Any], account: Account, roles: dict[str, str]
) -> None:
    with pytest.raises(ClientError, match="AssumeRoleWithWebIdentity"):
        taken(account.aws, roles[role], token(subject, **more))


def test_role_is_taken_for_as_long_as_it_allows(account: Account, roles: dict[str, str]) -> None:
    pull_request = token(f"{REPOSITORY}:pull_request")

    assert taken(account.aws, roles["plan"], pull_request, seconds=3600)
    with pytest.raises(ClientError, match="MaxSessionDuration"):
        taken(account.aws, roles["plan"], pull_request, seconds=3601)
    assert taken(account.aws, roles["apply"], token(f"{REPOSITORY}:environment:prod"), seconds=6 * 3600)


def test_path(account: Account, roles: dict[str, str]) -> None:
    _first_apply(account, roles)
    _second_plan(account, roles)
    _plan_role_changes_nothing(account, roles)
    _drift(account, roles)
    _left_lock(account, roles)
    _refused_replacement(account, roles)
    _destroy(account, roles)
    refused = {denial["principal"].split("/")[1] for denial in account.aws.state()["denials"]}
    assert refused == {"ci-fanout-plan"}, "nothing that was not meant to be refused was"


def _first_apply(account: Account, roles: dict[str, str]) -> None:
    with step("plan role: a plan with the lock is refused, and told how to go on"):
        done = account.run(_plan_keys(account, roles), "plan", "prod")
        assert done.status == 1
        assert "make plan ENV=prod LOCK=0" in done.said
        assert _locks(account) == []
    with step("plan role: prod planned without the lock"):
        done = account.run(_plan_keys(account, roles), "plan", "prod", "--no-lock")
        assert done.status == 0, done.said
    with step("approval: the summary of changes"):
        handed = account.folder / "handed on"
        shutil.copytree(account.repository / "dist" / "plans", handed)
        summary = (handed / "prod.md").read_text(encoding="utf-8")
        found = re.match(r"### prod: (\d+) to create\n", summary)
        assert found, summary[:200]
        assert int(found[1]) > 200
        digest = json.loads((handed / "prod.plan.json").read_text(encoding="utf-8"))["digest"]
        assert digest in summary
    with step("plan role: the plan that was approved cannot be applied by it"):
        done = _apply_given(account, _plan_keys(account, roles), handed, digest)
        assert done.status == 1, done.said
        assert account.client("sqs").list_queues().get("QueueUrls", []) == []
    with step(f"apply role: that very plan applied, {found[1]} resources"):
        done = _apply_given(account, _apply_keys(account, roles), handed, digest)
        assert done.status == 0, done.said
    with step("apply role: the same plan once more is refused, the state has moved"):
        done = _apply_given(account, _apply_keys(account, roles), handed, digest)
        assert done.status == 1
        assert "stale" in done.said


def _apply_given(account: Account, keys: Keys, folder: Path, digest: str) -> Any:
    plan = str(folder / "prod.tfplan")
    return account.run(keys, "apply", "prod", "--consent", "prod", "--plan", plan, "--digest", digest)


def _second_plan(account: Account, roles: dict[str, str]) -> None:
    with step("plan role: a second plan is empty"):
        done = account.run(_plan_keys(account, roles), "plan", "prod", "--no-lock")
        assert done.status == 0, done.said
        assert "no resource changes" in _summary(account)


def _summary(account: Account) -> str:
    return (account.repository / "dist" / "plans" / "prod.md").read_text(encoding="utf-8")


def _plan_role_changes_nothing(account: Account, roles: dict[str, str]) -> None:
    keys = _plan_keys(account, roles)
    queue = account.client("sqs").list_queues()["QueueUrls"][0]
    table = account.client("dynamodb").list_tables()["TableNames"][0]
    s3, sqs, dynamodb = (account.client(name, keys) for name in ("s3", "sqs", "dynamodb"))
    with step("plan role: changes nothing, neither the state nor a queue, a table or a role"):
        assert "AccessDenied" in _refusal(s3.put_object, Bucket=BUCKET, Key=STATE, Body=b"{}")
        assert "AccessDenied" in _refusal(s3.put_object, Bucket=BUCKET, Key=f"{STATE}.tflock", Body=b"{}")
        assert "AccessDenied" in _refusal(s3.delete_object, Bucket=BUCKET, Key=STATE)
        assert "AccessDenied" in _refusal(sqs.delete_queue, QueueUrl=queue)
        assert "AccessDenied" in _refusal(sqs.purge_queue, QueueUrl=queue)
        assert "AccessDenied" in _refusal(sqs.receive_message, QueueUrl=queue)
        assert "AccessDenied" in _refusal(dynamodb.delete_table, TableName=table)
        assert "AccessDenied" in _refusal(dynamodb.scan, TableName=table)
        policy = {"RoleName": "ci-fanout-plan", "PolicyName": "more", "PolicyDocument": "{}"}
        assert "AccessDenied" in _refusal(account.client("iam", keys).put_role_policy, **policy)
    with step("plan role: the state of another environment cannot be read"):
        assert "AccessDenied" in _refusal(s3.get_object, Bucket=BUCKET, Key="dev/terraform.tfstate")


def _charge_queue(account: Account) -> str:
    urls: list[str] = account.client("sqs").list_queues()["QueueUrls"]
    return next(url for url in urls if url.endswith("fanout-prod-charge.fifo"))


def _drift(account: Account, roles: dict[str, str]) -> None:
    sqs, queue = account.client("sqs"), _charge_queue(account)
    kept = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["All"])["Attributes"]
    sqs.set_queue_attributes(QueueUrl=queue, Attributes={"DelaySeconds": "77"})
    with step("plan role: what was changed by hand is shown"):
        done = account.run(_plan_keys(account, roles), "plan", "prod", "--no-lock")
        assert done.status == 0, done.said
        assert re.search(
            r"^! update: \S+aws_sqs_queue\.\S+ \[delay_seconds\] \(changed outside of Terraform\)$",
            _summary(account),
            re.MULTILINE,
        ), _summary(account)
    with step("apply role: and put right"):
        done = account.run(_apply_keys(account, roles), "apply", "prod", "--consent", "prod")
        assert done.status == 0, done.said
        now = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["All"])["Attributes"]
        assert now["DelaySeconds"] == kept["DelaySeconds"]


def _locks(account: Account) -> list[str]:
    listed = account.client("s3").list_objects_v2(Bucket=BUCKET).get("Contents", [])
    return [item["Key"] for item in listed if item["Key"].endswith(".tflock")]


def _left_lock(account: Account, roles: dict[str, str]) -> None:
    keys = _apply_keys(account, roles)
    with step("apply role: an apply is killed and leaves its lock"), account.acting(keys) as environment:
        root = account.opened(account.repository / "envs" / "prod", environment)
        with subprocess.Popen(
            [*terraform_command(), "apply", "-auto-approve", "-input=false"],
            cwd=root.directory,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as apply:
            eventually(lambda: bool(_locks(account)), HANG)
            os.killpg(apply.pid, signal.SIGKILL)
        assert _locks(account) == [f"{STATE}.tflock"]
    with step("apply role: the next one names holder, age and the command that frees it"):
        done = account.run(keys, "apply", "prod", "--consent", "prod")
        assert done.status == 1
        found = re.search(r"began `apply` .+ ago .+make unlock ENV=prod LOCK_ID=(\S+)", done.said)
        assert found, done.said
    with step("plan role: pull requests go on being planned, and nobody frees it with that role"):
        assert account.run(_plan_keys(account, roles), "plan", "prod", "--no-lock").status == 0
        free = ("unlock", "prod", "--lock-id", found[1], "--consent", "prod")
        assert account.run(_plan_keys(account, roles), *free).status == 1
        assert _locks(account)
    with step("apply role: that command frees it"):
        done = account.run(keys, *free)
        assert done.status == 0, done.said
        assert _locks(account) == []


def _refused_replacement(account: Account, roles: dict[str, str]) -> None:
    before = sorted(account.client("sqs").list_queues()["QueueUrls"])
    account.write('"fanout-prod"', '"fanout-prod-b"')
    with step("apply role: a new name would replace tables with deletion protection: refused"):
        done = account.run(_apply_keys(account, roles), "apply", "prod", "--consent", "prod")
        assert done.status == 1
        assert "deletion protection is on for" in done.said
    account.write('"fanout-prod-b"', '"fanout-prod"')
    account.write("  log_retention_days", "  tables = { deletion_protection = false }\n  log_retention_days")
    with step("apply role: deletion protection taken off, which replaces nothing"):
        done = account.run(_apply_keys(account, roles), "apply", "prod", "--consent", "prod")
        assert done.status == 0, done.said
    account.write('"fanout-prod"', '"fanout-prod-b"')
    with step("apply role: the same replacement is refused, as nobody has named what goes"):
        done = account.run(_apply_keys(account, roles), "apply", "prod", "--consent", "prod")
        assert done.status == 1
        assert "takes away what nobody has named" in done.said
        assert "aws_sqs_queue" in done.said
    assert sorted(account.client("sqs").list_queues()["QueueUrls"]) == before
    account.write('"fanout-prod-b"', '"fanout-prod"')


def _destroy(account: Account, roles: dict[str, str]) -> None:
    with step("apply role: without a terminal prod is not destroyed"):
        done = account.run(_apply_keys(account, roles), "destroy", "prod", "--consent", "prod")
        assert done.status == 2
    with step("apply role: destroyed by somebody who types its name; nothing is left"):
        done = account.run(_apply_keys(account, roles), "destroy", "prod", typed="prod\n")
        assert done.status == 0, done.said
        assert account.client("sqs").list_queues().get("QueueUrls", []) == []
        assert account.client("dynamodb").list_tables()["TableNames"] == []
        assert account.client("lambda").list_functions()["Functions"] == []
        assert account.client("logs").describe_log_groups()["logGroups"] == []
        left = [role["RoleName"] for role in account.client("iam").list_roles()["Roles"]]
        assert sorted(left) == ["ci-fanout-apply", "ci-fanout-plan"]
