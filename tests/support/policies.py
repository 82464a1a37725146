"""What policies decide, asked of IAM's own simulator on the local AWS."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from local.emulator import Emulator

Context = Mapping[str, str | list[str]]


@dataclass(frozen=True)
class Check:
    """One question to IAM: an action on a resource, with the condition keys that the request has.

    A key that is not in `context` is missing from the request; a list is a key with several values.
    """

    action: str
    resource: str
    context: Context = field(default_factory=dict)


def _entry(name: str, value: str | list[str]) -> dict[str, Any]:
    several = isinstance(value, list)
    return {
        "ContextKeyName": name,
        "ContextKeyType": "stringList" if several else "string",
        "ContextKeyValues": value if several else [value],
    }


def decision(aws: Emulator, policies: Iterable[str], check: Check, boundary: str | None = None) -> str:
    """`allowed`, `implicitDeny` or `explicitDeny`: what the policies, within a boundary, say of the check."""
    answer = aws.client("iam").simulate_custom_policy(
        PolicyInputList=list(policies),
        PermissionsBoundaryPolicyInputList=[boundary] if boundary else [],
        ActionNames=[check.action],
        ResourceArns=[check.resource],
        ContextEntries=[_entry(name, value) for name, value in check.context.items()],
    )
    (result,) = answer["EvaluationResults"]
    return str(result["EvalDecision"])


def allowed(aws: Emulator, policies: Iterable[str], *checks: Check, boundary: str | None = None) -> bool:
    """Whether every check of a request is allowed: AWS asks about each resource that an action touches."""
    return all(decision(aws, policies, check, boundary) == "allowed" for check in checks)
