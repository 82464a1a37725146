"""The declarations of resource types, one module a service."""

from __future__ import annotations

from collections.abc import Mapping

from local.provider.engine.resource import Resource
from local.provider.resources.dynamodb import Table
from local.provider.resources.iam import Policy, Role, RolePolicy, RolePolicyAttachment
from local.provider.resources.lambda_function import Function
from local.provider.resources.lambda_invocation import Alias, EventInvokeConfig, Permission
from local.provider.resources.lambda_mapping import EventSourceMapping
from local.provider.resources.logs import LogGroup
from local.provider.resources.scheduler import Schedule, ScheduleGroup
from local.provider.resources.sqs import Queue, QueuePolicy, QueueRedriveAllowPolicy, QueueRedrivePolicy

_ALL: tuple[type[Resource], ...] = (
    Alias,
    EventInvokeConfig,
    EventSourceMapping,
    Function,
    LogGroup,
    Permission,
    Policy,
    Queue,
    QueuePolicy,
    QueueRedriveAllowPolicy,
    QueueRedrivePolicy,
    Role,
    RolePolicy,
    RolePolicyAttachment,
    Schedule,
    ScheduleGroup,
    Table,
)

RESOURCES: Mapping[str, Resource] = {declared.type: declared() for declared in _ALL}
