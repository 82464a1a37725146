"""SQS: queues, and their policies as resources of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from local.provider.engine.errors import Problem
from local.provider.engine.rules import ConflictsWith, Json, OneOf, Range, Table
from local.provider.engine.validation import Planned, PlanRule
from local.provider.engine.values import known
from local.provider.rules._fifo import fifo_name

VALIDATED: Mapping[str, Table] = {
    "aws_sqs_queue": {
        "deduplication_scope": OneOf("messageGroup", "queue"),
        "delay_seconds": Range(0, 900),
        "fifo_throughput_limit": OneOf("perMessageGroupId", "perQueue"),
        "kms_data_key_reuse_period_seconds": Range(60, 86_400),
        "kms_master_key_id": ConflictsWith("sqs_managed_sse_enabled"),
        "max_message_size": Range(1024, 1_048_576),
        "message_retention_seconds": Range(60, 1_209_600),
        "name": ConflictsWith("name_prefix"),
        "name_prefix": ConflictsWith("name"),
        "policy": Json(),
        "redrive_allow_policy": Json(),
        "redrive_policy": Json(),
        "sqs_managed_sse_enabled": ConflictsWith("kms_master_key_id"),
        "visibility_timeout_seconds": Range(0, 43_200),
    },
    "aws_sqs_queue_policy": {"policy": Json()},
    "aws_sqs_queue_redrive_allow_policy": {"redrive_allow_policy": Json()},
    "aws_sqs_queue_redrive_policy": {"redrive_policy": Json()},
}


def _fifo_only(change: Planned) -> Iterator[Problem]:
    """What only FIFO queues have."""
    if known(change.values["content_based_deduplication"]) and not known(change.values["fifo_queue"]):
        yield Problem(
            "content-based deduplication can only be set for FIFO queue",
            "Write fifo_queue = true.",
            "content_based_deduplication",
        )


PLANNED: Mapping[str, Sequence[PlanRule]] = {
    "aws_sqs_queue": (fifo_name("queue", "fifo_queue", 80), _fifo_only)
}
