"""IAM: roles and their policies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from typing_extensions import override

from local.provider.engine.aws import Aws
from local.provider.engine.documents import compact_document, compact_role_policy
from local.provider.engine.equivalence import same_policy
from local.provider.engine.resource import Equivalence, Normal, Resource, Tagging
from local.provider.engine.values import Values
from local.provider.resources.common import (
    changed,
    chosen_name,
    document,
    name_prefix,
    present,
    tag_list,
    tag_map,
)

GONE = frozenset({"NoSuchEntity"})
_POLICY_VERSIONS = 5


class Role(Resource):
    """`aws_iam_role`; policies belong to resources of their own."""

    type = "aws_iam_role"
    arguments = frozenset(
        {
            "assume_role_policy",
            "description",
            "force_detach_policies",
            "max_session_duration",
            "name",
            "name_prefix",
            "path",
            "permissions_boundary",
        }
    )
    defaults: ClassVar[Mapping[str, Any]] = {
        "force_detach_policies": False,
        "max_session_duration": 3600,
        "path": "/",
    }
    force_new = frozenset({"name", "name_prefix", "path"})
    computed_blocks = frozenset({"inline_policy"})
    normal: ClassVar[Mapping[str, Normal]] = {"assume_role_policy": compact_document}
    equivalent: ClassVar[Mapping[str, Equivalence]] = {"assume_role_policy": same_policy}
    missing = GONE
    tagging = Tagging("iam", "RoleName", "id", methods=("tag_role", "untag_role"))

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """CreateRole."""
        name = chosen_name(planned)
        aws.client("iam").create_role(
            RoleName=name,
            AssumeRolePolicyDocument=planned["assume_role_policy"],
            MaxSessionDuration=planned["max_session_duration"],
            Path=planned["path"],
            Tags=tag_list(planned["tags_all"]),
            **present(
                Description=planned["description"] or None,
                PermissionsBoundary=planned["permissions_boundary"] or None,
            ),
        )
        return name

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """GetRole, and which policies it has."""
        client, name = aws.client("iam"), state["id"]
        role = client.get_role(RoleName=name)["Role"]
        attached = client.list_attached_role_policies(RoleName=name)["AttachedPolicies"]
        inline = client.list_role_policies(RoleName=name)["PolicyNames"]
        return {
            "arn": role["Arn"],
            "assume_role_policy": document(role["AssumeRolePolicyDocument"]),
            "create_date": role["CreateDate"].strftime("%Y-%m-%dT%H:%M:%SZ"),
            "description": role.get("Description"),
            "inline_policy": [
                {
                    "name": policy,
                    "policy": document(
                        client.get_role_policy(RoleName=name, PolicyName=policy)["PolicyDocument"]
                    ),
                }
                for policy in inline
            ],
            "managed_policy_arns": [policy["PolicyArn"] for policy in attached],
            "max_session_duration": role.get("MaxSessionDuration", 3600),
            "name": name,
            "name_prefix": name_prefix(name),
            "path": role["Path"],
            "permissions_boundary": role.get("PermissionsBoundary", {}).get("PermissionsBoundaryArn"),
            "tags_all": tag_map(role.get("Tags", [])),
            "unique_id": role["RoleId"],
        }

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """Each property has a call of its own."""
        client, name = aws.client("iam"), planned["id"]
        if changed(prior, planned, "assume_role_policy"):
            client.update_assume_role_policy(RoleName=name, PolicyDocument=planned["assume_role_policy"])
        if changed(prior, planned, "description", "max_session_duration"):
            client.update_role(
                RoleName=name,
                Description=planned["description"] or "",
                MaxSessionDuration=planned["max_session_duration"],
            )
        if changed(prior, planned, "permissions_boundary"):
            if planned["permissions_boundary"]:
                client.put_role_permissions_boundary(
                    RoleName=name, PermissionsBoundary=planned["permissions_boundary"]
                )
            else:
                client.delete_role_permissions_boundary(RoleName=name)

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeleteRole; with force_detach_policies its policies first, as IAM refuses a role that has any."""
        client, name = aws.client("iam"), state["id"]
        if state["force_detach_policies"]:
            for policy in client.list_attached_role_policies(RoleName=name)["AttachedPolicies"]:
                client.detach_role_policy(RoleName=name, PolicyArn=policy["PolicyArn"])
            for inline in client.list_role_policies(RoleName=name)["PolicyNames"]:
                client.delete_role_policy(RoleName=name, PolicyName=inline)
        client.delete_role(RoleName=name)


