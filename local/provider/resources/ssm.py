"""SSM parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from local.provider.engine.aws import Aws
from local.provider.engine.errors import Problem
from local.provider.engine.resource import Resource
from local.provider.engine.values import Values
from local.provider.resources.common import changed, present, tag_list, tag_map, unknown_when

_SECURE = "SecureString"


class Parameter(Resource):
    """`aws_ssm_parameter`; its id is its name."""

    type = "aws_ssm_parameter"
    arguments = frozenset(
        {
            "allowed_pattern",
            "data_type",
            "description",
            "insecure_value",
            "key_id",
            "name",
            "overwrite",
            "tier",
            "type",
            "value",
        }
    )
    force_new = frozenset({"data_type", "name"})
    missing = frozenset({"ParameterNotFound"})

    @override
    def plan(self, aws: Aws, prior: Values | None, planned: Values, config: Values) -> None:
        """Both forms of the value show the same one, and each change makes a version."""
        if prior is None:
            return
        written = next((name for name in ("value", "insecure_value") if config[name] is not None), None)
        if written and changed(prior, planned, written):
            unknown_when(planned, True, *({"value", "insecure_value"} - {written}))
        unknown_when(
            planned, changed(prior, planned, "description", "type", "value", "insecure_value"), "version"
        )

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """PutParameter and its tags."""
        name = planned["name"]
        if planned["overwrite"]:  # tags cannot come with an overwriting put
            self._put(aws, planned, overwrite=True)
            if planned["tags_all"]:
                self.tag(aws, {"id": name}, planned["tags_all"], [])
        else:
            self._put(aws, planned, overwrite=False, Tags=tag_list(planned["tags_all"]))
        return str(name)

    def _put(self, aws: Aws, planned: Values, *, overwrite: bool, **more: Any) -> None:
        value = planned["insecure_value"] if planned["value"] is None else planned["value"]
        if planned["type"] == _SECURE and planned["value"] is None:
            raise Problem(
                "insecure_value cannot hold a SecureString", "Write value instead.", "insecure_value"
            )
        aws.client("ssm").put_parameter(
            Name=planned["name"],
            Overwrite=overwrite,
            Type=planned["type"],
            Value=value,
            **present(
                AllowedPattern=planned["allowed_pattern"] or None,
                DataType=planned["data_type"] or None,
                Description=planned["description"] if overwrite else planned["description"] or None,
                KeyId=planned["key_id"] or None if planned["type"] == _SECURE else None,
                Tier=planned["tier"] or None,
            ),
            **more,
        )

    @override
    def read(self, aws: Aws, state: Values) -> Values | None:
        """GetParameter, its description and its tags."""
        client, name = aws.client("ssm"), state["id"]
        found = client.get_parameter(Name=name, WithDecryption=True)["Parameter"]
        filters = [{"Key": "Name", "Option": "Equals", "Values": [name]}]
        details = client.describe_parameters(ParameterFilters=filters)["Parameters"]
        detail = details[0] if details else {}
        tags = client.list_tags_for_resource(ResourceType="Parameter", ResourceId=name)["TagList"]
        return {
            "allowed_pattern": detail.get("AllowedPattern"),
            "arn": found["ARN"],
            "data_type": found.get("DataType", "text"),
            "description": detail.get("Description"),
            "has_value_wo": False,
            "insecure_value": None if found["Type"] == _SECURE else found["Value"],
            "key_id": detail.get("KeyId", ""),
            "name": name,
            "tags_all": tag_map(tags),
            "tier": detail.get("Tier", "Standard"),
            "type": found["Type"],
            "value": found["Value"],
            "version": found["Version"],
        }

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """PutParameter over the old one."""
        value, insecure = planned["value"], planned["insecure_value"]
        moved = insecure if changed(prior, planned, "insecure_value") else value
        self._put(aws, {**planned, "value": moved}, overwrite=True)

    @override
    def tag(self, aws: Aws, state: Values, tags: Mapping[str, str], removed: list[str]) -> None:
        """AddTagsToResource and RemoveTagsFromResource."""
        client = aws.client("ssm")
        if removed:
            client.remove_tags_from_resource(
                ResourceType="Parameter", ResourceId=state["id"], TagKeys=removed
            )
        if tags:
            client.add_tags_to_resource(ResourceType="Parameter", ResourceId=state["id"], Tags=tag_list(tags))

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeleteParameter."""
        aws.client("ssm").delete_parameter(Name=state["id"])
