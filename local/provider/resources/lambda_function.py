"""Lambda functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from typing_extensions import override

from local.provider.engine.aws import Aws
from local.provider.engine.errors import Problem, not_implemented
from local.provider.engine.resource import Resource, Tagging
from local.provider.engine.values import Values, at
from local.provider.resources.common import (
    block,
    blocks,
    changed,
    present,
    unknown_when,
    wait_until,
)

GONE = frozenset({"ResourceNotFoundException"})
_CODE = ("filename", "s3_bucket", "s3_key", "s3_object_version", "source_code_hash")
# Arguments that UpdateFunctionConfiguration takes.
_CONFIGURATION = (
    "dead_letter_config",
    "description",
    "environment",
    "ephemeral_storage",
    "handler",
    "kms_key_arn",
    "layers",
    "logging_config",
    "memory_size",
    "role",
    "runtime",
    "timeout",
    "tracing_config",
    "vpc_config",
)


class Function(Resource):
    """`aws_lambda_function` from a zip, local or in S3."""

    type = "aws_lambda_function"
    arguments = frozenset(
        {
            *_CODE,
            *_CONFIGURATION,
            "architectures",
            "code_sha256",
            "function_name",
            "package_type",
            "publish",
            "reserved_concurrent_executions",
            "skip_destroy",
        }
    )
    defaults: ClassVar[Mapping[str, Any]] = {
        "memory_size": 128,
        "package_type": "Zip",
        "publish": False,
        "reserved_concurrent_executions": -1,
        "skip_destroy": False,
        "timeout": 3,
        "vpc_config.ipv6_allowed_for_dual_stack": False,
    }
    force_new = frozenset({"function_name", "package_type"})
    computed_blocks = frozenset({"ephemeral_storage", "logging_config", "tracing_config"})
    missing = GONE
    tagging = Tagging("lambda", "Resource", listed=False)

    @override
    def plan(self, aws: Aws, prior: Values | None, planned: Values, config: Values) -> None:
        """What a change of code or configuration will alter beside it."""
        if planned["package_type"] == "Image":
            raise not_implemented(self.type, "package_type", "Image")
        # An environment without a variable is none, where there was none before.
        if not (prior and prior["environment"]) and [*at(planned, "environment.variables")] == [None]:
            planned["environment"] = []
        if prior is None:
            return
        code = changed(prior, planned, *_CODE, "architectures")
        configuration = changed(prior, planned, *_CONFIGURATION)
        unknown_when(planned, code or configuration, "last_modified")
        unknown_when(
            planned, code, *(name for name in ("code_sha256", "source_code_size") if not config.get(name))
        )
        publishes = planned["publish"] is True and (code or configuration or not prior["publish"])
        unknown_when(planned, publishes, "qualified_arn", "qualified_invoke_arn", "version")

    @override
    def create(self, aws: Aws, planned: Values) -> str:
        """CreateFunction, the wait until it is active, and its reserved concurrency."""
        client, name = aws.client("lambda"), planned["function_name"]
        client.create_function(
            FunctionName=name,
            Code=_code(aws, planned),
            Publish=bool(planned["publish"]),
            Tags=planned["tags_all"] or {},
            **present(Architectures=planned["architectures"] or None),
            **{key: value for key, value in _configuration(planned).items() if value not in ({}, [], "")},
        )
        self._await_active(aws, name)
        if planned["reserved_concurrent_executions"] >= 0:
            client.put_function_concurrency(
                FunctionName=name, ReservedConcurrentExecutions=planned["reserved_concurrent_executions"]
            )
        return str(name)

    @override
    def read(self, aws: Aws, state: Values) -> Values:
        """GetFunction, and the newest version when versions are published."""
        client, name = aws.client("lambda"), state["id"]
        found = client.get_function(FunctionName=name)
        function = found["Configuration"]
        version = self._newest_version(client, name) if state["publish"] else "$LATEST"
        identifier = function["FunctionArn"]
        logging, vpc = function.get("LoggingConfig"), function.get("VpcConfig") or {}
        return {
            "architectures": function.get("Architectures", ["x86_64"]),
            "arn": identifier,
            "code_sha256": function["CodeSha256"],
            "dead_letter_config": [
                {"target_arn": item["TargetArn"]}
                for item in blocks(function.get("DeadLetterConfig"))
                if item.get("TargetArn")
            ],
            "description": function.get("Description"),
            "environment": [
                {"variables": item["Variables"]}
                for item in blocks(function.get("Environment"))
                if item.get("Variables")
            ],
            "ephemeral_storage": [
                {"size": item["Size"]} for item in blocks(function.get("EphemeralStorage"))
            ],
            "function_name": name,
            "handler": function.get("Handler"),
            "invoke_arn": invoke_arn(aws, identifier),
            "kms_key_arn": function.get("KMSKeyArn"),
            "last_modified": function["LastModified"],
            "layers": [layer["Arn"] for layer in function.get("Layers", [])],
            "logging_config": [
                {
                    "application_log_level": item.get("ApplicationLogLevel"),
                    "log_format": item["LogFormat"],
                    "log_group": item.get("LogGroup"),
                    "system_log_level": item.get("SystemLogLevel"),
                }
                for item in blocks(logging)
            ],
            "memory_size": function["MemorySize"],
            "package_type": function.get("PackageType", "Zip"),
            "qualified_arn": f"{identifier}:{version}",
            "qualified_invoke_arn": invoke_arn(aws, f"{identifier}:{version}"),
            "reserved_concurrent_executions": found.get("Concurrency", {}).get(
                "ReservedConcurrentExecutions", -1
            ),
            "response_streaming_invoke_arn": invoke_arn(aws, identifier, streaming=True),
            "role": function["Role"],
            "runtime": function.get("Runtime"),
            "signing_job_arn": function.get("SigningJobArn", ""),
            "signing_profile_version_arn": function.get("SigningProfileVersionArn", ""),
            "source_code_hash": state["source_code_hash"] or function["CodeSha256"],
            "source_code_size": function["CodeSize"],
            "tags_all": found.get("Tags", {}),
            "timeout": function["Timeout"],
            "tracing_config": [{"mode": item["Mode"]} for item in blocks(function.get("TracingConfig"))],
            "version": version,
            "vpc_config": [
                {
                    "ipv6_allowed_for_dual_stack": vpc.get("Ipv6AllowedForDualStack", False),
                    "security_group_ids": vpc.get("SecurityGroupIds", []),
                    "subnet_ids": vpc["SubnetIds"],
                    "vpc_id": vpc.get("VpcId"),
                }
            ]
            if vpc.get("SubnetIds")
            else [],
        }

    @override
    def update(self, aws: Aws, prior: Values, planned: Values) -> None:
        """Configuration, code, concurrency and version, each by its own call."""
        client, name = aws.client("lambda"), planned["id"]
        configuration = changed(prior, planned, *_CONFIGURATION)
        code = changed(prior, planned, *_CODE, "architectures")
        if configuration:
            client.update_function_configuration(FunctionName=name, **_configuration(planned))
            self._await_active(aws, name)
        if code:
            client.update_function_code(
                FunctionName=name,
                **_code(aws, planned),
                **present(Architectures=planned["architectures"] or None),
            )
            self._await_active(aws, name)
        if changed(prior, planned, "reserved_concurrent_executions"):
            if planned["reserved_concurrent_executions"] >= 0:
                client.put_function_concurrency(
                    FunctionName=name, ReservedConcurrentExecutions=planned["reserved_concurrent_executions"]
                )
            else:
                client.delete_function_concurrency(FunctionName=name)
        if planned["publish"] and (configuration or code or not prior["publish"]):
            client.publish_version(FunctionName=name)

    @override
    def delete(self, aws: Aws, state: Values) -> None:
        """DeleteFunction, unless it is to outlive its resource."""
        if not state["skip_destroy"]:
            aws.client("lambda").delete_function(FunctionName=state["id"])

    def _await_active(self, aws: Aws, name: str) -> None:
        client = aws.client("lambda")

        def settled() -> bool:
            function = client.get_function(FunctionName=name)["Configuration"]
            if "Failed" in (function["State"], function.get("LastUpdateStatus")):
                raise Problem(f"Lambda function {name} failed: {function.get('StateReason')}")
            return bool(function["State"] == "Active" and function.get("LastUpdateStatus") != "InProgress")

        wait_until(settled, f"Lambda function {name} becoming active")

    def _newest_version(self, client: Any, name: str) -> str:
        pages = client.get_paginator("list_versions_by_function").paginate(FunctionName=name)
        numbers = [version["Version"] for page in pages for version in page["Versions"]]
        return max((number for number in numbers if number.isdecimal()), key=int, default="$LATEST")


def invoke_arn(aws: Aws, function: str, *, streaming: bool = False) -> str:
    """The ARN by which API Gateway invokes a function, a version or an alias."""
    version, action = (
        ("2021-11-15", "response-streaming-invocations") if streaming else ("2015-03-31", "invocations")
    )
    return f"arn:{aws.partition}:apigateway:{aws.region}:lambda:path/{version}/functions/{function}/{action}"


def _code(aws: Aws, planned: Values) -> dict[str, Any]:
    if planned["filename"]:
        return {"ZipFile": aws.read_file("filename", planned["filename"])}
    return present(
        S3Bucket=planned["s3_bucket"],
        S3Key=planned["s3_key"],
        S3ObjectVersion=planned["s3_object_version"] or None,
    )


def _configuration(planned: Values) -> dict[str, Any]:
    """The whole configuration: what is not set is sent as the empty value that removes it."""
    dead_letters, environment = block(planned, "dead_letter_config"), block(planned, "environment")
    storage, logging = block(planned, "ephemeral_storage"), block(planned, "logging_config")
    tracing, vpc = block(planned, "tracing_config"), block(planned, "vpc_config")
    return {
        "DeadLetterConfig": {"TargetArn": dead_letters["target_arn"]} if dead_letters else {},
        "Description": planned["description"] or "",
        "Environment": {"Variables": (environment and environment["variables"]) or {}},
        "KMSKeyArn": planned["kms_key_arn"] or "",
        "Layers": planned["layers"] or [],
        "MemorySize": planned["memory_size"],
        "Role": planned["role"],
        "Timeout": planned["timeout"],
        **present(
            EphemeralStorage={"Size": storage["size"]} if storage and storage["size"] else None,
            Handler=planned["handler"] or None,
            LoggingConfig=logging
            and {
                "LogFormat": logging["log_format"],
                **present(
                    ApplicationLogLevel=logging["application_log_level"] or None,
                    LogGroup=logging["log_group"] or None,
                    SystemLogLevel=logging["system_log_level"] or None,
                ),
            },
            Runtime=planned["runtime"] or None,
            TracingConfig=tracing and {"Mode": tracing["mode"]},
            VpcConfig=vpc
            and {
                "Ipv6AllowedForDualStack": bool(vpc["ipv6_allowed_for_dual_stack"]),
                "SecurityGroupIds": vpc["security_group_ids"],
                "SubnetIds": vpc["subnet_ids"],
            },
        ),
    }
