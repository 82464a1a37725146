"""S3 lifecycle rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from local.provider.engine.aws import Aws
from local.provider.engine.resource import Resource
from local.provider.engine.values import Values
from local.provider.resources.common import block, blocks, present, tag_list, tag_map
from local.provider.resources.s3 import GONE


class BucketLifecycle(Resource):
    """`aws_s3_bucket_lifecycle_configuration`, with ages in days."""

    type = "aws_s3_bucket_lifecycle_configuration"
    framework = True
    arguments = frozenset({"bucket", "rule"})
    refused = frozenset({"rule.expiration.date", "rule.prefix", "rule.transition.date"})
    force_new = frozenset({"bucket"})
    missing = GONE | {"NoSuchLifecycleConfiguration"}

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """PutBucketLifecycleConfiguration."""
        self.update(aws, planned, planned)
        return str(planned["bucket"])

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """GetBucketLifecycleConfiguration."""
        found = aws.client("s3").get_bucket_lifecycle_configuration(Bucket=state["id"])
        return {
            "bucket": state["id"],
            "expected_bucket_owner": "",
            "rule": [_rule(rule) for rule in found["Rules"]],
            "transition_default_minimum_object_size": found.get(
                "TransitionDefaultMinimumObjectSize", "all_storage_classes_128K"
            ),
        }

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """PutBucketLifecycleConfiguration, which replaces all rules."""
        aws.client("s3").put_bucket_lifecycle_configuration(
            Bucket=planned["bucket"],
            LifecycleConfiguration={"Rules": [_request(rule) for rule in planned["rule"]]},
        )

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeleteBucketLifecycle."""
        aws.client("s3").delete_bucket_lifecycle(Bucket=state["id"])


def _request(rule: Values) -> dict[str, Any]:
    abort, expiration = block(rule, "abort_incomplete_multipart_upload"), block(rule, "expiration")
    noncurrent = block(rule, "noncurrent_version_expiration")
    return {
        "ID": rule["id"],
        "Status": rule["status"],
        "Filter": _request_filter(block(rule, "filter")),
        **present(
            AbortIncompleteMultipartUpload=abort and {"DaysAfterInitiation": abort["days_after_initiation"]},
            Expiration=expiration
            and present(
                Days=expiration["days"] or None,
                ExpiredObjectDeleteMarker=expiration["expired_object_delete_marker"] or None,
            ),
            NoncurrentVersionExpiration=noncurrent and _noncurrent(noncurrent),
            NoncurrentVersionTransitions=[
                {**_noncurrent(item), "StorageClass": item["storage_class"]}
                for item in rule["noncurrent_version_transition"]
            ]
            or None,
            Transitions=[
                {"Days": item["days"] or 0, "StorageClass": item["storage_class"]}
                for item in rule["transition"]
            ]
            or None,
        ),
    }


def _noncurrent(item: Values) -> dict[str, Any]:
    return {
        "NoncurrentDays": item["noncurrent_days"],
        **present(NewerNoncurrentVersions=item["newer_noncurrent_versions"]),
    }


def _request_filter(filter_: Values | None) -> dict[str, Any]:
    if filter_ is None:
        return {"Prefix": ""}
    conjunction, tag = block(filter_, "and"), block(filter_, "tag")
    if conjunction:
        return {"And": _conditions(conjunction, tag_list(conjunction["tags"]))}
    if tag:
        return {"Tag": {"Key": tag["key"], "Value": tag["value"]}}
    return _conditions(filter_, []) or {"Prefix": ""}


def _conditions(values: Values, tags: list[dict[str, str]]) -> dict[str, Any]:
    return present(
        ObjectSizeGreaterThan=values["object_size_greater_than"] or None,
        ObjectSizeLessThan=values["object_size_less_than"] or None,
        Prefix=values["prefix"] or None,
        Tags=tags or None,
    )


def _rule(rule: Mapping[str, Any]) -> Values:
    return {
        "id": rule["ID"],
        "prefix": "",
        "status": rule["Status"],
        "abort_incomplete_multipart_upload": [
            {"days_after_initiation": item["DaysAfterInitiation"]}
            for item in blocks(rule.get("AbortIncompleteMultipartUpload"))
        ],
        "expiration": [
            {
                "days": item.get("Days", 0),
                "expired_object_delete_marker": item.get("ExpiredObjectDeleteMarker", False),
            }
            for item in blocks(rule.get("Expiration"))
        ],
        "filter": [_filter(item) for item in blocks(rule.get("Filter"))],
        "noncurrent_version_expiration": [
            _described_noncurrent(item) for item in blocks(rule.get("NoncurrentVersionExpiration"))
        ],
        "noncurrent_version_transition": [
            {**_described_noncurrent(item), "storage_class": item["StorageClass"]}
            for item in rule.get("NoncurrentVersionTransitions", [])
        ],
        "transition": [
            {"days": item.get("Days", 0), "storage_class": item["StorageClass"]}
            for item in rule.get("Transitions", [])
        ],
    }


def _described_noncurrent(item: Mapping[str, Any]) -> Values:
    return {
        "newer_noncurrent_versions": item.get("NewerNoncurrentVersions"),
        "noncurrent_days": item["NoncurrentDays"],
    }


def _filter(item: Mapping[str, Any]) -> Values:
    return {
        **_described_conditions(item),
        "and": [
            {**_described_conditions(inner), "tags": tag_map(inner.get("Tags", [])) or None}
            for inner in blocks(item.get("And"))
        ],
        "tag": [{"key": tag["Key"], "value": tag["Value"]} for tag in blocks(item.get("Tag"))],
    }


def _described_conditions(item: Mapping[str, Any]) -> Values:
    return {
        "object_size_greater_than": item.get("ObjectSizeGreaterThan"),
        "object_size_less_than": item.get("ObjectSizeLessThan"),
        "prefix": item.get("Prefix", ""),
    }
