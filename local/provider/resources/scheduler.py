"""EventBridge Scheduler."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from typing_extensions import override

from local.provider.engine.aws import Aws
from local.provider.engine.resource import Resource, Tagging
from local.provider.engine.values import UNKNOWN, Values
from local.provider.resources.common import (
    block,
    blocks,
    chosen_name,
    name_prefix,
    present,
    tag_list,
    tag_map,
    wait_until_gone,
)

_GONE = frozenset({"ResourceNotFoundException"})


class ScheduleGroup(Resource):
    """`aws_scheduler_schedule_group`; its id is its name."""

    type = "aws_scheduler_schedule_group"
    arguments = frozenset({"name", "name_prefix"})
    force_new = frozenset({"name", "name_prefix"})
    missing = _GONE
    tagging = Tagging("scheduler", "ResourceArn")

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """CreateScheduleGroup."""
        name = chosen_name(planned)
        aws.client("scheduler").create_schedule_group(Name=name, Tags=tag_list(planned["tags_all"]))
        return name

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """GetScheduleGroup."""
        client, name = aws.client("scheduler"), state["id"]
        group = client.get_schedule_group(Name=name)
        return {
            "arn": group["Arn"],
            "creation_date": _timestamp(group["CreationDate"]),
            "last_modification_date": _timestamp(group["LastModificationDate"]),
            "name": name,
            "name_prefix": name_prefix(name),
            "state": group["State"],
            "tags_all": tag_map(client.list_tags_for_resource(ResourceArn=group["Arn"]).get("Tags", [])),
        }

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeleteScheduleGroup, which takes its schedules along, and the wait until it is gone."""
        client, name = aws.client("scheduler"), state["id"]
        client.delete_schedule_group(Name=name)
        wait_until_gone(
            lambda: client.get_schedule_group(Name=name),
            client.exceptions.ResourceNotFoundException,
            f"schedule group {name}",
        )


class Schedule(Resource):
    """`aws_scheduler_schedule`; its id is `group/name`."""

    type = "aws_scheduler_schedule"
    arguments = frozenset(
        {
            "action_after_completion",
            "description",
            "end_date",
            "flexible_time_window",
            "group_name",
            "kms_key_arn",
            "name",
            "name_prefix",
            "schedule_expression",
            "schedule_expression_timezone",
            "start_date",
            "state",
            "target.arn",
            "target.dead_letter_config",
            "target.eventbridge_parameters",
            "target.input",
            "target.retry_policy",
            "target.role_arn",
            "target.sqs_parameters",
        }
    )
    defaults: ClassVar[Mapping[str, Any]] = {
        "schedule_expression_timezone": "UTC",
        "state": "ENABLED",
        "target.retry_policy.maximum_event_age_in_seconds": 86_400,
        "target.retry_policy.maximum_retry_attempts": 185,
    }
    force_new = frozenset({"group_name", "name", "name_prefix"})
    missing = _GONE

    @override
    def plan(self, aws: Aws, prior: Values | None, planned: Values, config: Values) -> None:
        """A retry policy that is not written is the service's own: no difference."""
        if prior is None or planned["target"] is UNKNOWN:
            return
        target, before, wanted = block(planned, "target"), block(prior, "target"), block(config, "target")
        if target and before and wanted and not wanted["retry_policy"]:
            target["retry_policy"] = before["retry_policy"]

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """CreateSchedule."""
        name, group = chosen_name(planned), planned["group_name"] or "default"
        aws.client("scheduler").create_schedule(Name=name, GroupName=group, **_request(planned))
        return f"{group}/{name}"

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """GetSchedule."""
        group, _, name = state["id"].partition("/")
        found = aws.client("scheduler").get_schedule(Name=name, GroupName=group)
        window, target = found["FlexibleTimeWindow"], found["Target"]
        retry = target.get("RetryPolicy") or {}
        return {
            "action_after_completion": found.get("ActionAfterCompletion"),
            "arn": found["Arn"],
            "description": found.get("Description"),
            "end_date": _timestamp(found.get("EndDate")),
            "flexible_time_window": [
                {"maximum_window_in_minutes": window.get("MaximumWindowInMinutes"), "mode": window["Mode"]}
            ],
            "group_name": group,
            "kms_key_arn": found.get("KmsKeyArn"),
            "name": name,
            "name_prefix": name_prefix(name),
            "schedule_expression": found["ScheduleExpression"],
            "schedule_expression_timezone": found.get("ScheduleExpressionTimezone", "UTC"),
            "start_date": _timestamp(found.get("StartDate")),
            "state": found.get("State", "ENABLED"),
            "target": [
                {
                    "arn": target["Arn"],
                    "dead_letter_config": [
                        {"arn": item["Arn"]} for item in blocks(target.get("DeadLetterConfig"))
                    ],
                    "eventbridge_parameters": [
                        {"detail_type": item["DetailType"], "source": item["Source"]}
                        for item in blocks(target.get("EventBridgeParameters"))
                    ],
                    "input": target.get("Input"),
                    "retry_policy": [
                        {
                            "maximum_event_age_in_seconds": retry.get("MaximumEventAgeInSeconds", 86_400),
                            "maximum_retry_attempts": retry.get("MaximumRetryAttempts", 185),
                        }
                    ],
                    "role_arn": target["RoleArn"],
                    "sqs_parameters": [
                        {"message_group_id": item.get("MessageGroupId")}
                        for item in blocks(target.get("SqsParameters"))
                    ],
                }
            ],
        }

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """UpdateSchedule, which takes the whole schedule."""
        aws.client("scheduler").update_schedule(
            Name=planned["name"], GroupName=planned["group_name"], **_request(planned)
        )

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeleteSchedule."""
        group, _, name = state["id"].partition("/")
        aws.client("scheduler").delete_schedule(Name=name, GroupName=group)


def _request(planned: Values) -> dict[str, Any]:
    window, target = planned["flexible_time_window"][0], planned["target"][0]
    dead_letters, retry = block(target, "dead_letter_config"), block(target, "retry_policy")
    event, queue = block(target, "eventbridge_parameters"), block(target, "sqs_parameters")
    return {
        "FlexibleTimeWindow": {
            "Mode": window["mode"],
            **present(MaximumWindowInMinutes=window["maximum_window_in_minutes"]),
        },
        "ScheduleExpression": planned["schedule_expression"],
        "ScheduleExpressionTimezone": planned["schedule_expression_timezone"],
        "State": planned["state"],
        "Target": {
            "Arn": target["arn"],
            "RoleArn": target["role_arn"],
            **present(
                DeadLetterConfig=dead_letters and {"Arn": dead_letters["arn"]},
                EventBridgeParameters=event
                and {"DetailType": event["detail_type"], "Source": event["source"]},
                Input=target["input"] or None,
                RetryPolicy=retry
                and {
                    "MaximumEventAgeInSeconds": retry["maximum_event_age_in_seconds"],
                    "MaximumRetryAttempts": retry["maximum_retry_attempts"],
                },
                SqsParameters=queue and present(MessageGroupId=queue["message_group_id"] or None),
            ),
        },
        **present(
            ActionAfterCompletion=planned["action_after_completion"] or None,
            Description=planned["description"] or None,
            EndDate=planned["end_date"] or None,
            KmsKeyArn=planned["kms_key_arn"] or None,
            StartDate=planned["start_date"] or None,
        ),
    }


def _timestamp(moment: Any) -> str | None:
    return None if moment is None else str(moment.strftime("%Y-%m-%dT%H:%M:%SZ"))
