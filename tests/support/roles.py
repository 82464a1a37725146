"""A role on the local AWS, with an action taken away for a while: whether anybody misses it."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from local.emulator import Emulator
from tests.terraform.plans import listed

WAIT_SECONDS = 10.0
_HARMLESS = {"Effect": "Allow", "Action": "sts:GetCallerIdentity", "Resource": "*"}


def denied(aws: Emulator, role: str, action: str) -> int:
    """How often `action` was refused to the role so far."""
    return sum(
        int(denial["count"])
        for denial in aws.state()["denials"]
        if denial["action"] == action and f"/{role}" in denial["principal"]
    )


@contextmanager
def without(aws: Emulator, role: str, action: str, *, resource: str = "") -> Iterator[None]:
    """Take an action, on resources whose ARN holds `resource`, out of a role's policies for a while."""
    iam = aws.client("iam")
    before: dict[str, str] = {}
    for name in iam.list_role_policies(RoleName=role)["PolicyNames"]:
        document = iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]
        statements = list(_less(document["Statement"], action, resource))
        if statements != document["Statement"]:
            before[name] = json.dumps(document)
            iam.put_role_policy(
                RoleName=role,
                PolicyName=name,
                PolicyDocument=json.dumps(document | {"Statement": statements or [_HARMLESS]}),
            )
    assert before, f"{role} may not {action} anyway"
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


def eventually(happened: Callable[[], bool], seconds: float = WAIT_SECONDS) -> bool:
    """Whether it happens in time; the local AWS works in real time."""
    deadline = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
