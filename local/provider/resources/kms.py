"""KMS: keys and aliases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from typing_extensions import override

from local.provider.engine.aws import Aws
from local.provider.engine.documents import compact_document
from local.provider.engine.equivalence import same_policy
from local.provider.engine.resource import Equivalence, Normal, Resource, Tagging
from local.provider.engine.values import Values
from local.provider.resources.common import changed, name_prefix, present, unique_suffix

_GONE = frozenset({"NotFoundException"})


def _same_key(left: str, right: str) -> bool:
    """A key's id and its ARN name the same key."""
    return left.rpartition("/")[2] == right.rpartition("/")[2]


class Key(Resource):
    """`aws_kms_key`; its id is the key's. A key is never deleted at once: pending deletion counts as gone."""

    type = "aws_kms_key"
    arguments = frozenset(
        {
            "bypass_policy_lockout_safety_check",
            "customer_master_key_spec",
            "deletion_window_in_days",
            "description",
            "enable_key_rotation",
            "is_enabled",
            "key_usage",
            "multi_region",
            "policy",
            "rotation_period_in_days",
        }
    )
    defaults: ClassVar[Mapping[str, Any]] = {
        "bypass_policy_lockout_safety_check": False,
        "customer_master_key_spec": "SYMMETRIC_DEFAULT",
        "enable_key_rotation": False,
        "is_enabled": True,
        "key_usage": "ENCRYPT_DECRYPT",
    }
    force_new = frozenset({"customer_master_key_spec", "key_usage", "multi_region"})
    normal: ClassVar[Mapping[str, Normal]] = {"policy": compact_document}
    equivalent: ClassVar[Mapping[str, Equivalence]] = {"policy": same_policy}
    missing = _GONE
    tagging = Tagging("kms", "KeyId", "id", pair=("TagKey", "TagValue"))

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """CreateKey, then rotation and whether it is enabled."""
        client = aws.client("kms")
        identifier: str = client.create_key(
            BypassPolicyLockoutSafetyCheck=planned["bypass_policy_lockout_safety_check"],
            KeySpec=planned["customer_master_key_spec"],
            KeyUsage=planned["key_usage"],
            Tags=_tags(planned["tags_all"] or {}),
            **present(
                Description=planned["description"] or None,
                MultiRegion=planned["multi_region"],
                Policy=planned["policy"] or None,
            ),
        )["KeyMetadata"]["KeyId"]
        if planned["enable_key_rotation"]:
            self._rotate(aws, {**planned, "id": identifier})
        if not planned["is_enabled"]:
            client.disable_key(KeyId=identifier)
        return identifier

    @override
    def read(self, aws: Aws, state: Values) -> Values | None:
        """DescribeKey, its policy, rotation and tags."""
        client, identifier = aws.client("kms"), state["id"]
        key = client.describe_key(KeyId=identifier)["KeyMetadata"]
        if key["KeyState"] in ("PendingDeletion", "PendingReplicaDeletion"):
            return None
        rotation = (
            client.get_key_rotation_status(KeyId=identifier) if key["KeySpec"] == "SYMMETRIC_DEFAULT" else {}
        )
        pages = client.get_paginator("list_resource_tags").paginate(KeyId=identifier)
        return {
            "arn": key["Arn"],
            "customer_master_key_spec": key["KeySpec"],
            "description": key.get("Description", ""),
            "enable_key_rotation": rotation.get("KeyRotationEnabled", False),
            "is_enabled": key["Enabled"],
            "key_id": key["KeyId"],
            "key_usage": key["KeyUsage"],
            "multi_region": key.get("MultiRegion", False),
            "policy": client.get_key_policy(KeyId=identifier, PolicyName="default")["Policy"],
            "rotation_period_in_days": rotation.get("RotationPeriodInDays"),
            "tags_all": {tag["TagKey"]: tag["TagValue"] for page in pages for tag in page.get("Tags", [])},
        }

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """Each property has a call of its own."""
        client, identifier = aws.client("kms"), planned["id"]
        if changed(prior, planned, "description"):
            client.update_key_description(KeyId=identifier, Description=planned["description"] or "")
        if changed(prior, planned, "policy"):
            client.put_key_policy(KeyId=identifier, PolicyName="default", Policy=planned["policy"])
        if changed(prior, planned, "enable_key_rotation", "rotation_period_in_days"):
            if planned["enable_key_rotation"]:
                self._rotate(aws, planned)
            else:
                client.disable_key_rotation(KeyId=identifier)
        if changed(prior, planned, "is_enabled"):
            (client.enable_key if planned["is_enabled"] else client.disable_key)(KeyId=identifier)

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """ScheduleKeyDeletion."""
        aws.client("kms").schedule_key_deletion(
            KeyId=state["id"], **present(PendingWindowInDays=state["deletion_window_in_days"])
        )

    def _rotate(self, aws: Aws, planned: Values) -> None:
        aws.client("kms").enable_key_rotation(
            KeyId=planned["id"], **present(RotationPeriodInDays=planned["rotation_period_in_days"])
        )


def _tags(tags: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"TagKey": key, "TagValue": value} for key, value in sorted(tags.items())]


class Alias(Resource):
    """`aws_kms_alias`; its id is its name."""

    type = "aws_kms_alias"
    arguments = frozenset({"name", "name_prefix", "target_key_id"})
    force_new = frozenset({"name", "name_prefix"})
    equivalent: ClassVar[Mapping[str, Equivalence]] = {"target_key_id": _same_key}
    missing = _GONE

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """CreateAlias."""
        name = planned["name"] or f"{planned['name_prefix'] or 'alias/'}{unique_suffix()}"
        aws.client("kms").create_alias(AliasName=name, TargetKeyId=planned["target_key_id"])
        return str(name)

    @override
    def read(self, aws: Aws, state: Values) -> Values | None:
        """The alias among all of them: KMS has no call for one."""
        client, name = aws.client("kms"), state["id"]
        pages = client.get_paginator("list_aliases").paginate()
        found = next((item for page in pages for item in page["Aliases"] if item["AliasName"] == name), None)
        if found is None:
            return None
        arn, key = found["AliasArn"], found["TargetKeyId"]
        return {
            "arn": arn,
            "name": name,
            "name_prefix": name_prefix(name),
            "target_key_arn": f"{arn.rpartition(':')[0]}:key/{key}",
            "target_key_id": key,
        }

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """UpdateAlias."""
        aws.client("kms").update_alias(AliasName=planned["id"], TargetKeyId=planned["target_key_id"])

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeleteAlias."""
        aws.client("kms").delete_alias(AliasName=state["id"])
