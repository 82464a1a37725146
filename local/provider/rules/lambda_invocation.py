"""Who invokes a function, under which name, from which source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from local.provider.engine.rules import (
    AccountId,
    AnyOf,
    Arn,
    ConflictsWith,
    ExactlyOneOf,
    Items,
    Length,
    NotEmpty,
    OneOf,
    Pattern,
    Range,
    Table,
    Timestamp,
)
from local.provider.engine.validation import PlanRule
from local.provider.rules.lambda_function import FUNCTION_NAME

_STATEMENT = Pattern(r"[A-Za-z0-9_-]{1,100}", "have 1 to 100 of letters, digits, - and _")

VALIDATED: Mapping[str, Table] = {
    "aws_lambda_event_source_mapping": {
        "amazon_managed_kafka_event_source_config": ConflictsWith(
            "self_managed_event_source", "self_managed_kafka_event_source_config"
        ),
        "amazon_managed_kafka_event_source_config.consumer_group_id": Length(1, 200),
        "destination_config.on_failure.destination_arn": Arn(),
        "document_db_event_source_config.full_document": OneOf("Default", "UpdateLookup"),
        "event_source_arn": ExactlyOneOf("event_source_arn", "self_managed_event_source"),
        "filter_criteria.filter": Items(10),
        "filter_criteria.filter.pattern": Length(0, 4096),
        "function_response_types": OneOf("ReportBatchItemFailures"),
        "kms_key_arn": Arn(),
        "maximum_record_age_in_seconds": AnyOf(OneOf(-1), Range(60, 604_800)),
        "maximum_retry_attempts": Range(-1, 10_000),
        "metrics_config.metrics": OneOf("ErrorCount", "EventCount", "KafkaMetrics"),
        "parallelization_factor": Range(1, 10),
        "provisioned_poller_config.maximum_pollers": Range(1, 2000),
        "provisioned_poller_config.minimum_pollers": Range(1, 200),
        "queues": (Items(1), Length(1, 1000)),
        # AWS raises the number on request, so that there is no upper bound.
        "scaling_config.maximum_concurrency": Range(2),
        "self_managed_kafka_event_source_config": ConflictsWith(
            "amazon_managed_kafka_event_source_config", "event_source_arn"
        ),
        "self_managed_kafka_event_source_config.consumer_group_id": Length(1, 200),
        "source_access_configuration": Items(22),
        "starting_position": OneOf("AT_TIMESTAMP", "LATEST", "TRIM_HORIZON"),
        "starting_position_timestamp": Timestamp(),
        "topics": Length(1, 249),
        "tumbling_window_in_seconds": Range(0, 900),
    },
    "aws_lambda_function_event_invoke_config": {
        "destination_config.on_failure.destination": Arn(),
        "destination_config.on_success.destination": Arn(),
        "function_name": NotEmpty(),
        "maximum_event_age_in_seconds": Range(60, 21_600),
        "maximum_retry_attempts": Range(0, 2),
        "qualifier": NotEmpty(),
    },
    "aws_lambda_function_recursion_config": {
        "function_name": Pattern(".*[A-Za-z0-9_-].*", "be a function's name"),
        "recursive_loop": OneOf("Allow", "Terminate"),
    },
    "aws_lambda_permission": {
        "action": Pattern(r"lambda:\*|lambda:[A-Za-z]+|\*", "be an action, such as lambda:InvokeFunction"),
        "event_source_token": Pattern("[0-9A-Za-z_.-]{1,256}", "have 1 to 256 of letters, digits and ._-"),
        "function_name": FUNCTION_NAME,
        "function_url_auth_type": OneOf("AWS_IAM", "NONE"),
        "qualifier": Pattern("[0-9A-Za-z_$-]{1,128}", "have 1 to 128 of letters, digits and $_-"),
        "source_account": AccountId(),
        "source_arn": Arn(),
        "statement_id": (ConflictsWith("statement_id_prefix"), _STATEMENT),
        "statement_id_prefix": (ConflictsWith("statement_id"), _STATEMENT),
    },
}
PLANNED: Mapping[str, Sequence[PlanRule]] = {}
