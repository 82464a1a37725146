"""EventBridge: buses, rules, targets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from typing_extensions import override

from local.provider.engine.aws import Aws
from local.provider.engine.documents import compact_pattern
from local.provider.engine.equivalence import same_json
from local.provider.engine.errors import Problem
from local.provider.engine.resource import Equivalence, Normal, Resource, Tagging
from local.provider.engine.values import Values
from local.provider.resources.common import (
    block,
    blocks,
    chosen_name,
    name_prefix,
    present,
    tag_list,
    tag_map,
    unique_suffix,
)

_GONE = frozenset({"ResourceNotFoundException"})
_DEFAULT_BUS = "default"


def _tags(aws: Aws, identifier: str) -> dict[str, str]:
    return tag_map(aws.client("events").list_tags_for_resource(ResourceARN=identifier).get("Tags", []))


class EventBus(Resource):
    """`aws_cloudwatch_event_bus`; its id is its name."""

    type = "aws_cloudwatch_event_bus"
    arguments = frozenset({"dead_letter_config", "description", "kms_key_identifier", "name"})
    force_new = frozenset({"name"})
    missing = _GONE
    tagging = Tagging("events", "ResourceARN")

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """CreateEventBus."""
        aws.client("events").create_event_bus(Tags=tag_list(planned["tags_all"]), **_bus(planned, {}))
        return str(planned["name"])

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """DescribeEventBus and the tags. What an endpoint does not report at all keeps the state's value."""
        found = aws.client("events").describe_event_bus(Name=state["id"])
        observed: Values = {"arn": found["Arn"], "name": state["id"], "tags_all": _tags(aws, found["Arn"])}
        if "Description" in found:
            observed["description"] = found["Description"]
        if "KmsKeyIdentifier" in found:
            observed["kms_key_identifier"] = found["KmsKeyIdentifier"]
        if "DeadLetterConfig" in found:
            letters = blocks(found["DeadLetterConfig"] or None)
            observed["dead_letter_config"] = [{"arn": item.get("Arn")} for item in letters]
        return observed

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """UpdateEventBus."""
        aws.client("events").update_event_bus(**_bus(planned, {"Description": "", "KmsKeyIdentifier": ""}))

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeleteEventBus."""
        aws.client("events").delete_event_bus(Name=state["id"])


def _bus(planned: Values, removed: Mapping[str, Any]) -> dict[str, Any]:
    letters = block(planned, "dead_letter_config")
    return {
        "Name": planned["name"],
        **removed,
        **present(
            DeadLetterConfig=letters and {"Arn": letters["arn"]},
            Description=planned["description"] or None,
            KmsKeyIdentifier=planned["kms_key_identifier"] or None,
        ),
    }


class EventRule(Resource):
    """`aws_cloudwatch_event_rule`; its id is its name, after the bus's when that is not the default one."""

    type = "aws_cloudwatch_event_rule"
    arguments = frozenset(
        {
            "description",
            "event_bus_name",
            "event_pattern",
            "force_destroy",
            "name",
            "name_prefix",
            "role_arn",
            "schedule_expression",
            "state",
        }
    )
    defaults: ClassVar[Mapping[str, Any]] = {"event_bus_name": _DEFAULT_BUS, "force_destroy": False}
    force_new = frozenset({"event_bus_name", "name", "name_prefix"})
    normal: ClassVar[Mapping[str, Normal]] = {"event_pattern": compact_pattern}
    equivalent: ClassVar[Mapping[str, Equivalence]] = {"event_pattern": same_json}
    missing = _GONE
    tagging = Tagging("events", "ResourceARN")

    @override
    def plan(self, aws: Aws, prior: Values | None, planned: Values, config: Values) -> None:
        """A state that is not written stays as it is, and so does its old name."""
        if config["state"] is None:
            planned["state"] = prior["state"] if prior else None
        planned["is_enabled"] = prior["is_enabled"] if prior else None

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """PutRule."""
        name, bus = chosen_name(planned), planned["event_bus_name"]
        self._put(aws, {**planned, "name": name}, Tags=tag_list(planned["tags_all"]))
        return name if bus == _DEFAULT_BUS else f"{bus}/{name}"

    def _put(self, aws: Aws, planned: Values, **more: Any) -> None:
        aws.client("events").put_rule(
            EventBusName=planned["event_bus_name"],
            Name=planned["name"],
            State=planned["state"] or "ENABLED",
            **present(
                Description=planned["description"] or None,
                EventPattern=planned["event_pattern"] or None,
                RoleArn=planned["role_arn"] or None,
                ScheduleExpression=planned["schedule_expression"] or None,
            ),
            **more,
        )

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """DescribeRule and the tags."""
        bus, _, name = state["id"].rpartition("/")
        bus = bus or _DEFAULT_BUS
        found = aws.client("events").describe_rule(Name=name, EventBusName=bus)
        return {
            "arn": found["Arn"],
            "description": found.get("Description"),
            "event_bus_name": bus,
            "event_pattern": found.get("EventPattern"),
            "is_enabled": found["State"] != "DISABLED",
            "name": name,
            "name_prefix": name_prefix(name),
            "role_arn": found.get("RoleArn"),
            "schedule_expression": found.get("ScheduleExpression"),
            "state": found["State"],
            "tags_all": _tags(aws, found["Arn"]),
        }

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """PutRule again."""
        self._put(aws, planned)

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeleteRule."""
        aws.client("events").delete_rule(
            EventBusName=state["event_bus_name"], Force=state["force_destroy"], Name=state["name"]
        )


class EventTarget(Resource):
    """`aws_cloudwatch_event_target`; imported as `rule/target` or `bus/rule/target`."""

    type = "aws_cloudwatch_event_target"
    arguments = frozenset(
        {
            "arn",
            "dead_letter_config",
            "event_bus_name",
            "force_destroy",
            "input",
            "input_path",
            "input_transformer",
            "retry_policy",
            "role_arn",
            "rule",
            "sqs_target",
            "target_id",
        }
    )
    defaults: ClassVar[Mapping[str, Any]] = {"event_bus_name": _DEFAULT_BUS, "force_destroy": False}
    force_new = frozenset({"event_bus_name", "rule", "target_id"})
    missing = _GONE

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """PutTargets."""
        target = planned["target_id"] or f"terraform-{unique_suffix()}"
        planned["target_id"] = target
        self.update(aws, planned, planned)
        bus = planned["event_bus_name"]
        return "-".join([*([bus] if bus != _DEFAULT_BUS else []), planned["rule"], target])

    @override
    def read(self, aws: Aws, state: Values) -> Values | None:
        """The target among those of its rule."""
        bus, rule = state["event_bus_name"] or _DEFAULT_BUS, state["rule"]
        target_id = state["target_id"] or state["id"].rpartition(f"{rule}-")[2]
        targets = aws.client("events").list_targets_by_rule(Rule=rule, EventBusName=bus)["Targets"]
        target = next((item for item in targets if item["Id"] == target_id), None)
        if target is None:
            return None
        return {
            "arn": target["Arn"],
            "dead_letter_config": [
                {"arn": item.get("Arn")} for item in blocks(target.get("DeadLetterConfig"))
            ],
            "event_bus_name": bus,
            "input": target.get("Input"),
            "input_path": target.get("InputPath"),
            "input_transformer": [
                {"input_paths": item.get("InputPathsMap", {}), "input_template": item["InputTemplate"]}
                for item in blocks(target.get("InputTransformer"))
            ],
            "retry_policy": [
                {
                    "maximum_event_age_in_seconds": item.get("MaximumEventAgeInSeconds"),
                    "maximum_retry_attempts": item.get("MaximumRetryAttempts"),
                }
                for item in blocks(target.get("RetryPolicy"))
            ],
            "role_arn": target.get("RoleArn"),
            "rule": rule,
            "sqs_target": [
                {"message_group_id": item.get("MessageGroupId")}
                for item in blocks(target.get("SqsParameters"))
            ],
            "target_id": target_id,
        }

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """PutTargets again."""
        letters, retry = block(planned, "dead_letter_config"), block(planned, "retry_policy")
        transformer, queue = block(planned, "input_transformer"), block(planned, "sqs_target")
        answer = aws.client("events").put_targets(
            EventBusName=planned["event_bus_name"],
            Rule=planned["rule"],
            Targets=[
                {
                    "Arn": planned["arn"],
                    "Id": planned["target_id"],
                    **present(
                        DeadLetterConfig=letters and {"Arn": letters["arn"]},
                        Input=planned["input"] or None,
                        InputPath=planned["input_path"] or None,
                        InputTransformer=transformer
                        and {
                            "InputPathsMap": transformer["input_paths"] or {},
                            "InputTemplate": transformer["input_template"],
                        },
                        RetryPolicy=retry
                        and present(
                            MaximumEventAgeInSeconds=retry["maximum_event_age_in_seconds"] or None,
                            MaximumRetryAttempts=retry["maximum_retry_attempts"],
                        ),
                        RoleArn=planned["role_arn"] or None,
                        SqsParameters=queue and present(MessageGroupId=queue["message_group_id"]),
                    ),
                }
            ],
        )
        for failed in answer.get("FailedEntries", []):
            raise Problem(f"PutTargets: {failed.get('ErrorCode')}", failed.get("ErrorMessage", ""))

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """RemoveTargets."""
        aws.client("events").remove_targets(
            EventBusName=state["event_bus_name"],
            Force=state["force_destroy"],
            Ids=[state["target_id"]],
            Rule=state["rule"],
        )

    @override
    def import_state(self, aws: Aws, identifier: str) -> Values:
        """`rule/target`, or `bus/rule/target` (a bus's name may hold slashes)."""
        bus_and_rule, separator, target = identifier.rpartition("/")
        if not separator:
            raise Problem(f"aws_cloudwatch_event_target: {identifier!r} is not bus/rule/target")
        bus, _, rule = bus_and_rule.rpartition("/")
        return {
            "id": "-".join([*([bus] if bus not in ("", _DEFAULT_BUS) else []), rule, target]),
            "event_bus_name": bus or _DEFAULT_BUS,
            "rule": rule,
            "target_id": target,
        }
