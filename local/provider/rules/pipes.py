"""EventBridge Pipes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from local.provider.engine.rules import (
    AnyOf,
    Arn,
    ConflictsWith,
    Items,
    Length,
    OneOf,
    Pattern,
    Range,
    Rule,
    Table,
)
from local.provider.engine.validation import PlanRule

_NAME = Pattern("[0-9A-Za-z_.-].*", "begin with a letter, a digit or one of _.-")
_HOST = "(?:[0-9A-Za-z](?:[0-9A-Za-z-]*[0-9A-Za-z])?)"
_SOURCES = (
    "activemq_broker_parameters",
    "dynamodb_stream_parameters",
    "kinesis_stream_parameters",
    "managed_streaming_kafka_parameters",
    "rabbitmq_broker_parameters",
    "self_managed_kafka_parameters",
    "sqs_queue_parameters",
)
_TARGETS = (
    "batch_job_parameters",
    "cloudwatch_logs_parameters",
    "ecs_task_parameters",
    "eventbridge_event_bus_parameters",
    "http_parameters",
    "kinesis_stream_parameters",
    "lambda_function_parameters",
    "redshift_data_parameters",
    "sagemaker_pipeline_parameters",
    "sqs_queue_parameters",
    "step_function_state_machine_parameters",
)


def _one_of_kind(parent: str, kinds: Sequence[str]) -> Iterator[tuple[str, Rule]]:
    for kind in kinds:
        yield f"{parent}.{kind}", ConflictsWith(*(other for other in kinds if other != kind))


VALIDATED: Mapping[str, Table] = {
    "aws_pipes_pipe": {
        **dict(_one_of_kind("source_parameters", _SOURCES)),
        **dict(_one_of_kind("target_parameters", _TARGETS)),
        "desired_state": OneOf("RUNNING", "STOPPED"),
        "enrichment": Arn(),
        "kms_key_identifier": Length(0, 2048),
        "name": (ConflictsWith("name_prefix"), Length(1, 64), _NAME),
        "name_prefix": (ConflictsWith("name"), Length(1, 38), _NAME),
        "role_arn": Arn(),
        "source": AnyOf(
            Arn(), Pattern(rf"smk://(?:{_HOST}\.)*{_HOST}:[0-9]{{1,5}}.*", "be a self-managed source, smk://")
        ),
        "source_parameters.filter_criteria.filter": Items(5),
        "source_parameters.filter_criteria.filter.pattern": Length(1, 4096),
        "source_parameters.sqs_queue_parameters.batch_size": Range(1, 10_000),
        "source_parameters.sqs_queue_parameters.maximum_batching_window_in_seconds": Range(0, 300),
        "target": Arn(),
        "target_parameters.input_template": Length(0, 8192),
        "target_parameters.lambda_function_parameters.invocation_type": OneOf(
            "FIRE_AND_FORGET", "REQUEST_RESPONSE"
        ),
        "target_parameters.sqs_queue_parameters.message_deduplication_id": Length(1, 100),
        "target_parameters.sqs_queue_parameters.message_group_id": Length(1, 100),
    },
}
PLANNED: Mapping[str, Sequence[PlanRule]] = {}
