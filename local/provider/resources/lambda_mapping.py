"""Lambda event source mappings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from typing_extensions import override

from local.provider.engine.aws import Aws
from local.provider.engine.resource import Equivalence, Resource, Tagging
from local.provider.engine.values import Values
from local.provider.resources.common import block, blocks, present, wait_until, wait_until_gone
from local.provider.resources.lambda_function import GONE

_DEFAULT_BATCH = {"sqs": 10}
_DEFAULT_STREAM_BATCH = 100


def _same_function(left: str, right: str) -> bool:
    """A function's name and its ARN name the same function."""
    return left == right or left.rpartition(":function:")[2] == right.rpartition(":function:")[2]


class EventSourceMapping(Resource):
    """`aws_lambda_event_source_mapping` of a queue or a stream; its id is its UUID."""

    type = "aws_lambda_event_source_mapping"
    arguments = frozenset(
        {
            "batch_size",
            "bisect_batch_on_function_error",
            "destination_config",
            "enabled",
            "event_source_arn",
            "filter_criteria",
            "function_name",
            "function_response_types",
            "kms_key_arn",
            "maximum_batching_window_in_seconds",
            "maximum_record_age_in_seconds",
            "maximum_retry_attempts",
            "metrics_config",
            "parallelization_factor",
            "provisioned_poller_config",
            "scaling_config",
            "starting_position",
        }
    )
    defaults: ClassVar[Mapping[str, Any]] = {"enabled": True}
    force_new = frozenset({"event_source_arn", "starting_position"})
    computed_blocks = frozenset(
        {"amazon_managed_kafka_event_source_config", "self_managed_kafka_event_source_config"}
    )
    equivalent: ClassVar[Mapping[str, Equivalence]] = {"function_name": _same_function}
    missing = GONE
    tagging = Tagging("lambda", "Resource", listed=False)

    @override
    def plan(self, aws: Aws, prior: Values | None, planned: Values, config: Values) -> None:
        """A batch size or destination that is not written is the service's own: no difference."""
        if prior is None:
            return
        if not config["destination_config"]:
            planned["destination_config"] = prior["destination_config"]
        if config["batch_size"]:
            return
        service = (planned["event_source_arn"] or ":::").split(":")[2]
        if prior["batch_size"] == _DEFAULT_BATCH.get(service, _DEFAULT_STREAM_BATCH):
            planned["batch_size"] = prior["batch_size"]

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """CreateEventSourceMapping, and the wait until it is set up."""
        created = aws.client("lambda").create_event_source_mapping(
            EventSourceArn=planned["event_source_arn"],
            Tags=planned["tags_all"] or {},
            **present(StartingPosition=planned["starting_position"] or None),
            **{key: value for key, value in _request(planned).items() if value not in ({}, [], "")},
        )
        identifier: str = created["UUID"]
        self._await_settled(aws, identifier)
        return identifier

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """GetEventSourceMapping. What an endpoint does not report at all keeps the state's value."""
        client, identifier = aws.client("lambda"), state["id"]
        found = client.get_event_source_mapping(UUID=identifier)
        mapping_arn = found["EventSourceMappingArn"]
        scaling, failure = found.get("ScalingConfig"), (found.get("DestinationConfig") or {}).get("OnFailure")
        observed: Values = {
            "arn": mapping_arn,
            "batch_size": found.get("BatchSize"),
            "bisect_batch_on_function_error": found.get("BisectBatchOnFunctionError"),
            "destination_config": [
                {"on_failure": [{"destination_arn": item["Destination"]}]}
                for item in blocks(failure)
                if item.get("Destination")
            ],
            "enabled": found["State"] in ("Creating", "Enabled", "Enabling", "Updating"),
            "event_source_arn": found["EventSourceArn"],
            "filter_criteria": [
                {"filter": [{"pattern": item.get("Pattern")} for item in criteria["Filters"]]}
                for criteria in blocks(found.get("FilterCriteria"))
                if criteria.get("Filters")
            ],
            "function_arn": found["FunctionArn"],
            "function_name": found["FunctionArn"],
            "function_response_types": found.get("FunctionResponseTypes"),
            "last_modified": found["LastModified"].strftime("%Y-%m-%dT%H:%M:%SZ"),
            "last_processing_result": found.get("LastProcessingResult"),
            "maximum_batching_window_in_seconds": found.get("MaximumBatchingWindowInSeconds"),
            "maximum_record_age_in_seconds": found.get("MaximumRecordAgeInSeconds"),
            "maximum_retry_attempts": found.get("MaximumRetryAttempts"),
            "parallelization_factor": found.get("ParallelizationFactor"),
            "scaling_config": [
                {"maximum_concurrency": item["MaximumConcurrency"]}
                for item in blocks(scaling)
                if item.get("MaximumConcurrency")
            ],
            "starting_position": found.get("StartingPosition"),
            "state": found["State"],
            "state_transition_reason": found.get("StateTransitionReason"),
            "tags_all": client.list_tags(Resource=mapping_arn).get("Tags", {}),
            "uuid": identifier,
        }
        if "KMSKeyArn" in found:
            observed["kms_key_arn"] = found["KMSKeyArn"]
        if "MetricsConfig" in found:
            observed["metrics_config"] = [{"metrics": found["MetricsConfig"].get("Metrics", [])}]
        if "ProvisionedPollerConfig" in found:
            pollers = found["ProvisionedPollerConfig"]
            observed["provisioned_poller_config"] = [
                {
                    "maximum_pollers": pollers.get("MaximumPollers"),
                    "minimum_pollers": pollers.get("MinimumPollers"),
                }
            ]
        return observed

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """UpdateEventSourceMapping."""
        aws.client("lambda").update_event_source_mapping(UUID=planned["id"], **_request(planned))
        self._await_settled(aws, planned["id"])

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeleteEventSourceMapping, and the wait until it no longer polls."""
        client, identifier = aws.client("lambda"), state["id"]
        client.delete_event_source_mapping(UUID=identifier)
        wait_until_gone(
            lambda: client.get_event_source_mapping(UUID=identifier),
            client.exceptions.ResourceNotFoundException,
            f"event source mapping {identifier}",
        )

    def _await_settled(self, aws: Aws, identifier: str) -> None:
        client = aws.client("lambda")
        wait_until(
            lambda: client.get_event_source_mapping(UUID=identifier)["State"] in ("Enabled", "Disabled"),
            f"event source mapping {identifier} being set up",
        )


def _request(planned: Values) -> dict[str, Any]:
    destination, scaling = block(planned, "destination_config"), block(planned, "scaling_config")
    criteria, metrics = block(planned, "filter_criteria"), block(planned, "metrics_config")
    pollers = block(planned, "provisioned_poller_config")
    failure = destination and block(destination, "on_failure")
    return {
        "Enabled": planned["enabled"],
        "FilterCriteria": {"Filters": [present(Pattern=item["pattern"]) for item in criteria["filter"]]}
        if criteria
        else {},
        "FunctionName": planned["function_name"],
        "FunctionResponseTypes": planned["function_response_types"] or [],
        "ScalingConfig": {"MaximumConcurrency": scaling["maximum_concurrency"]} if scaling else {},
        **present(
            BatchSize=planned["batch_size"] or None,
            BisectBatchOnFunctionError=planned["bisect_batch_on_function_error"],
            DestinationConfig=failure and {"OnFailure": {"Destination": failure["destination_arn"]}},
            KMSKeyArn=planned["kms_key_arn"] or None,
            MaximumBatchingWindowInSeconds=planned["maximum_batching_window_in_seconds"],
            MaximumRecordAgeInSeconds=planned["maximum_record_age_in_seconds"],
            MaximumRetryAttempts=planned["maximum_retry_attempts"],
            MetricsConfig=metrics and {"Metrics": metrics["metrics"]},
            ParallelizationFactor=planned["parallelization_factor"],
            ProvisionedPollerConfig=pollers
            and present(MaximumPollers=pollers["maximum_pollers"], MinimumPollers=pollers["minimum_pollers"]),
        ),
    }
