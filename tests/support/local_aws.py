"""What tests put into the local AWS before they look at it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.emulator import Emulator
from tests.support.limits import HANG_SECONDS
from zips.archive import write_zip

ACCOUNT, REGION = "111122223333", "ap-northeast-1"
POLLING = ("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes")
LOGGING = ("logs:CreateLogStream", "logs:PutLogEvents")


def policy(*statements: Mapping[str, Any]) -> str:
    """Return a policy of these statements, each an Allow of every resource unless it says otherwise."""
    full = [{"Effect": "Allow", "Resource": "*", **statement} for statement in statements]
    return json.dumps({"Version": "2012-10-17", "Statement": full})


def role(aws: Emulator, name: str, *actions: str) -> str:
    """Create a role for functions that may do ACTIONS; return its ARN."""
    iam = aws.client("iam")
    trust = {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    arn = iam.create_role(RoleName=name, AssumeRolePolicyDocument=document)["Role"]["Arn"]
    if actions:
        iam.put_role_policy(RoleName=name, PolicyName="p", PolicyDocument=policy({"Action": list(actions)}))
    return str(arn)


def function(aws: Emulator, name: str, role_arn: str, code: str, tmp_path: Path, timeout: int = 3) -> str:
    """Create a function whose `handler` is in CODE; return its ARN."""
    (tmp_path / "handler.py").write_text(code)
    write_zip(tmp_path / "f.zip", {"handler.py": tmp_path / "handler.py"})
    created = aws.client("lambda").create_function(
        FunctionName=name,
        Role=role_arn,
        Runtime="python3.13",
        Handler="handler.handler",
        Timeout=timeout,
        Code={"ZipFile": (tmp_path / "f.zip").read_bytes()},
    )
    return str(created["FunctionArn"])


def fifo_queue(aws: Emulator, name: str, **attributes: str) -> str:
    """Create the FIFO queue NAME.fifo; return its URL."""
    queue = aws.client("sqs").create_queue(
        QueueName=f"{name}.fifo", Attributes={"FifoQueue": "true", **attributes}
    )
    return str(queue["QueueUrl"])


def queue_arn(name: str) -> str:
    """Return the ARN of a queue."""
    return f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}"


def refused(call: Any, **arguments: Any) -> str:
    """Return the error code with which AWS refuses a call."""
    with pytest.raises(ClientError) as refusal:
        call(**arguments)
    return str(refusal.value.response["Error"]["Code"])


def eventually(condition: Callable[[], bool], seconds: float = HANG_SECONDS) -> None:
    """Return once the condition holds; fail when it takes too long."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to hold"
        time.sleep(0.02)
