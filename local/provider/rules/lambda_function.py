"""Lambda functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from local.provider.engine.errors import Problem
from local.provider.engine.rules import (
    Arn,
    ConflictsWith,
    ExactlyOneOf,
    Items,
    Length,
    OneOf,
    Pattern,
    Range,
    RequiredWith,
    Table,
)
from local.provider.engine.validation import Planned, PlanRule
from local.provider.engine.values import known

_NAME, _QUALIFIER = "[A-Za-z0-9_-]", r"(?::(?:\$LATEST|[A-Za-z0-9_-]+))?"
_REGION = r"[a-z]{2,4}-(?:[a-z]+-){1,2}\d"
FUNCTION_NAME = (
    Pattern(
        rf"(?:arn:[\w-]+:lambda:)?(?:{_REGION}:)?(?:\d{{12}}:)?(?:function:)?{_NAME}+{_QUALIFIER}",
        "be a function's name or ARN",
    ),
    Length(1, 140),
    Pattern(
        rf"arn:[\w-]+:lambda:{_REGION}:\d{{12}}:function:{_NAME}{{1,64}}{_QUALIFIER}"
        rf"|\d{{12}}:function:{_NAME}{{1,64}}|.{{0,64}}",
        "have a name of at most 64 characters",
    ),
)
LOG_GROUP = Pattern(r"[.\-_/#A-Za-z0-9]{1,512}", "have 1 to 512 of letters, digits and .-_/#")
_RUNTIMES = (
    *("dotnet10", "dotnet6", "dotnet8", "dotnetcore1.0", "dotnetcore2.0", "dotnetcore2.1", "dotnetcore3.1"),
    *("go1.x", "java11", "java17", "java21", "java25", "java8", "java8.al2"),
    *("nodejs", "nodejs10.x", "nodejs12.x", "nodejs14.x", "nodejs16.x", "nodejs18.x", "nodejs20.x"),
    *("nodejs22.x", "nodejs24.x", "nodejs4.3", "nodejs4.3-edge", "nodejs6.10", "nodejs8.10"),
    *("provided", "provided.al2", "provided.al2023"),
    *("python2.7", "python3.10", "python3.11", "python3.12", "python3.13", "python3.14"),
    *("python3.6", "python3.7", "python3.8", "python3.9"),
    *("ruby2.5", "ruby2.7", "ruby3.2", "ruby3.3", "ruby3.4", "ruby4.0"),
)

VALIDATED: Mapping[str, Table] = {
    "aws_lambda_function": {
        "architectures": (Items(1), OneOf("arm64", "x86_64")),
        "code_signing_config_arn": Arn(),
        "dead_letter_config.target_arn": Arn(),
        "durable_config.execution_timeout": Range(1, 31_622_400),
        "durable_config.retention_period": Range(1, 90),
        "ephemeral_storage.size": Range(512, 10_240),
        "file_system_config.local_mount_path": Pattern("/mnt/[0-9A-Za-z_.-]+", "begin with /mnt/"),
        "filename": ExactlyOneOf("filename", "image_uri", "s3_bucket"),
        "function_name": FUNCTION_NAME,
        "handler": Length(1, 128),
        "kms_key_arn": Arn(),
        "layers": (Items(5), Arn()),
        "logging_config.application_log_level": OneOf("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"),
        "logging_config.log_format": OneOf("JSON", "Text"),
        "logging_config.log_group": LOG_GROUP,
        "logging_config.system_log_level": OneOf("DEBUG", "INFO", "WARN"),
        "memory_size": Range(128, 10_240),
        "package_type": OneOf("Image", "Zip"),
        "replacement_security_group_ids": RequiredWith("replace_security_groups_on_destroy"),
        "reserved_concurrent_executions": Range(-1),
        "role": Arn(),
        "runtime": OneOf(*_RUNTIMES),
        "s3_bucket": RequiredWith("s3_key"),
        "s3_key": RequiredWith("s3_bucket"),
        "s3_object_version": ConflictsWith("filename", "image_uri"),
        "snap_start.apply_on": OneOf("None", "PublishedVersions"),
        "source_kms_key_arn": (ConflictsWith("image_uri"), Arn()),
        "timeout": Range(1, 900),
        "tracing_config.mode": OneOf("Active", "PassThrough"),
    },
}


def _zip(change: Planned) -> Iterator[Problem]:
    """A zip has a handler and a runtime."""
    handler, runtime = (known(change.values[name]) for name in ("handler", "runtime"))
    if change.values["package_type"] == "Zip" and not (handler and runtime):
        yield Problem(
            "handler and runtime must be set when package_type is Zip",
            "Write both, with values that are known before the apply.",
            "handler",
        )


PLANNED: Mapping[str, Sequence[PlanRule]] = {"aws_lambda_function": (_zip,)}
