"""SNS: topics, their policies, subscriptions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from typing_extensions import override

from local.provider.engine.aws import Aws
from local.provider.engine.documents import compact_document
from local.provider.engine.equivalence import same_json, same_policy
from local.provider.engine.resource import Equivalence, Normal, Resource, Tagging
from local.provider.engine.values import Values
from local.provider.resources.common import (
    as_text,
    changed,
    chosen_name,
    from_text,
    name_prefix,
    tag_list,
    tag_map,
)

_GONE = frozenset({"NotFound", "NotFoundException"})
_FIFO_SUFFIX = ".fifo"
# Attributes of a topic: the argument, SNS's name for it, and its type.
_TOPIC: tuple[tuple[str, str, type], ...] = (
    ("archive_policy", "ArchivePolicy", str),
    ("content_based_deduplication", "ContentBasedDeduplication", bool),
    ("delivery_policy", "DeliveryPolicy", str),
    ("display_name", "DisplayName", str),
    ("fifo_throughput_scope", "FifoThroughputScope", str),
    ("fifo_topic", "FifoTopic", bool),
    ("kms_master_key_id", "KmsMasterKeyId", str),
    ("policy", "Policy", str),
    ("signature_version", "SignatureVersion", int),
    ("tracing_config", "TracingConfig", str),
)
_OWNER_ACTIONS = (
    "GetTopicAttributes", "SetTopicAttributes", "AddPermission", "RemovePermission", "DeleteTopic",
    "Subscribe", "ListSubscriptionsByTopic", "Publish",
)  # fmt: skip
# Attributes of a subscription.
_SUBSCRIPTION: tuple[tuple[str, str, type], ...] = (
    ("delivery_policy", "DeliveryPolicy", str),
    ("filter_policy", "FilterPolicy", str),
    ("filter_policy_scope", "FilterPolicyScope", str),
    ("raw_message_delivery", "RawMessageDelivery", bool),
    ("redrive_policy", "RedrivePolicy", str),
    ("subscription_role_arn", "SubscriptionRoleArn", str),
)


class Topic(Resource):
    """`aws_sns_topic`, without delivery status logging; its id is its ARN."""

    type = "aws_sns_topic"
    arguments = frozenset({"name", "name_prefix", *(name for name, _, _ in _TOPIC)})
    defaults: ClassVar[Mapping[str, Any]] = {"content_based_deduplication": False, "fifo_topic": False}
    force_new = frozenset({"fifo_topic", "name", "name_prefix"})
    normal: ClassVar[Mapping[str, Normal]] = dict.fromkeys(
        ("archive_policy", "delivery_policy", "policy"), compact_document
    )
    equivalent: ClassVar[Mapping[str, Equivalence]] = {
        "archive_policy": same_json,
        "delivery_policy": same_json,
        "policy": same_policy,
    }
    missing = _GONE
    tagging = Tagging("sns", "ResourceArn")

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """CreateTopic with the attributes that are set."""
        attributes = {
            api: as_text(planned[name]) for name, api, _ in _TOPIC if planned[name] not in (None, "", False)
        }
        identifier: str = aws.client("sns").create_topic(
            Name=chosen_name(planned, _FIFO_SUFFIX if planned["fifo_topic"] else ""),
            Attributes=attributes,
            Tags=tag_list(planned["tags_all"]),
        )["TopicArn"]
        return identifier

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """GetTopicAttributes and the tags."""
        client, identifier = aws.client("sns"), state["id"]
        found = client.get_topic_attributes(TopicArn=identifier)["Attributes"]
        name = identifier.rpartition(":")[2]
        observed = {argument: from_text(found.get(api), kind) for argument, api, kind in _TOPIC}
        return {
            **observed,
            "arn": identifier,
            "beginning_archive_time": found.get("BeginningArchiveTime", ""),
            "name": name,
            "name_prefix": name_prefix(name, _FIFO_SUFFIX),
            "owner": found.get("Owner"),
            "tags_all": tag_map(client.list_tags_for_resource(ResourceArn=identifier).get("Tags", [])),
        }

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """SetTopicAttributes, one at a time."""
        for name, api, _ in _TOPIC:
            if changed(prior, planned, name):
                aws.client("sns").set_topic_attributes(
                    TopicArn=planned["id"], AttributeName=api, AttributeValue=as_text(planned[name])
                )

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeleteTopic."""
        aws.client("sns").delete_topic(TopicArn=state["id"])


