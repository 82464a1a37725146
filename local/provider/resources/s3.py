"""S3: buckets, and what belongs to one as resources of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from typing_extensions import override

from local.provider.engine.aws import Aws
from local.provider.engine.documents import compact_document
from local.provider.engine.equivalence import same_policy
from local.provider.engine.errors import Problem
from local.provider.engine.resource import Equivalence, Normal, Resource
from local.provider.engine.values import Values
from local.provider.resources.common import block, blocks, present, tag_list, tag_map, unique_suffix

GONE = frozenset({"NoSuchBucket", "404"})
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")


class Bucket(Resource):
    """`aws_s3_bucket`; policy, versioning, encryption and the like are resources of their own."""

    type = "aws_s3_bucket"
    arguments = frozenset({"bucket", "bucket_prefix", "force_destroy"})
    defaults: ClassVar[Mapping[str, Any]] = {"force_destroy": False}
    force_new = frozenset({"bucket", "bucket_prefix"})
    computed_blocks = frozenset(
        {
            "cors_rule",
            "grant",
            "lifecycle_rule",
            "logging",
            "object_lock_configuration",
            "replication_configuration",
            "server_side_encryption_configuration",
            "versioning",
            "website",
        }
    )
    missing = GONE

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """CreateBucket and its tags."""
        name = planned["bucket"] or f"{planned['bucket_prefix'] or 'terraform-'}{unique_suffix()}"
        if not _NAME.fullmatch(name):
            raise Problem(
                f"invalid bucket name: {name}",
                "Write 3 to 63 lower-case letters, digits and .-, with a letter or a digit at both ends.",
                "bucket",
            )
        elsewhere = aws.region != "us-east-1"
        client = aws.client("s3")
        client.create_bucket(
            Bucket=name,
            **present(CreateBucketConfiguration={"LocationConstraint": aws.region} if elsewhere else None),
        )
        if planned["tags_all"]:
            client.put_bucket_tagging(Bucket=name, Tagging={"TagSet": tag_list(planned["tags_all"])})
        return str(name)

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """HeadBucket and the tags; the blocks that other resources manage are left to them."""
        client, name = aws.client("s3"), state["id"]
        client.head_bucket(Bucket=name)
        suffix = aws.partition_data["dnsSuffix"]
        return {
            "arn": f"arn:{aws.partition}:s3:::{name}",
            "bucket": name,
            "bucket_domain_name": f"{name}.s3.{suffix}",
            "bucket_region": aws.region,
            "bucket_regional_domain_name": f"{name}.s3.{aws.region}.{suffix}",
            "tags_all": _bucket_tags(client, name),
        }

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """`force_destroy` is known to the state only."""

    @override
    def tag(self, aws: Aws, state: Values, tags: Mapping[str, str], removed: list[str]) -> None:
        """PutBucketTagging, which takes all tags at once."""
        client, name = aws.client("s3"), state["id"]
        kept = {key: value for key, value in _bucket_tags(client, name).items() if key not in removed}
        client.put_bucket_tagging(Bucket=name, Tagging={"TagSet": tag_list({**kept, **tags})})

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeleteBucket; with force_destroy what is in it first, every version."""
        client, name = aws.client("s3"), state["id"]
        if state["force_destroy"]:
            for page in client.get_paginator("list_object_versions").paginate(Bucket=name):
                for item in (*page.get("Versions", []), *page.get("DeleteMarkers", [])):
                    client.delete_object(Bucket=name, Key=item["Key"], VersionId=item["VersionId"])
        client.delete_bucket(Bucket=name)


def _bucket_tags(client: Any, name: str) -> dict[str, str]:
    try:
        return tag_map(client.get_bucket_tagging(Bucket=name)["TagSet"])
    except client.exceptions.ClientError as error:
        if error.response["Error"]["Code"] != "NoSuchTagSet":
            raise
        return {}


class _BucketPart(Resource):
    """One property of a bucket as a resource: its id is the bucket's name."""

    force_new = frozenset({"bucket"})

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """Set the property."""
        self.update(aws, planned, planned)
        return str(planned["bucket"])


