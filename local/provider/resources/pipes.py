"""EventBridge Pipes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from typing_extensions import override

from local.provider.engine.aws import Aws
from local.provider.engine.errors import Problem
from local.provider.engine.resource import Resource, Tagging
from local.provider.engine.values import Values
from local.provider.resources.common import (
    block,
    blocks,
    chosen_name,
    name_prefix,
    present,
    wait_until,
    wait_until_gone,
)

_GONE = frozenset({"NotFoundException"})
_OTHER_SOURCES = (
    "activemq_broker",
    "dynamodb_stream",
    "kinesis_stream",
    "managed_streaming_kafka",
    "rabbitmq_broker",
    "self_managed_kafka",
)


class Pipe(Resource):
    """`aws_pipes_pipe` from a queue, to a queue or a function; its id is its name."""

    type = "aws_pipes_pipe"
    arguments = frozenset(
        {
            "description",
            "desired_state",
            "enrichment",
            "kms_key_identifier",
            "name",
            "name_prefix",
            "role_arn",
            "source",
            "source_parameters.filter_criteria",
            "source_parameters.sqs_queue_parameters",
            "target",
            "target_parameters.input_template",
            "target_parameters.lambda_function_parameters",
            "target_parameters.sqs_queue_parameters",
        }
    )
    defaults: ClassVar[Mapping[str, Any]] = {
        "description": "Managed by Terraform",
        "desired_state": "RUNNING",
    }
    force_new = frozenset({"name", "name_prefix", "source"})
    computed_blocks = frozenset(
        {"source_parameters", *(f"source_parameters.{kind}_parameters" for kind in _OTHER_SOURCES)}
    )
    missing = _GONE
    tagging = Tagging("pipes", "resourceArn", listed=False, names=("tags", "tagKeys"))

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """CreatePipe, and the wait until it is in the state asked for."""
        name = chosen_name(planned)
        source = block(planned, "source_parameters")
        aws.client("pipes").create_pipe(
            Name=name,
            Source=planned["source"],
            Tags=planned["tags_all"] or {},
            **present(SourceParameters=source and _source(source)),
            **_request(planned),
        )
        self._await_settled(aws, name)
        return name

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """DescribePipe. What an endpoint does not report at all keeps the state's value."""
        found = aws.client("pipes").describe_pipe(Name=state["id"])
        observed: Values = {
            "arn": found["Arn"],
            "description": found.get("Description"),
            "desired_state": found["DesiredState"],
            "name": state["id"],
            "name_prefix": name_prefix(state["id"]),
            "role_arn": found["RoleArn"],
            "source": found["Source"],
            "tags_all": found.get("Tags", {}),
            "target": found["Target"],
        }
        for name, api in (("enrichment", "Enrichment"), ("kms_key_identifier", "KmsKeyIdentifier")):
            if api in found:
                observed[name] = found[api]
        if "SourceParameters" in found:
            observed["source_parameters"] = [
                _described_source(item) for item in blocks(found["SourceParameters"])
            ]
        if "TargetParameters" in found:
            observed["target_parameters"] = [
                _described_target(item) for item in blocks(found["TargetParameters"])
            ]
        return observed

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """UpdatePipe."""
        source = block(planned, "source_parameters")
        aws.client("pipes").update_pipe(
            Name=planned["id"], **present(SourceParameters=source and _source(source)), **_request(planned)
        )
        self._await_settled(aws, planned["id"])

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeletePipe, and the wait until it no longer runs."""
        client, name = aws.client("pipes"), state["id"]
        client.delete_pipe(Name=name)
        wait_until_gone(
            lambda: client.describe_pipe(Name=name), client.exceptions.NotFoundException, f"pipe {name}"
        )

    def _await_settled(self, aws: Aws, name: str) -> None:
        client = aws.client("pipes")

        def settled() -> bool:
            pipe = client.describe_pipe(Name=name)
            if pipe["CurrentState"].endswith("_FAILED"):
                raise Problem(f"pipe {name} is {pipe['CurrentState']}", str(pipe.get("StateReason")))
            return bool(pipe["CurrentState"] == pipe["DesiredState"])

        wait_until(settled, f"pipe {name} reaching its state")


def _request(planned: Values) -> dict[str, Any]:
    target = block(planned, "target_parameters")
    queue, function = (
        block(target or {}, "sqs_queue_parameters"),
        block(target or {}, "lambda_function_parameters"),
    )
    return {
        "Description": planned["description"] or "",
        "DesiredState": planned["desired_state"],
        "Enrichment": planned["enrichment"] or "",
        "RoleArn": planned["role_arn"],
        "Target": planned["target"],
        **present(
            KmsKeyIdentifier=planned["kms_key_identifier"] or None,
            TargetParameters=target
            and present(
                InputTemplate=target["input_template"] or None,
                LambdaFunctionParameters=function and {"InvocationType": function["invocation_type"]},
                SqsQueueParameters=queue
                and present(
                    MessageDeduplicationId=queue["message_deduplication_id"] or None,
                    MessageGroupId=queue["message_group_id"] or None,
                ),
            ),
        ),
    }


def _source(source: Values) -> dict[str, Any]:
    criteria, queue = block(source, "filter_criteria"), block(source, "sqs_queue_parameters")
    return present(
        FilterCriteria=criteria
        and {"Filters": [{"Pattern": item["pattern"]} for item in criteria["filter"]]},
        SqsQueueParameters=queue
        and present(
            BatchSize=queue["batch_size"],
            MaximumBatchingWindowInSeconds=queue["maximum_batching_window_in_seconds"],
        ),
    )


def _described_source(source: Mapping[str, Any]) -> Values:
    return {
        "filter_criteria": [
            {"filter": [{"pattern": item["Pattern"]} for item in criteria.get("Filters", [])]}
            for criteria in blocks(source.get("FilterCriteria"))
        ],
        "sqs_queue_parameters": [
            {
                "batch_size": item.get("BatchSize"),
                "maximum_batching_window_in_seconds": item.get("MaximumBatchingWindowInSeconds"),
            }
            for item in blocks(source.get("SqsQueueParameters"))
        ],
    }


def _described_target(target: Mapping[str, Any]) -> Values:
    return {
        "input_template": target.get("InputTemplate"),
        "lambda_function_parameters": [
            {"invocation_type": item["InvocationType"]}
            for item in blocks(target.get("LambdaFunctionParameters"))
        ],
        "sqs_queue_parameters": [
            {
                "message_deduplication_id": item.get("MessageDeduplicationId"),
                "message_group_id": item.get("MessageGroupId"),
            }
            for item in blocks(target.get("SqsQueueParameters"))
        ],
    }
