"""Lambda's limit on the size of a function's policy."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from botocore.exceptions import ClientError

from local.emulator import Emulator
from tests.support.local_aws import LOGGING, function, role

pytestmark = pytest.mark.emulator
LIMIT_BYTES = 20_480


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with Emulator.start(tmp_path_factory.mktemp("policies") / "emulator.log") as emulator:
        yield emulator


def admit(aws: Emulator, name: str, statements: Iterable[str], qualifier: str | None = None) -> None:
    """Let CloudWatch Logs invoke the function, for one log group a statement."""
    for statement in statements:
        _admit(aws, name, statement, qualifier)


def _admit(aws: Emulator, name: str, statement: str, qualifier: str | None) -> None:
    group = f"/aws/lambda/fanout-prod-service-{statement}-consumer"
    aws.client("lambda").add_permission(
        FunctionName=name,
        StatementId=statement,
        Action="lambda:InvokeFunction",
        Principal="logs.amazonaws.com",
        SourceArn=f"arn:aws:logs:ap-northeast-1:111122223333:log-group:{group}:*",
        SourceAccount="111122223333",
        **({"Qualifier": qualifier} if qualifier else {}),
    )


def test_policy_grows_to_its_limit_and_no_further(aws: Emulator, tmp_path: Path) -> None:
    function(aws, "limited", role(aws, "limited", *LOGGING), "def handler(event, context): ...", tmp_path)
    client = aws.client("lambda")

    with pytest.raises(ClientError, match=r"bigger than the limit \(20480\)") as refusal:
        admit(aws, "limited", (f"service-{number}" for number in range(80)))

    assert refusal.value.response["Error"]["Code"] == "PolicyLengthExceededException"
    policy = json.loads(client.get_policy(FunctionName="limited")["Policy"])
    size = len(json.dumps(policy, separators=(",", ":")))
    one = len(json.dumps(policy["Statement"][-1], separators=(",", ":")))
    assert LIMIT_BYTES - one - 1 <= size <= LIMIT_BYTES, "the refused statement is not kept"

    client.remove_permission(FunctionName="limited", StatementId="service-0")
    admit(aws, "limited", ["service-0"])  # there is room again


def test_an_alias_has_a_policy_of_its_own(aws: Emulator, tmp_path: Path) -> None:
    function(aws, "aliased", role(aws, "aliased", *LOGGING), "def handler(event, context): ...", tmp_path)
    client = aws.client("lambda")
    version = client.publish_version(FunctionName="aliased")["Version"]
    client.create_alias(FunctionName="aliased", Name="live", FunctionVersion=version)
    admit(aws, "aliased", (f"service-{number}" for number in range(40)))

    admit(aws, "aliased", (f"live-{number}" for number in range(40)), qualifier="live")
