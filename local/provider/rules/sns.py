"""SNS: topics, their policies, subscriptions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from local.provider.engine.errors import Problem
from local.provider.engine.rules import Arn, ConflictsWith, Json, OneOf, Range, Rule, Table
from local.provider.engine.validation import Planned, PlanRule
from local.provider.engine.values import known
from local.provider.rules._fifo import fifo_name


def _feedback(*endpoints: str) -> Iterator[tuple[str, Rule]]:
    for endpoint in endpoints:
        yield f"{endpoint}_failure_feedback_role_arn", Arn()
        yield f"{endpoint}_success_feedback_role_arn", Arn()
        yield f"{endpoint}_success_feedback_sample_rate", Range(0, 100)


VALIDATED: Mapping[str, Table] = {
    "aws_sns_topic": {
        **dict(_feedback("application", "firehose", "http", "lambda", "sqs")),
        "archive_policy": Json(),
        "delivery_policy": Json(),
        "fifo_throughput_scope": OneOf("MessageGroup", "Topic"),
        "name": ConflictsWith("name_prefix"),
        "name_prefix": ConflictsWith("name"),
        "policy": Json(),
        "signature_version": Range(1, 2),
        "tracing_config": OneOf("Active", "PassThrough"),
    },
    "aws_sns_topic_policy": {"arn": Arn(), "policy": Json()},
    "aws_sns_topic_subscription": {
        "delivery_policy": Json(),
        "filter_policy": Json(),
        "filter_policy_scope": OneOf("MessageAttributes", "MessageBody"),
        "protocol": OneOf(
            "application", "email", "email-json", "firehose", "http", "https", "lambda", "sms", "sqs"
        ),
        "redrive_policy": Json(),
        "replay_policy": Json(),
        "subscription_role_arn": Arn(),
        "topic_arn": Arn(),
    },
}


def _fifo_only(change: Planned) -> Iterator[Problem]:
    """What only FIFO topics have."""
    if known(change.values["fifo_topic"]):
        return
    for name in ("archive_policy", "content_based_deduplication"):
        if known(change.values[name]):
            yield Problem(f"{name} can only be set for FIFO topics", "Write fifo_topic = true.", name)


def _scope(change: Planned) -> Iterator[Problem]:
    """A scope needs the policy that it is the scope of."""
    if change.config["filter_policy_scope"] is not None and not known(change.values["filter_policy"]):
        yield Problem(
            "filter_policy is required when filter_policy_scope is set",
            "Write it, or leave the scope out.",
            "filter_policy",
        )


PLANNED: Mapping[str, Sequence[PlanRule]] = {
    "aws_sns_topic": (fifo_name("topic", "fifo_topic", 256), _fifo_only),
    "aws_sns_topic_subscription": (_scope,),
}
