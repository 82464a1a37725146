"""S3: buckets, and what belongs to one as resources of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from local.provider.engine.errors import Problem
from local.provider.engine.rules import (
    AccountId,
    ConflictsWith,
    Items,
    Json,
    Length,
    Not,
    NotEmpty,
    OneOf,
    Pattern,
    Range,
    Table,
    Timestamp,
)
from local.provider.engine.validation import Planned, PlanRule
from local.provider.engine.values import at

_BUCKET = Length(1, 63)
_STORAGE = OneOf("DEEP_ARCHIVE", "GLACIER", "GLACIER_IR", "INTELLIGENT_TIERING", "ONEZONE_IA", "STANDARD_IA")

VALIDATED: Mapping[str, Table] = {
    "aws_s3_bucket": {
        "bucket": (
            ConflictsWith("bucket_prefix"),
            Length(0, 63),
            Not(
                Pattern(r"[0-9a-z.-]+--[a-z]+\d+-az\d+--x-s3", ""),
                "be the name of a general purpose bucket",
            ),
        ),
        "bucket_prefix": (ConflictsWith("bucket"), Length(0, 37)),
    },
    "aws_s3_bucket_lifecycle_configuration": {
        "bucket": _BUCKET,
        "expected_bucket_owner": AccountId(),
        "rule": Items(None, low=1),
        "rule.abort_incomplete_multipart_upload": Items(1),
        "rule.expiration": Items(1),
        "rule.expiration.date": Timestamp(),
        "rule.filter": Items(1),
        "rule.filter.and": Items(1),
        "rule.filter.and.object_size_greater_than": Range(0),
        "rule.filter.and.object_size_less_than": Range(1),
        "rule.filter.and.tags": Items(None, low=1),
        "rule.filter.tag": Items(1),
        "rule.id": Length(1, 255),
        "rule.noncurrent_version_expiration": Items(1),
        "rule.noncurrent_version_expiration.newer_noncurrent_versions": Range(1),
        "rule.noncurrent_version_expiration.noncurrent_days": Range(1),
        "rule.noncurrent_version_transition.newer_noncurrent_versions": Range(1),
        "rule.noncurrent_version_transition.noncurrent_days": Range(0),
        "rule.noncurrent_version_transition.storage_class": _STORAGE,
        "rule.status": OneOf("Disabled", "Enabled"),
        "rule.transition.date": Timestamp(),
        "rule.transition.days": Range(0),
        "rule.transition.storage_class": _STORAGE,
        "transition_default_minimum_object_size": OneOf(
            "all_storage_classes_128K", "varies_by_storage_class"
        ),
    },
    "aws_s3_bucket_ownership_controls": {
        "bucket": NotEmpty(),
        "rule.object_ownership": OneOf("BucketOwnerEnforced", "BucketOwnerPreferred", "ObjectWriter"),
    },
    "aws_s3_bucket_policy": {"policy": Json()},
    "aws_s3_bucket_server_side_encryption_configuration": {
        "bucket": _BUCKET,
        "expected_bucket_owner": AccountId(),
        "rule.apply_server_side_encryption_by_default.sse_algorithm": OneOf(
            "AES256", "aws:fsx", "aws:kms", "aws:kms:dsse"
        ),
    },
    "aws_s3_bucket_versioning": {
        "bucket": _BUCKET,
        "expected_bucket_owner": AccountId(),
        "versioning_configuration.mfa_delete": OneOf("Disabled", "Enabled"),
        "versioning_configuration.status": OneOf("Disabled", "Enabled", "Suspended"),
    },
}


def _versioning(change: Planned) -> Iterator[Problem]:
    """Versioning that was on can be suspended, not turned off."""
    path = "versioning_configuration.status"
    before, after = (list(at(values, path)) for values in (change.prior or {}, change.values))
    if before and before != after and after == ["Disabled"]:
        yield Problem(
            f"versioning cannot go from {before[0]} to Disabled",
            "Write Suspended.",
            "versioning_configuration",
        )


PLANNED: Mapping[str, Sequence[PlanRule]] = {"aws_s3_bucket_versioning": (_versioning,)}
