"""What a request names to IAM: resources, condition keys and further permissions that MiniStack leaves out.

Without them a policy for some tables, topics, schedules, alarms or roles would admit all or none of the
requests below, and CI's roles could not be tried. Source of each rule: the service authorization reference.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from typing import Any
from urllib.parse import unquote

from ministack.core import iam_actions
from ministack.core import iam_evaluator as iam
from ministack.core.responses import get_account_id, get_region

from local.emulator.server.replacing import replace


@dataclass(frozen=True)
class _Request:
    """The request that is being decided: its service, path, parameters (of body and query) and resource."""

    service: str
    path: str
    values: Mapping[str, Any]
    resource: str

    def text(self, *names: str) -> str:
        """The first of the parameters that is there, as text."""
        for name in names:
            value = self.values.get(name)
            if isinstance(value, list):
                value = value[0] if value else ""
            if value:
                return str(value)
        return ""


_request: ContextVar[_Request | None] = ContextVar("request", default=None)


def _values(body: bytes, params: Mapping[str, Any]) -> dict[str, Any]:
    try:
        document = json.loads(body) if body[:1] == b"{" else {}
    except (
        json.JSONDecodeError,
        UnicodeDecodeError,
    ):  # a malformed request names nothing, and is refused later
        document = {}
    return {**params, **document}


def _arn(service: str, resource: str, region: str | None = None) -> str:
    return f"arn:aws:{service}:{get_region() if region is None else region}:{get_account_id()}:{resource}"


def _tables(request: _Request) -> str:
    return request.text("ResourceArn")


def _topics(request: _Request) -> str:
    """The topic, of a subscription too."""
    subscription = request.text("SubscriptionArn")
    return request.text("ResourceArn") or subscription.rpartition(":")[0]


def _schedules(request: _Request) -> str:
    kind, _, name = unquote(request.path).strip("/").partition("/")
    if kind == "tags":
        return name
    if kind == "schedules" and name:
        return _arn("scheduler", f"schedule/{request.text('groupName', 'GroupName') or 'default'}/{name}")
    return ""


def _alarms(request: _Request) -> str:
    """The alarm or dashboard; of several alarms the first, the others are checked beside it."""
    dashboard = request.text("DashboardName", "DashboardNames", "DashboardNames.member.1")
    if dashboard:
        return _arn("cloudwatch", f"dashboard/{dashboard}", region="")
    alarm = request.text("AlarmNames", "AlarmNames.member.1")
    return request.text("ResourceARN") or (_arn("cloudwatch", f"alarm:{alarm}") if alarm else "")


def _functions(request: _Request) -> str:
    """A function that is to be made; other requests have it in their path."""
    name = request.text("FunctionName") if request.path.rstrip("/").endswith("/functions") else ""
    return _arn("lambda", f"function:{name}") if name else ""


def _aliased(request: _Request) -> str:
    """The key that an alias has or shall have."""
    from ministack.services import kms  # noqa: PLC0415 - loaded when first used

    alias = request.text("AliasName")
    key = request.text("TargetKeyId") or (kms._aliases.get(_arn("kms", alias), "") if alias else "")
    return key if not key or key.startswith("arn:") else _arn("kms", f"key/{key}")


_RESOURCES: Mapping[str, Callable[[_Request], str]] = {
    "dynamodb": _tables,
    "kms": _aliased,
    "lambda": _functions,
    "sns": _topics,
    "scheduler": _schedules,
    "monitoring": _alarms,
}


# IAM has one permission for each way to invoke; all else is named as the operation.
_INVOCATIONS = {"Invoke": "InvokeFunction", "InvokeWithResponseStream": "InvokeFunction"}


def _lambda_actions(guess: Any) -> Any:
    @wraps(guess)
    def action(method: str, path: str) -> str | None:
        operation = iam_actions._match_rest_action("lambda", method, path)
        named: str | None = _INVOCATIONS.get(operation, operation) if operation else guess(method, path)
        return named

    return action


def _naming(extract: Any) -> Any:
    @wraps(extract)
    def named(service: str, *request: Any) -> str:
        _method, path, _headers, body, params, *_where = request
        found = str(extract(service, *request))
        asked = _Request(service, path, _values(body, params), found)
        own = _RESOURCES.get(service)
        resource = (own(asked) if own else "") or found
        _request.set(_Request(service, path, asked.values, resource))
        return resource

    return named


def _role(name: str) -> Mapping[str, Any]:
    from ministack.services import iam as iam_service  # noqa: PLC0415 - loaded when first used

    return iam_service._roles.get_scoped(get_account_id(), None, name) or {}


def _function_arn(request: _Request) -> str:
    from ministack.services import lambda_svc  # noqa: PLC0415 - loaded when first used

    mapping = lambda_svc._esms.get(request.resource.rpartition(":")[2]) or {}
    name = request.text("FunctionName") or str(mapping.get("FunctionArn", ""))
    return name if not name or name.startswith("arn:") else _arn("lambda", f"function:{name}")


def _keys(action: str, request: _Request) -> Iterator[tuple[str, Any]]:
    """Condition keys of a request beside its tags."""
    if action in ("iam:CreateRole", "iam:PutRolePermissionsBoundary"):
        yield "iam:PermissionsBoundary", request.text("PermissionsBoundary") or None
    elif request.service == "iam" and request.text("RoleName"):
        boundary = _role(request.text("RoleName")).get("PermissionsBoundary")
        yield "iam:PermissionsBoundary", boundary
    if action.endswith("EventSourceMapping"):
        yield "lambda:FunctionArn", _function_arn(request) or None


def _with_keys(context_of: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    @wraps(context_of)
    def context(service: str, action: str, body: bytes, params: dict[str, Any]) -> dict[str, Any]:
        request = _request.get()
        more = _keys(action, request) if request else ()
        return {**context_of(service, action, body, params), **{name: value for name, value in more if value}}

    return context


def _further(action: str, request: _Request) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """What else IAM asks for one request: action, service, resource, condition keys."""
    if action in ("lambda:CreateFunction", "lambda:UpdateFunctionConfiguration") and request.text("Role"):
        yield "iam:PassRole", "iam", request.text("Role"), {"iam:PassedToService": "lambda.amazonaws.com"}
    target = request.values.get("Target")
    if action in ("scheduler:CreateSchedule", "scheduler:UpdateSchedule") and isinstance(target, dict):
        yield (
            "iam:PassRole",
            "iam",
            str(target["RoleArn"]),
            {"iam:PassedToService": "scheduler.amazonaws.com"},
        )
    if action in ("kms:CreateAlias", "kms:DeleteAlias", "kms:UpdateAlias"):
        # The resource is the key so far; the alias has to be allowed as well.
        yield action, "kms", _arn("kms", request.text("AliasName")), {}
    if action in ("cloudwatch:DeleteAlarms", "cloudwatch:DescribeAlarms"):
        names = request.values.get("AlarmNames")
        for name in names[1:] if isinstance(names, list) else ():
            yield action, "monitoring", _arn("cloudwatch", f"alarm:{name}"), {}
    if action == "iam:CreateRole" and "Tags.member.1.Key" in request.values:
        yield "iam:TagRole", "iam", request.resource, {}


def _deciding(enforce: Any) -> Any:
    @wraps(enforce)
    def decide(access_key: str, action: str, service: str, region: str, **details: Any) -> Any:
        denied = enforce(access_key, action, service, region, **details)
        request = _request.get()
        if denied is not None or request is None or request.resource != details.get("resource_arn"):
            return denied
        for more, of, resource, keys in _further(action, request):
            denied = enforce(access_key, more, of, region, resource_arn=resource, service_context=keys)
            if denied is not None:
                return denied
        return None

    return decide


def install() -> None:
    """Patch what MiniStack reads out of a request, and what it asks for one, in this process."""
    iam_actions._BOTOCORE_SERVICE_MAP["lambda"] = ["lambda"]
    replace(iam_actions, "_lambda_action", _lambda_actions)
    replace(iam_actions, "extract_resource_arn", _naming)
    replace(iam_actions, "request_tag_context", _with_keys)
    replace(iam, "enforce", _deciding)
