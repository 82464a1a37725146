"""IAM: SimulateCustomPolicy with boundary, context and several resources, which MiniStack leaves out.

Without them a policy is judged as if every request lacked every condition key, on one resource, unbounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from itertools import count
from typing import Any
from xml.sax.saxutils import escape

from ministack.core import iam_evaluator as evaluator
from ministack.core.responses import get_account_id, get_region
from ministack.services import iam

from local.emulator.server.replacing import replace

_DECISIONS = {"Allow": "allowed", "Deny": "explicitDeny", "ImplicitDeny": "implicitDeny"}
_MULTIVALUED = ("stringList", "numericList", "booleanList", "ipList", "binaryList", "dateList")
# Asked for by name, and answered by nothing here.
_UNSUPPORTED = ("ResourcePolicy", "ResourceOwner", "CallerArn", "ResourceHandlingOption")


class _InvalidInputError(ValueError):
    """What IAM answers with ValidationError or InvalidInput."""


def _members(parameters: Any, name: str) -> Iterator[str]:
    """The members of a list of the Query protocol, in order."""
    for number in count(1):
        value = iam._p(parameters, f"{name}.member.{number}")
        if not value:
            return
        yield value


def _policies(parameters: Any, name: str) -> list[list[evaluator.ParsedStatement]]:
    documents = list(_members(parameters, name))
    for document in documents:
        fault = evaluator.validate_policy_document(document)
        if fault:
            raise _InvalidInputError(f"{name}: {fault}")
    return [evaluator.parse_policy_document(document) for document in documents]


def _context(parameters: Any) -> dict[str, Any]:
    """The context keys of the simulated request, in lower case; a key that is not named is missing."""
    context: dict[str, Any] = {"aws:tagkeys": None}
    for number in count(1):
        entry = f"ContextEntries.member.{number}"
        name = iam._p(parameters, f"{entry}.ContextKeyName")
        if not name:
            return context
        # MiniStack's parser drops members without text: no value is the empty one.
        values = list(_members(parameters, f"{entry}.ContextKeyValues")) or [""]
        kind = iam._p(parameters, f"{entry}.ContextKeyType") or ""
        if kind not in _MULTIVALUED and len(values) != 1:
            raise _InvalidInputError(f"{name}: a key of the type {kind or 'string'} has one value")
        context[name.lower()] = values if kind in _MULTIVALUED else values[0]
    raise AssertionError("count() has no end")


def _simulate_custom_policy(parameters: Any) -> Any:
    try:
        results = "".join(_results(parameters))
    except _InvalidInputError as fault:
        return iam._error(400, "InvalidInput", escape(str(fault)), ns="iam")
    return iam._xml(
        200,
        "SimulateCustomPolicyResponse",
        f"<SimulateCustomPolicyResult><EvaluationResults>{results}</EvaluationResults>"
        "<IsTruncated>false</IsTruncated></SimulateCustomPolicyResult>",
        ns="iam",
    )


def _results(parameters: Any) -> Iterator[str]:
    for name in _UNSUPPORTED:
        if iam._p(parameters, name):
            raise _InvalidInputError(f"{name} is not simulated here")
    policies = _policies(parameters, "PolicyInputList")
    boundary = _policies(parameters, "PermissionsBoundaryPolicyInputList")
    context = _context(parameters)
    actions = list(_members(parameters, "ActionNames"))
    if not policies or not actions:
        raise _InvalidInputError("PolicyInputList and ActionNames must not be empty")
    limits = [boundary] if boundary else []
    for action in actions:
        for resource in list(_members(parameters, "ResourceArns")) or ["*"]:
            yield _result(action, resource, _decide(action, resource, context, policies, limits))


def _decide(
    action: str,
    resource: str,
    context: dict[str, Any],
    policies: list[list[evaluator.ParsedStatement]],
    limits: list[list[list[evaluator.ParsedStatement]]],
) -> evaluator.EvalResult:
    account = get_account_id()
    request = evaluator.EvalContext(
        principal_arn=f"arn:aws:iam::{account}:root",
        principal_type="AssumedRole",
        principal_account=account,
        action=action,
        resource_arn=resource,
        region=get_region(),
        secure_transport=True,
        service_context=context,
    )
    return evaluator.evaluate(request, policies, *limits)


def _result(action: str, resource: str, decided: evaluator.EvalResult) -> str:
    matched = f"<member><SourcePolicyId>{escape(decided.matched_sid)}</SourcePolicyId></member>"
    return (
        f"<member><EvalActionName>{escape(action)}</EvalActionName>"
        f"<EvalResourceName>{escape(resource)}</EvalResourceName>"
        f"<EvalDecision>{_DECISIONS[decided.decision]}</EvalDecision>"
        f"<MatchedStatements>{matched if decided.matched_sid else ''}</MatchedStatements>"
        "<MissingContextValues></MissingContextValues></member>"
    )


def _named_first(resolve: Callable[..., Any]) -> Callable[..., Any]:
    """A global key, too, has the value that the request's context names for it."""

    @wraps(resolve)
    def resolved(key: str, request: evaluator.EvalContext) -> Any:
        name = key.lower()
        return request.service_context[name] if name in request.service_context else resolve(key, request)

    return resolved


def install() -> None:
    """Replace MiniStack's simulation of policies that are handed over."""
    replace(evaluator, "_resolve_condition_key", _named_first)
    replaced = "SimulateCustomPolicy"
    if replaced not in iam._IAM_HANDLERS:
        raise AttributeError(f"MiniStack has no {replaced} any more")
    iam._IAM_HANDLERS[replaced] = _simulate_custom_policy