class TopicPolicy(Resource):
    """`aws_sns_topic_policy`; its id is the topic's ARN."""

    type = "aws_sns_topic_policy"
    arguments = frozenset({"arn", "policy"})
    force_new = frozenset({"arn"})
    normal: ClassVar[Mapping[str, Normal]] = {"policy": compact_document}
    equivalent: ClassVar[Mapping[str, Equivalence]] = {"policy": same_policy}
    missing = _GONE

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """Set the topic's policy."""
        self.update(aws, planned, planned)
        return str(planned["arn"])

    @override
    def read(self, aws: Aws, state: Values) -> Values | None:
        """The topic's policy."""
        found = aws.client("sns").get_topic_attributes(TopicArn=state["id"])["Attributes"]
        if not found.get("Policy"):
            return None
        return {"arn": state["id"], "owner": found.get("Owner"), "policy": found["Policy"]}

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """Set the topic's policy."""
        self._set(aws, planned["arn"], planned["policy"])

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """A topic always has a policy: back to the one that it is created with, for its owner alone."""
        statement = {
            "Sid": "__default_statement_ID",
            "Effect": "Allow",
            "Principal": {"AWS": "*"},
            "Action": [f"SNS:{action}" for action in _OWNER_ACTIONS],
            "Resource": state["id"],
            "Condition": {"StringEquals": {"AWS:SourceOwner": state["owner"] or aws.account_id}},
        }
        policy = {"Version": "2008-10-17", "Id": "__default_policy_ID", "Statement": [statement]}
        self._set(aws, state["id"], json.dumps(policy))

    def _set(self, aws: Aws, topic: str, policy: str) -> None:
        aws.client("sns").set_topic_attributes(TopicArn=topic, AttributeName="Policy", AttributeValue=policy)


class TopicSubscription(Resource):
    """`aws_sns_topic_subscription`; its id is its ARN."""

    type = "aws_sns_topic_subscription"
    arguments = frozenset(
        {
            "confirmation_timeout_in_minutes",
            "endpoint",
            "endpoint_auto_confirms",
            "protocol",
            "topic_arn",
            *(name for name, _, _ in _SUBSCRIPTION),
        }
    )
    defaults: ClassVar[Mapping[str, Any]] = {
        "confirmation_timeout_in_minutes": 1,
        "endpoint_auto_confirms": False,
        "raw_message_delivery": False,
    }
    force_new = frozenset({"endpoint", "protocol", "topic_arn"})
    normal: ClassVar[Mapping[str, Normal]] = dict.fromkeys(
        ("delivery_policy", "filter_policy", "redrive_policy"), compact_document
    )
    equivalent: ClassVar[Mapping[str, Equivalence]] = {
        "delivery_policy": same_json,
        "filter_policy": same_json,
        "redrive_policy": same_json,
    }
    missing = _GONE

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """Subscribe with the attributes that are set."""
        attributes = {
            api: as_text(planned[name])
            for name, api, _ in _SUBSCRIPTION
            if planned[name] not in (None, "", False)
        }
        identifier: str = aws.client("sns").subscribe(
            Attributes=attributes,
            Endpoint=planned["endpoint"],
            Protocol=planned["protocol"],
            ReturnSubscriptionArn=True,
            TopicArn=planned["topic_arn"],
        )["SubscriptionArn"]
        return identifier

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """GetSubscriptionAttributes."""
        found = aws.client("sns").get_subscription_attributes(SubscriptionArn=state["id"])["Attributes"]
        observed = {argument: from_text(found.get(api), kind) for argument, api, kind in _SUBSCRIPTION}
        return {
            **observed,
            "arn": state["id"],
            "confirmation_was_authenticated": found.get("ConfirmationWasAuthenticated") == "true",
            "endpoint": found["Endpoint"],
            "owner_id": found.get("Owner"),
            "pending_confirmation": found.get("PendingConfirmation") == "true",
            "protocol": found["Protocol"],
            "topic_arn": found["TopicArn"],
        }

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """SetSubscriptionAttributes, one at a time."""
        for name, api, _ in _SUBSCRIPTION:
            if changed(prior, planned, name):
                value = as_text(planned[name]) or ("{}" if name == "filter_policy" else "")
                aws.client("sns").set_subscription_attributes(
                    SubscriptionArn=planned["id"], AttributeName=api, AttributeValue=value
                )

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """Unsubscribe."""
        aws.client("sns").unsubscribe(SubscriptionArn=state["id"])