class BucketPolicy(_BucketPart):
    """`aws_s3_bucket_policy`."""

    type = "aws_s3_bucket_policy"
    arguments = frozenset({"bucket", "policy"})
    normal: ClassVar[Mapping[str, Normal]] = {"policy": compact_document}
    equivalent: ClassVar[Mapping[str, Equivalence]] = {"policy": same_policy}
    missing = GONE | {"NoSuchBucketPolicy"}

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """GetBucketPolicy."""
        found = aws.client("s3").get_bucket_policy(Bucket=state["id"])
        return {"bucket": state["id"], "policy": found["Policy"]}

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """PutBucketPolicy."""
        aws.client("s3").put_bucket_policy(Bucket=planned["bucket"], Policy=planned["policy"])

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeleteBucketPolicy."""
        aws.client("s3").delete_bucket_policy(Bucket=state["id"])


class BucketVersioning(_BucketPart):
    """`aws_s3_bucket_versioning`, without MFA."""

    type = "aws_s3_bucket_versioning"
    arguments = frozenset({"bucket", "versioning_configuration.status"})
    missing = GONE

    @override
    def read(self, aws: Aws, state: Values) -> Values | None:
        """GetBucketVersioning; a bucket that never had any says nothing."""
        found = aws.client("s3").get_bucket_versioning(Bucket=state["id"])
        before = block(state, "versioning_configuration")
        status = found.get("Status") or ("Disabled" if before and before["status"] == "Disabled" else None)
        if status is None:
            return None
        return {
            "bucket": state["id"],
            "versioning_configuration": [{"mfa_delete": found.get("MFADelete", ""), "status": status}],
        }

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """PutBucketVersioning; `Disabled` is how a bucket begins, and not to be sent."""
        status = planned["versioning_configuration"][0]["status"]
        if status != "Disabled":
            aws.client("s3").put_bucket_versioning(
                Bucket=planned["bucket"], VersioningConfiguration={"Status": status}
            )

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """Suspended is as far back as versioning goes."""
        if state["versioning_configuration"][0]["status"] == "Enabled":
            aws.client("s3").put_bucket_versioning(
                Bucket=state["id"], VersioningConfiguration={"Status": "Suspended"}
            )


_PUBLIC_ACCESS = (
    ("block_public_acls", "BlockPublicAcls"),
    ("block_public_policy", "BlockPublicPolicy"),
    ("ignore_public_acls", "IgnorePublicAcls"),
    ("restrict_public_buckets", "RestrictPublicBuckets"),
)


class BucketPublicAccessBlock(_BucketPart):
    """`aws_s3_bucket_public_access_block`."""

    type = "aws_s3_bucket_public_access_block"
    arguments = frozenset({"bucket", "skip_destroy", *(name for name, _ in _PUBLIC_ACCESS)})
    defaults: ClassVar[Mapping[str, Any]] = {name: False for name, _ in _PUBLIC_ACCESS}
    missing = GONE | {"NoSuchPublicAccessBlockConfiguration"}

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """GetPublicAccessBlock."""
        found = aws.client("s3").get_public_access_block(Bucket=state["id"])["PublicAccessBlockConfiguration"]
        return {"bucket": state["id"], **{name: found.get(api, False) for name, api in _PUBLIC_ACCESS}}

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """PutPublicAccessBlock."""
        aws.client("s3").put_public_access_block(
            Bucket=planned["bucket"],
            PublicAccessBlockConfiguration={api: planned[name] for name, api in _PUBLIC_ACCESS},
        )

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeletePublicAccessBlock, unless it is to outlive its resource."""
        if not state["skip_destroy"]:
            aws.client("s3").delete_public_access_block(Bucket=state["id"])


class BucketEncryption(_BucketPart):
    """`aws_s3_bucket_server_side_encryption_configuration`."""

    type = "aws_s3_bucket_server_side_encryption_configuration"
    arguments = frozenset(
        {"bucket", "rule.apply_server_side_encryption_by_default", "rule.bucket_key_enabled"}
    )
    missing = GONE | {"ServerSideEncryptionConfigurationNotFoundError"}

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """GetBucketEncryption."""
        found = aws.client("s3").get_bucket_encryption(Bucket=state["id"])
        return {
            "bucket": state["id"],
            "rule": [
                {
                    "apply_server_side_encryption_by_default": [
                        {
                            "kms_master_key_id": item.get("KMSMasterKeyID", ""),
                            "sse_algorithm": item["SSEAlgorithm"],
                        }
                        for item in blocks(rule.get("ApplyServerSideEncryptionByDefault"))
                    ],
                    "bucket_key_enabled": rule.get("BucketKeyEnabled", False),
                }
                for rule in found["ServerSideEncryptionConfiguration"]["Rules"]
            ],
        }

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """PutBucketEncryption."""
        rules = []
        for rule in planned["rule"]:
            default = block(rule, "apply_server_side_encryption_by_default")
            rules.append(
                present(
                    ApplyServerSideEncryptionByDefault=default
                    and {
                        "SSEAlgorithm": default["sse_algorithm"],
                        **present(KMSMasterKeyID=default["kms_master_key_id"] or None),
                    },
                    BucketKeyEnabled=rule["bucket_key_enabled"],
                )
            )
        aws.client("s3").put_bucket_encryption(
            Bucket=planned["bucket"], ServerSideEncryptionConfiguration={"Rules": rules}
        )

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeleteBucketEncryption."""
        aws.client("s3").delete_bucket_encryption(Bucket=state["id"])


class BucketOwnershipControls(_BucketPart):
    """`aws_s3_bucket_ownership_controls`."""

    type = "aws_s3_bucket_ownership_controls"
    arguments = frozenset({"bucket", "rule"})
    missing = GONE | {"OwnershipControlsNotFoundError"}

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """GetBucketOwnershipControls."""
        found = aws.client("s3").get_bucket_ownership_controls(Bucket=state["id"])["OwnershipControls"]
        return {
            "bucket": state["id"],
            "rule": [{"object_ownership": rule["ObjectOwnership"]} for rule in found["Rules"]],
        }

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """PutBucketOwnershipControls."""
        rules = [{"ObjectOwnership": rule["object_ownership"]} for rule in planned["rule"]]
        aws.client("s3").put_bucket_ownership_controls(
            Bucket=planned["bucket"], OwnershipControls={"Rules": rules}
        )

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeleteBucketOwnershipControls."""
        aws.client("s3").delete_bucket_ownership_controls(Bucket=state["id"])
