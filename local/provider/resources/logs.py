"""CloudWatch Logs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from typing_extensions import override

from local.provider.engine.aws import Aws
from local.provider.engine.resource import Resource, Tagging
from local.provider.engine.values import Values
from local.provider.resources.common import changed, chosen_name, name_prefix, present

_GONE = frozenset({"ResourceNotFoundException"})


class LogGroup(Resource):
    """`aws_cloudwatch_log_group`."""

    type = "aws_cloudwatch_log_group"
    arguments = frozenset(
        {"kms_key_id", "log_group_class", "name", "name_prefix", "retention_in_days", "skip_destroy"}
    )
    defaults: ClassVar[Mapping[str, Any]] = {"retention_in_days": 0, "skip_destroy": False}
    force_new = frozenset({"log_group_class", "name", "name_prefix"})
    missing = _GONE
    tagging = Tagging("logs", "resourceArn", listed=False, names=("tags", "tagKeys"))

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """CreateLogGroup and its retention."""
        name = chosen_name(planned)
        client = aws.client("logs")
        client.create_log_group(
            logGroupName=name,
            tags=planned["tags_all"] or {},
            **present(
                kmsKeyId=planned["kms_key_id"] or None, logGroupClass=planned["log_group_class"] or None
            ),
        )
        if planned["retention_in_days"]:
            client.put_retention_policy(logGroupName=name, retentionInDays=planned["retention_in_days"])
        return name

    @override
    def read(self, aws: Aws, state: Values) -> Values | None:
        """The group of exactly this name among those that begin with it."""
        client, name = aws.client("logs"), state["id"]
        pages = client.get_paginator("describe_log_groups").paginate(logGroupNamePrefix=name)
        group = next(
            (item for page in pages for item in page["logGroups"] if item["logGroupName"] == name), None
        )
        if group is None:
            return None
        arn = group["arn"].removesuffix(":*")
        return {
            "arn": arn,
            "kms_key_id": group.get("kmsKeyId"),
            "log_group_class": group.get("logGroupClass", "STANDARD"),
            "name": name,
            "name_prefix": name_prefix(name),
            "retention_in_days": group.get("retentionInDays", 0),
            "tags_all": client.list_tags_for_resource(resourceArn=arn).get("tags", {}),
        }

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """Retention and key."""
        client, name = aws.client("logs"), planned["id"]
        if changed(prior, planned, "retention_in_days"):
            if planned["retention_in_days"]:
                client.put_retention_policy(logGroupName=name, retentionInDays=planned["retention_in_days"])
            else:
                client.delete_retention_policy(logGroupName=name)
        if changed(prior, planned, "kms_key_id"):
            if planned["kms_key_id"]:
                client.associate_kms_key(logGroupName=name, kmsKeyId=planned["kms_key_id"])
            else:
                client.disassociate_kms_key(logGroupName=name)

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeleteLogGroup, unless it is to outlive its resource."""
        if not state["skip_destroy"]:
            aws.client("logs").delete_log_group(logGroupName=state["id"])


class SubscriptionFilter(Resource):
    """`aws_cloudwatch_log_subscription_filter`; imported as `group|name`."""

    type = "aws_cloudwatch_log_subscription_filter"
    arguments = frozenset(
        {"destination_arn", "distribution", "filter_pattern", "log_group_name", "name", "role_arn"}
    )
    defaults: ClassVar[Mapping[str, Any]] = {"distribution": "ByLogStream"}
    force_new = frozenset({"log_group_name", "name"})
    missing = _GONE

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """PutSubscriptionFilter."""
        self.update(aws, planned, planned)
        return f"{planned['log_group_name']}|{planned['name']}"

    @override
    def read(self, aws: Aws, state: Values) -> Values | None:
        """The filter of exactly this name among those that begin with it."""
        group, _, name = state["id"].rpartition("|")
        found = aws.client("logs").describe_subscription_filters(logGroupName=group, filterNamePrefix=name)
        filters = found["subscriptionFilters"]
        filter_ = next((item for item in filters if item["filterName"] == name), None)
        if filter_ is None:
            return None
        return {
            "apply_on_transformed_logs": filter_.get("applyOnTransformedLogs", False),
            "destination_arn": filter_["destinationArn"],
            "distribution": filter_.get("distribution", "ByLogStream"),
            "filter_pattern": filter_.get("filterPattern", ""),
            "log_group_name": group,
            "name": name,
            "role_arn": filter_.get("roleArn", ""),
        }

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """PutSubscriptionFilter again."""
        aws.client("logs").put_subscription_filter(
            destinationArn=planned["destination_arn"],
            distribution=planned["distribution"],
            filterName=planned["name"],
            filterPattern=planned["filter_pattern"],
            logGroupName=planned["log_group_name"],
            **present(roleArn=planned["role_arn"] or None),
        )

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeleteSubscriptionFilter."""
        aws.client("logs").delete_subscription_filter(
            filterName=state["name"], logGroupName=state["log_group_name"]
        )
