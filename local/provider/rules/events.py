"""EventBridge: buses, rules, targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from local.provider.engine.rules import (
    AnyOf,
    Arn,
    AtLeastOneOf,
    ConflictsWith,
    Items,
    Json,
    JsonWithin,
    Keys,
    Length,
    Not,
    OneOf,
    Pattern,
    Range,
    Table,
)
from local.provider.engine.validation import PlanRule

_NAME = Pattern(r"[.\-_A-Za-z0-9]{1,64}", "have 1 to 64 of letters, digits and .-_")
_BUS_CHARACTERS = r"[/.\-_A-Za-z0-9]+"
_BUS = (
    Length(1, 1600),
    AnyOf(
        Arn("events", f"event-bus/{_BUS_CHARACTERS}"),
        Pattern(_BUS_CHARACTERS, "be the name of a bus, of letters, digits and /.-_"),
    ),
)

VALIDATED: Mapping[str, Table] = {
    "aws_cloudwatch_event_bus": {
        "dead_letter_config.arn": (Length(1, 1600), Arn()),
        "description": Length(0, 512),
        "event_source_name": (
            Length(1, 256),
            Pattern(r"aws\.partner(?:/[.\-_A-Za-z0-9]+){2,}", "be the name of a partner's event source"),
        ),
        "kms_key_identifier": Length(1, 2048),
        "log_config.include_detail": OneOf("FULL", "NONE"),
        "log_config.level": OneOf("ERROR", "INFO", "OFF", "TRACE"),
        "name": (Length(1, 256), Not(OneOf("default"), "be a name of your own")),
    },
    "aws_cloudwatch_event_rule": {
        "description": Length(0, 512),
        "event_bus_name": _BUS,
        "event_pattern": (AtLeastOneOf("event_pattern", "schedule_expression"), JsonWithin(4096)),
        "is_enabled": ConflictsWith("state"),
        "name": (ConflictsWith("name_prefix"), _NAME),
        "name_prefix": (ConflictsWith("name"), _NAME),
        "role_arn": Arn(),
        "schedule_expression": Length(0, 256),
        "state": (
            ConflictsWith("is_enabled"),
            OneOf("DISABLED", "ENABLED", "ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS"),
        ),
    },
    "aws_cloudwatch_event_target": {
        "arn": Arn(),
        "batch_target.array_size": Range(2, 10_000),
        "batch_target.job_attempts": Range(1, 10),
        "dead_letter_config.arn": Arn(),
        "ecs_target.capacity_provider_strategy.base": Range(0, 100_000),
        "ecs_target.capacity_provider_strategy.weight": Range(0, 1000),
        "ecs_target.group": Length(1, 255),
        "ecs_target.launch_type": OneOf("EC2", "FARGATE", "EXTERNAL"),
        "ecs_target.ordered_placement_strategy": Items(5),
        "ecs_target.placement_constraint": Items(10),
        "ecs_target.platform_version": Length(0, 1600),
        "ecs_target.task_count": Range(1, 2**31 - 1),
        "ecs_target.task_definition_arn": Arn(),
        "event_bus_name": _BUS,
        "input": (ConflictsWith("input_path", "input_transformer"), Json(), Length(0, 8192)),
        "input_path": (ConflictsWith("input", "input_transformer"), Length(0, 256)),
        "input_transformer": ConflictsWith("input", "input_path"),
        "input_transformer.input_paths": (
            Items(100),
            Keys(Pattern("(?!AWS).*", "begin with something other than AWS")),
        ),
        "input_transformer.input_template": Length(1, 8192),
        "kinesis_target.partition_key_path": Length(1, 256),
        "redshift_target.database": Length(1, 64),
        "redshift_target.db_user": Length(1, 128),
        "redshift_target.secrets_manager_arn": Arn(),
        "redshift_target.sql": Length(1, 100_000),
        "redshift_target.statement_name": Length(1, 500),
        "retry_policy.maximum_event_age_in_seconds": Range(0, 86_400),
        "retry_policy.maximum_retry_attempts": Range(0, 185),
        "role_arn": Arn(),
        "rule": _NAME,
        "run_command_targets": Items(5),
        "run_command_targets.key": Length(1, 128),
        "run_command_targets.values": (Items(50), Length(1, 256)),
        "sagemaker_pipeline_target.pipeline_parameter_list": Items(200),
        "target_id": _NAME,
    },
}
PLANNED: Mapping[str, Sequence[PlanRule]] = {}
