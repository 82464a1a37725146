"""The declarations of resource types, one module a service."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType

from local.provider.engine.resource import Resource
from local.provider.resources import (
    cloudwatch,
    dynamodb,
    events,
    iam,
    iam_oidc,
    kms,
    lambda_function,
    lambda_invocation,
    lambda_mapping,
    logs,
    pipes,
    s3,
    s3_lifecycle,
    scheduler,
    sns,
    sqs,
    ssm,
)

_MODULES: tuple[ModuleType, ...] = (
    cloudwatch,
    dynamodb,
    events,
    iam,
    iam_oidc,
    kms,
    lambda_function,
    lambda_invocation,
    lambda_mapping,
    logs,
    pipes,
    s3,
    s3_lifecycle,
    scheduler,
    sns,
    sqs,
    ssm,
)


def _declared(module: ModuleType) -> list[type[Resource]]:
    """The declarations that a module makes itself; one without a type of its own is a base of others."""
    found = [
        value for value in vars(module).values() if isinstance(value, type) and issubclass(value, Resource)
    ]
    return [value for value in found if value.__module__ == module.__name__ and "type" in vars(value)]


RESOURCES: Mapping[str, Resource] = {
    declared.type: declared() for module in _MODULES for declared in _declared(module)
}
