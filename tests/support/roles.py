"""A role on the local AWS: taken by a test, or with something taken away for a while that somebody misses."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from local.emulator import Emulator
from tests.support.limits import HANG_SECONDS
from tests.terraform.plans import listed

_HARMLESS = {"Effect": "Allow", "Action": "sts:GetCallerIdentity", "Resource": "*"}


def denied(aws: Emulator, role: str, action: str) -> int:
    """How often `action` was refused to the role so far."""
    return sum(
        int(denial["count"])
        for denial in aws.state()["denials"]
        if denial["action"] == action and f"/{role}" in denial["principal"]
    )


def taken(aws: Emulator, role: str, service: str) -> Any:
    """A client with a role's keys. Its trust lets the account itself in besides, from then on."""
    iam = aws.client("iam")
    document = iam.get_role(RoleName=role)["Role"]["AssumeRolePolicyDocument"]
    account = aws.client("sts").get_caller_identity()["Account"]
    owner = {
        "Effect": "Allow",
        "Principal": {"AWS": f"arn:aws:iam::{account}:root"},
        "Action": "sts:AssumeRole",
    }
    if owner not in document["Statement"]:
        document["Statement"].append(owner)
        iam.update_assume_role_policy(RoleName=role, PolicyDocument=json.dumps(document))
    session = aws.client("sts").assume_role(
        RoleArn=f"arn:aws:iam::{account}:role/{role}", RoleSessionName="test"
    )
    keys = session["Credentials"]
    return aws.client(
        service,
        {
            "aws_access_key_id": keys["AccessKeyId"],
            "aws_secret_access_key": keys["SecretAccessKey"],
            "aws_session_token": keys["SessionToken"],
        },
    )


@contextmanager
def without(aws: Emulator, role: str, action: str, *, resource: str = "") -> Iterator[None]:
    """Take an action, on resources whose ARN holds `resource`, out of a role's policies for a while."""
    with _changed(aws, role, lambda statements: list(_less(statements, action, resource))):
        yield


@contextmanager
def elsewhere(aws: Emulator, role: str, sid: str) -> Iterator[None]:
    """Let the conditions of a role's statement name other values for a while, none of which anything has."""

    def moved(statements: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [_elsewhere(one) if one.get("Sid") == sid else one for one in statements]

    with _changed(aws, role, moved):
        yield


def _elsewhere(statement: dict[str, Any]) -> dict[str, Any]:
    conditions = {
        operator: keys if operator == "Null" else dict.fromkeys(keys, "elsewhere")
        for operator, keys in statement["Condition"].items()
    }
    return statement | {"Condition": conditions}


@contextmanager
def _changed(
    aws: Emulator, role: str, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]
) -> Iterator[None]:
    """A role's policies with other statements for a while; AssertionError when that changes nothing."""
    iam = aws.client("iam")
    before: dict[str, str] = {}
    for name in iam.list_role_policies(RoleName=role)["PolicyNames"]:
        document = iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]
        statements = change(document["Statement"])
        if statements != document["Statement"]:
            before[name] = json.dumps(document)
            iam.put_role_policy(
                RoleName=role,
                PolicyName=name,
                PolicyDocument=json.dumps(document | {"Statement": statements or [_HARMLESS]}),
            )
    assert before, f"{role} has nothing of the kind anyway"
    try:
        yield
    finally:
        for name, text in before.items():
            iam.put_role_policy(RoleName=role, PolicyName=name, PolicyDocument=text)


def _less(statements: list[dict[str, Any]], action: str, resource: str) -> Iterator[dict[str, Any]]:
    for statement in statements:
        if resource and not any(resource in arn for arn in listed(statement["Resource"])):
            yield statement
        elif rest := [one for one in listed(statement["Action"]) if one != action]:
            yield statement | {"Action": rest}


def eventually(happened: Callable[[], bool], seconds: float = HANG_SECONDS) -> bool:
    """Whether it happens in time; the local AWS works in real time."""
    deadline = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
