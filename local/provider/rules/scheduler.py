"""EventBridge Scheduler."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from local.provider.engine.rules import (
    Arn,
    ConflictsWith,
    Items,
    Length,
    OneOf,
    Pattern,
    Range,
    Rule,
    Table,
    Timestamp,
)
from local.provider.engine.validation import PlanRule


def _name(longest: int) -> Pattern:
    return Pattern(rf"[0-9A-Za-z_.-]{{1,{longest}}}", f"have 1 to {longest} of letters, digits and _.-")


_NAMES: Mapping[str, Sequence[Rule]] = {
    "name": (ConflictsWith("name_prefix"), _name(64)),
    "name_prefix": (ConflictsWith("name"), _name(38)),
}

VALIDATED: Mapping[str, Table] = {
    "aws_scheduler_schedule": {
        **_NAMES,
        "action_after_completion": OneOf("DELETE", "NONE"),
        "description": Length(0, 512),
        "end_date": Timestamp(),
        "flexible_time_window.maximum_window_in_minutes": Range(1, 1440),
        "flexible_time_window.mode": OneOf("FLEXIBLE", "OFF"),
        "group_name": Length(1, 64),
        "kms_key_arn": Arn(),
        "schedule_expression": Length(1, 256),
        "schedule_expression_timezone": Length(1, 50),
        "start_date": Timestamp(),
        "state": OneOf("DISABLED", "ENABLED"),
        "target.arn": Arn(),
        "target.dead_letter_config.arn": Arn(),
        "target.ecs_parameters.capacity_provider_strategy": Items(6),
        "target.ecs_parameters.capacity_provider_strategy.base": Range(0, 100_000),
        "target.ecs_parameters.capacity_provider_strategy.capacity_provider": Length(1, 255),
        "target.ecs_parameters.capacity_provider_strategy.weight": Range(0, 1000),
        "target.ecs_parameters.group": Length(1, 255),
        "target.ecs_parameters.launch_type": OneOf("EC2", "EXTERNAL", "FARGATE"),
        "target.ecs_parameters.placement_constraints": Items(10),
        "target.ecs_parameters.placement_constraints.expression": Length(1, 2000),
        "target.ecs_parameters.placement_strategy": Items(5),
        "target.ecs_parameters.task_count": Range(0, 10),
        "target.ecs_parameters.task_definition_arn": Arn(),
        "target.eventbridge_parameters.detail_type": Length(1, 128),
        "target.eventbridge_parameters.source": Length(1, 256),
        "target.input": Length(1, sys.maxsize),
        "target.kinesis_parameters.partition_key": Length(1, 256),
        "target.retry_policy.maximum_event_age_in_seconds": Range(60, 86_400),
        "target.retry_policy.maximum_retry_attempts": Range(0, 185),
        "target.role_arn": Arn(),
        "target.sagemaker_pipeline_parameters.pipeline_parameter": Items(200),
        "target.sagemaker_pipeline_parameters.pipeline_parameter.name": Length(1, 256),
        "target.sagemaker_pipeline_parameters.pipeline_parameter.value": Length(1, 1024),
        "target.sqs_parameters.message_group_id": Length(1, 128),
    },
    "aws_scheduler_schedule_group": _NAMES,
}
PLANNED: Mapping[str, Sequence[PlanRule]] = {}
