"""Ask IAM on behalf of a service that acts with a role, and keep every refusal for the report."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import wraps
from typing import Any

from ministack.core import iam_evaluator as iam
from ministack.core.responses import get_account_id, get_region

from local.emulator.server.implied import needs
from local.emulator.server.replacing import replace

_lock = threading.Lock()
_denials: Counter[tuple[str, str, str]] = Counter()


def record(principal: str, action: str, resource: str) -> None:
    """Count one refusal of ACTION on RESOURCE to PRINCIPAL (an ARN)."""
    with _lock:
        _denials[(principal, action, resource)] += 1


def denials() -> list[dict[str, Any]]:
    """Return every refusal so far: principal, action, resource, count."""
    with _lock:
        return [
            {"principal": who, "action": what, "resource": where, "count": count}
            for (who, what, where), count in sorted(_denials.items())
        ]


def role_may(role_arn: str, action: str, resource: str, context: Mapping[str, Any] | None = None) -> bool:
    """Whether the role may do ACTION on RESOURCE, and all that takes; a refusal is recorded.

    CONTEXT: condition keys of the request, in lower case. The role's policies decide within its boundary; a
    key's own policy has to agree.
    """
    from ministack.services import iam as iam_service  # noqa: PLC0415 - loaded when first used

    name = role_arn.rsplit("/", 1)[-1]
    account = get_account_id()
    request = iam.EvalContext(
        principal_arn=role_arn,
        principal_type="AssumedRole",
        principal_account=account,
        action=action,
        resource_arn=resource,
        region=get_region(),
        service_context=dict(context or {}),
    )
    limits = iam._permissions_boundary(iam_service._roles, name, account)
    decided = iam.evaluate(request, iam._gather_role_policies(name, account), *limits)
    if action.startswith("kms:") and (key := iam._resource_policy("kms", resource)):
        decided = iam.combine_resource_policy(decided, request, *key, required=True, limits=limits)
    if decided.decision != "Allow":
        record(role_arn, action, resource)
        return False
    return all(
        role_may(role_arn, need.action, need.resource, need.context)
        for need in needs(action, resource, context or {})
    )


def role_may_all(role_arn: str, actions: Iterable[str], resource: str) -> bool:
    """Whether the role may do all of ACTIONS on RESOURCE; every refusal is recorded, not the first only."""
    return not [action for action in actions if not role_may(role_arn, action, resource)]


def service_may_assume(role_arn: str, service: str, source_arn: str) -> bool:
    """Whether the role's trust policy lets a service in for SOURCE_ARN; a refusal is recorded."""
    from ministack.services import iam as iam_service  # noqa: PLC0415 - loaded when first used

    account = get_account_id()
    role = iam_service._roles.get_scoped(account, None, role_arn.rsplit("/", 1)[-1])
    document = (role or {}).get("AssumeRolePolicyDocument") or {}
    if isinstance(document, str):
        document = json.loads(document)
    context = iam.EvalContext(
        principal_arn=service,
        principal_type="Service",
        principal_account=account,
        action="sts:AssumeRole",
        resource_arn=role_arn,
        region=get_region(),
        service_context={"aws:sourcearn": source_arn, "aws:sourceaccount": account},
    )
    for statement in document.get("Statement", []):
        services = (statement.get("Principal") or {}).get("Service", [])
        names_service = service in ([services] if isinstance(services, str) else services)
        if (
            names_service
            and statement.get("Effect") == "Allow"
            and iam._conditions_met(statement.get("Condition", {}), context)
        ):
            return True
    record(service, "sts:AssumeRole", role_arn)
    return False


def service_may(
    service: str, action: str, resource: str, policy: str | dict[str, Any] | None, source_arn: str
) -> bool:
    """Whether a resource's policy lets a service act on it for SOURCE_ARN; a refusal is recorded.

    SERVICE is a principal such as `cloudwatch.amazonaws.com`. A grant to the account is none to a service.
    """
    account = get_account_id()
    context = iam.EvalContext(
        principal_arn="*",
        principal_type="Service",
        principal_account="",
        action=action,
        resource_arn=resource,
        region=get_region(),
        service_context={
            "aws:sourcearn": source_arn,
            "aws:sourceaccount": account,
            "aws:sourceowner": account,
        },
    )
    decision = iam.evaluate_resource_policy(policy, context, service=service).decision
    if decision != "Allow":
        record(service, action, resource)
    return bool(decision == "Allow")


def service_may_use_key(service: str, key: str, source_arn: str) -> bool:
    """Whether a key's policy lets a service encrypt with it for SOURCE_ARN; refusals are recorded.

    KEY is an id, ARN or alias. SNS and SQS ask for `kms:Decrypt` and `kms:GenerateDataKey`. The policy of a
    key that AWS manages (`alias/aws/sns`) admits no other service and cannot be changed.
    """
    from ministack.services import kms  # noqa: PLC0415 - loaded when first used

    found = kms.key_policy_for_arn(key)
    policy = found[0] if found else None
    actions = ("kms:Decrypt", "kms:GenerateDataKey")
    return not [action for action in actions if not service_may(service, action, key, policy, source_arn)]


def _recording(enforce: Any) -> Any:
    @wraps(enforce)
    def enforce_and_record(access_key: str, action: str, service: str, region: str, **details: Any) -> Any:
        if service == "sqs":
            action = action.removesuffix("Batch")
        denied = enforce(access_key, action, service, region, **details)
        if isinstance(denied, iam.EvalResult):
            record(denied.principal_arn, action, details.get("resource_arn", "*"))
        return denied

    return enforce_and_record


def install() -> None:
    """Record the refusals that MiniStack pronounces on API calls; name the batch actions of SQS as IAM does.

    IAM knows no action for SendMessageBatch and its like: the permission is that of the single call.
    """
    replace(iam, "enforce", _recording)
