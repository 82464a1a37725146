"""SQS: queues, and their policies as resources of their own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from typing_extensions import override

from local.provider.engine.aws import Aws
from local.provider.engine.documents import compact_document
from local.provider.engine.equivalence import same_json, same_policy
from local.provider.engine.errors import Problem
from local.provider.engine.resource import Equivalence, Normal, Resource, Tagging
from local.provider.engine.values import Values
from local.provider.resources.common import as_text, chosen_name, from_text, name_prefix

GONE = frozenset({"QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue"})
_FIFO_SUFFIX = ".fifo"
_SOURCES = 10

# Attributes of a queue: the argument, SQS's name for it, and its type.
_ATTRIBUTES: tuple[tuple[str, str, type], ...] = (
    ("content_based_deduplication", "ContentBasedDeduplication", bool),
    ("deduplication_scope", "DeduplicationScope", str),
    ("delay_seconds", "DelaySeconds", int),
    ("fifo_queue", "FifoQueue", bool),
    ("fifo_throughput_limit", "FifoThroughputLimit", str),
    ("kms_data_key_reuse_period_seconds", "KmsDataKeyReusePeriodSeconds", int),
    ("kms_master_key_id", "KmsMasterKeyId", str),
    ("max_message_size", "MaximumMessageSize", int),
    ("message_retention_seconds", "MessageRetentionPeriod", int),
    ("policy", "Policy", str),
    ("receive_wait_time_seconds", "ReceiveMessageWaitTimeSeconds", int),
    ("redrive_allow_policy", "RedriveAllowPolicy", str),
    ("redrive_policy", "RedrivePolicy", str),
    ("sqs_managed_sse_enabled", "SqsManagedSseEnabled", bool),
    ("visibility_timeout_seconds", "VisibilityTimeout", int),
)
_FIFO_ONLY = frozenset({"content_based_deduplication", "fifo_queue"})


class Queue(Resource):
    """`aws_sqs_queue`."""

    type = "aws_sqs_queue"
    arguments = frozenset({"name", "name_prefix", *(name for name, _, _ in _ATTRIBUTES)})
    defaults: ClassVar[Mapping[str, Any]] = {
        "content_based_deduplication": False,
        "delay_seconds": 0,
        "fifo_queue": False,
        "max_message_size": 262_144,
        "message_retention_seconds": 345_600,
        "receive_wait_time_seconds": 0,
        "visibility_timeout_seconds": 30,
    }
    force_new = frozenset({"fifo_queue", "name", "name_prefix"})
    normal: ClassVar[Mapping[str, Normal]] = dict.fromkeys(
        ("policy", "redrive_allow_policy", "redrive_policy"), compact_document
    )
    equivalent: ClassVar[Mapping[str, Equivalence]] = {
        "policy": same_policy,
        "redrive_allow_policy": same_json,
        "redrive_policy": same_json,
    }
    missing = GONE
    tagging = Tagging("sqs", "QueueUrl", "id", listed=False, methods=("tag_queue", "untag_queue"))

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """CreateQueue with the attributes that are set."""
        attributes = {
            api: as_text(planned[name])
            for name, api, _ in _ATTRIBUTES
            if planned[name] not in (None, "") and not (name in _FIFO_ONLY and not planned[name])
        }
        suffix = _FIFO_SUFFIX if planned["fifo_queue"] else ""
        url: str = aws.client("sqs").create_queue(
            QueueName=chosen_name(planned, suffix), Attributes=attributes, tags=planned["tags_all"] or {}
        )["QueueUrl"]
        return url

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """GetQueueAttributes and the tags."""
        client, url = aws.client("sqs"), state["id"]
        found = client.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
        name = url.rpartition("/")[2]
        observed = {argument: from_text(found.get(api), kind) for argument, api, kind in _ATTRIBUTES}
        observed["kms_data_key_reuse_period_seconds"] = observed["kms_data_key_reuse_period_seconds"] or 300
        return {
            **observed,
            "arn": found["QueueArn"],
            "name": name,
            "name_prefix": name_prefix(name, _FIFO_SUFFIX),
            "tags_all": client.list_queue_tags(QueueUrl=url).get("Tags", {}),
            "url": url,
        }

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """SetQueueAttributes with what differs; an empty value removes."""
        attributes = {
            api: as_text(planned[name]) for name, api, _ in _ATTRIBUTES if planned[name] != prior[name]
        }
        aws.client("sqs").set_queue_attributes(QueueUrl=planned["id"], Attributes=attributes)

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeleteQueue."""
        aws.client("sqs").delete_queue(QueueUrl=state["id"])


class _QueueAttribute(Resource):
    """One attribute of a queue as a resource: its id is the queue's URL."""

    argument: ClassVar[str]
    attribute: ClassVar[str]
    force_new = frozenset({"queue_url"})
    missing = GONE

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """Set the attribute."""
        self.update(aws, planned, planned)
        return str(planned["queue_url"])

    @override
    def read(self, aws: Aws, state: Values) -> Values | None:
        """The attribute; a queue without it has lost this resource."""
        found = aws.client("sqs").get_queue_attributes(QueueUrl=state["id"], AttributeNames=[self.attribute])
        text = found.get("Attributes", {}).get(self.attribute)
        return {self.argument: text, "queue_url": state["id"]} if text else None

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """Set the attribute."""
        aws.client("sqs").set_queue_attributes(
            QueueUrl=planned["queue_url"], Attributes={self.attribute: planned[self.argument]}
        )

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """Set it to nothing."""
        aws.client("sqs").set_queue_attributes(QueueUrl=state["id"], Attributes={self.attribute: ""})


class QueuePolicy(_QueueAttribute):
    """`aws_sqs_queue_policy`."""

    type = "aws_sqs_queue_policy"
    argument, attribute = "policy", "Policy"
    arguments = frozenset({"policy", "queue_url"})
    normal: ClassVar[Mapping[str, Normal]] = {"policy": compact_document}
    equivalent: ClassVar[Mapping[str, Equivalence]] = {"policy": same_policy}


class QueueRedrivePolicy(_QueueAttribute):
    """`aws_sqs_queue_redrive_policy`."""

    type = "aws_sqs_queue_redrive_policy"
    argument, attribute = "redrive_policy", "RedrivePolicy"
    arguments = frozenset({"queue_url", "redrive_policy"})
    normal: ClassVar[Mapping[str, Normal]] = {"redrive_policy": compact_document}
    equivalent: ClassVar[Mapping[str, Equivalence]] = {"redrive_policy": same_json}


class QueueRedriveAllowPolicy(_QueueAttribute):
    """`aws_sqs_queue_redrive_allow_policy`."""

    type = "aws_sqs_queue_redrive_allow_policy"
    argument, attribute = "redrive_allow_policy", "RedriveAllowPolicy"
    arguments = frozenset({"queue_url", "redrive_allow_policy"})
    normal: ClassVar[Mapping[str, Normal]] = {"redrive_allow_policy": compact_document}
    equivalent: ClassVar[Mapping[str, Equivalence]] = {"redrive_allow_policy": same_json}

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """Set the attribute, after the check that SQS makes and the local one does not."""
        policy = json.loads(planned["redrive_allow_policy"])
        if isinstance(policy, dict) and len(policy.get("sourceQueueArns", [])) > _SOURCES:
            raise Problem(
                f"redrive_allow_policy names more than {_SOURCES} source queues",
                f"Name at most {_SOURCES} in sourceQueueArns, or write redrivePermission = allowAll.",
                "redrive_allow_policy",
            )
        super().update(aws, prior, planned)