class RolePolicy(Resource):
    """`aws_iam_role_policy`; its id is `role:name`."""

    type = "aws_iam_role_policy"
    arguments = frozenset({"name", "name_prefix", "policy", "role"})
    force_new = frozenset({"name", "name_prefix", "role"})
    normal: ClassVar[Mapping[str, Normal]] = {"policy": compact_role_policy}
    equivalent: ClassVar[Mapping[str, Equivalence]] = {"policy": same_policy}
    missing = GONE

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """PutRolePolicy."""
        name = chosen_name(planned)
        self._put(aws, planned, name)
        return f"{planned['role']}:{name}"

    def _put(self, aws: Aws, planned: Values, name: str) -> None:
        aws.client("iam").put_role_policy(
            RoleName=planned["role"], PolicyName=name, PolicyDocument=planned["policy"]
        )

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """GetRolePolicy."""
        role, _, name = state["id"].partition(":")
        found = aws.client("iam").get_role_policy(RoleName=role, PolicyName=name)
        return {
            "name": name,
            "name_prefix": name_prefix(name),
            "policy": document(found["PolicyDocument"]),
            "role": role,
        }

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """PutRolePolicy again."""
        self._put(aws, planned, planned["name"])

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeleteRolePolicy."""
        aws.client("iam").delete_role_policy(RoleName=state["role"], PolicyName=state["name"])


class RolePolicyAttachment(Resource):
    """`aws_iam_role_policy_attachment`; its id is `role/policy-arn`."""

    type = "aws_iam_role_policy_attachment"
    arguments = frozenset({"policy_arn", "role"})
    force_new = frozenset({"policy_arn", "role"})
    missing = GONE

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """AttachRolePolicy."""
        aws.client("iam").attach_role_policy(RoleName=planned["role"], PolicyArn=planned["policy_arn"])
        return f"{planned['role']}/{planned['policy_arn']}"

    @override
    def read(self, aws: Aws, state: Values) -> Values | None:
        """Whether the policy is among those of the role."""
        role, _, policy = state["id"].partition("/")
        attached = aws.client("iam").list_attached_role_policies(RoleName=role)["AttachedPolicies"]
        if all(item["PolicyArn"] != policy for item in attached):
            return None
        return {"policy_arn": policy, "role": role}

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DetachRolePolicy."""
        aws.client("iam").detach_role_policy(RoleName=state["role"], PolicyArn=state["policy_arn"])


class Policy(Resource):
    """`aws_iam_policy`; a change of the document is a new default version."""

    type = "aws_iam_policy"
    arguments = frozenset({"description", "name", "name_prefix", "path", "policy"})
    defaults: ClassVar[Mapping[str, Any]] = {"path": "/"}
    force_new = frozenset({"description", "name", "name_prefix", "path"})
    normal: ClassVar[Mapping[str, Normal]] = {"policy": compact_document}
    equivalent: ClassVar[Mapping[str, Equivalence]] = {"policy": same_policy}
    missing = GONE
    tagging = Tagging("iam", "PolicyArn", methods=("tag_policy", "untag_policy"))

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """CreatePolicy."""
        created = aws.client("iam").create_policy(
            PolicyName=chosen_name(planned),
            PolicyDocument=planned["policy"],
            Path=planned["path"],
            Tags=tag_list(planned["tags_all"]),
            **present(Description=planned["description"] or None),
        )
        identifier: str = created["Policy"]["Arn"]
        return identifier

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """GetPolicy and its default version."""
        client, identifier = aws.client("iam"), state["id"]
        policy = client.get_policy(PolicyArn=identifier)["Policy"]
        version = client.get_policy_version(PolicyArn=identifier, VersionId=policy["DefaultVersionId"])
        return {
            "arn": identifier,
            "attachment_count": policy.get("AttachmentCount", 0),
            "description": policy.get("Description"),
            "name": policy["PolicyName"],
            "name_prefix": name_prefix(policy["PolicyName"]),
            "path": policy["Path"],
            "policy": document(version["PolicyVersion"]["Document"]),
            "policy_id": policy["PolicyId"],
            "tags_all": tag_map(policy.get("Tags", [])),
        }

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """CreatePolicyVersion, after the oldest one made room."""
        client, identifier = aws.client("iam"), planned["id"]
        versions = client.list_policy_versions(PolicyArn=identifier)["Versions"]
        if len(versions) >= _POLICY_VERSIONS:
            oldest = min(
                (version for version in versions if not version["IsDefaultVersion"]),
                key=lambda version: version["CreateDate"],
            )
            client.delete_policy_version(PolicyArn=identifier, VersionId=oldest["VersionId"])
        client.create_policy_version(
            PolicyArn=identifier, PolicyDocument=planned["policy"], SetAsDefault=True
        )

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeletePolicy, after its other versions."""
        client, identifier = aws.client("iam"), state["id"]
        for version in client.list_policy_versions(PolicyArn=identifier)["Versions"]:
            if not version["IsDefaultVersion"]:
                client.delete_policy_version(PolicyArn=identifier, VersionId=version["VersionId"])
        client.delete_policy(PolicyArn=identifier)
