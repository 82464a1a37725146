"""Lambda."""

from __future__ import annotations

from tests.local.probes.probe import Newer, Probe, probes
from tests.local.probes.values import (
    BAD_ARNS,
    FUNCTION,
    KEY,
    LATE,
    LATER,
    QUEUE,
    ROLE,
    each,
    edges,
    late,
    outside,
)

_LATER_ARGUMENT = "5.46 has no such argument"
_LATER_TYPE = "5.46 has no such type"
_ZIP = {
    "function_name": "payroll",
    "role": ROLE,
    "filename": "payroll.zip",
    "handler": "a.b",
    "runtime": "python3.12",
}
_NAMES = each("function_name", "", "pay roll", "payroll:", "payroll:v.1", "給与", "f" * 141)

PROBES: tuple[Probe, ...] = (
    *probes(
        "aws_lambda_function",
        dict(_ZIP),
        validate=[
            *_NAMES,
            *each("role", *BAD_ARNS),
            *outside("timeout", 1, 900),
            *outside("memory_size", 128, 10_240),
            *outside("reserved_concurrent_executions", -1, None),
            *outside("ephemeral_storage.size", 512, 10_240),
            *each("handler", "", "h" * 129),
            *each("runtime", "python3", "python3.5", "Python3.12", ""),
            *each("package_type", "zip", "Jar"),
            *each("architectures", ["arm"], ["arm64", "x86_64"]),
            *each("layers", ["payroll"], [FUNCTION] * 6),
            *each("kms_key_arn", "alias/payroll"),
            *each("dead_letter_config.target_arn", "payroll"),
            *each("tracing_config.mode", "active", "On"),
            *each("logging_config", {"log_format": "json"}, {"log_format": "JSON", "log_group": "pay roll"}),
            {"logging_config": {"log_format": "JSON", "application_log_level": "VERBOSE"}},
            {"logging_config": {"log_format": "JSON", "system_log_level": "ERROR"}},
            {"filename": None},
            {"s3_bucket": "payroll", "s3_key": "payroll.zip"},
            {"filename": None, "s3_bucket": "payroll"},
            {"s3_key": "payroll.zip"},
            {"s3_object_version": "7"},
        ],
        plan=[
            {"handler": None},
            {"runtime": None},
            {"timeout": late(901)},
            {"role": LATE},
            {"runtime": LATE},
            *each("handler", LATER),
            *each("runtime", LATER),
        ],
        accepted=[
            {},
            *edges("timeout", 1, 900),
            *edges("memory_size", 128, 10_240),
            *each("reserved_concurrent_executions", -1, 0, 5000),
            *each("function_name", "f" * 64, FUNCTION, "444455556666:function:payroll", "payroll:live"),
            {"filename": None, "s3_bucket": "payroll", "s3_key": "payroll.zip", "s3_object_version": "7"},
            {"environment.variables": {"1 bad name": "x"}},
            {"description": "d" * 400},
            {"role": LATER},
            {"dead_letter_config.target_arn": LATER},
            {"filename": "no-such-file.zip"},
            {"logging_config": {"log_format": "Text", "log_group": "/aws/lambda/payroll"}},
        ],
        newer=[
            Newer(
                "validate",
                "accepted",
                "6.x refuses function names of more than 64 characters",
                [
                    *each("function_name", "f" * 65, "f" * 140, f"{FUNCTION}{'f' * 60}"),
                ],
            ),
        ],
    ),
    *probes(
        "aws_lambda_event_source_mapping",
        {"function_name": "payroll", "event_source_arn": QUEUE},
        validate=[
            {"event_source_arn": None},
            *each("maximum_record_age_in_seconds", -2, 0, 59, 604_801, 60.5),
            *outside("maximum_retry_attempts", -1, 10_000),
            *outside("parallelization_factor", 1, 10),
            *each("scaling_config.maximum_concurrency", 1, 2.5),
            *each("batch_size", 1.5),
            *each("maximum_batching_window_in_seconds", 0.5),
            *each("starting_position", "latest", "EARLIEST"),
            *each("function_response_types", ["ReportFailures"]),
            *each("destination_config.on_failure.destination_arn", "payroll"),
            {"filter_criteria.filter": [{"pattern": "{" + " " * number + "}"} for number in range(11)]},
            {"filter_criteria.filter": {"pattern": "p" * 4097}},
        ],
        plan=[{"parallelization_factor": late(11)}, {"scaling_config.maximum_concurrency": late(1)}],
        accepted=[
            {},
            *each("event_source_arn", "payroll", LATER),
            *each("batch_size", 0, 10, 100_000),
            *each("maximum_record_age_in_seconds", -1, 60, 604_800),
            *edges("maximum_retry_attempts", -1, 10_000),
            *edges("scaling_config.maximum_concurrency", 2, 1000),
            {"filter_criteria.filter": [{"pattern": "{" + " " * number + "}"} for number in range(10)]},
            {"filter_criteria.filter": {"pattern": "not JSON"}},
            {"function_name": "pay roll"},
            {"starting_position": "TRIM_HORIZON"},
        ],
        newer=[
            Newer(
                "accepted",
                "validate",
                "AWS raises the concurrency of a mapping by quota: 6.x has no cap",
                [
                    *each("scaling_config.maximum_concurrency", 1001, 5000),
                ],
            ),
            Newer(
                "validate",
                None,
                _LATER_ARGUMENT,
                [
                    {"kms_key_arn": "payroll"},
                    {"metrics_config.metrics": ["Events"]},
                    *each("provisioned_poller_config.maximum_pollers", 0, 2001, 1.5),
                    *each("provisioned_poller_config.minimum_pollers", 0, 201),
                ],
            ),
            Newer(
                "accepted",
                None,
                _LATER_ARGUMENT,
                [
                    {"kms_key_arn": KEY},
                    {"provisioned_poller_config.maximum_pollers": 2000},
                ],
            ),
        ],
    ),
    *probes(
        "aws_lambda_permission",
        {"function_name": "payroll", "action": "lambda:InvokeFunction", "principal": "events.amazonaws.com"},
        validate=[
            *_NAMES,
            *each("action", "InvokeFunction", "lambda:", "lambda:Invoke-Function", "sqs:SendMessage"),
            *each("source_account", "4444", "4444555566667", "payroll"),
            *each("source_arn", *BAD_ARNS),
            *each("statement_id", "", "pay roll", "s" * 101),
            *each("statement_id_prefix", "pay roll"),
            {"statement_id": "payroll", "statement_id_prefix": "payroll-"},
            *each("qualifier", "", "v.1", "q" * 129),
            *each("event_source_token", "", "pay roll", "t" * 257),
            *each("function_url_auth_type", "IAM"),
        ],
        plan=[{"source_arn": LATE}, {"statement_id": LATE}, {"action": LATE}],
        accepted=[
            {},
            *each("action", "lambda:*", "*"),
            *each("principal", "", "payroll"),
            *each("qualifier", "$LATEST", "live"),
            {"source_arn": LATER},
            {"function_name": FUNCTION},
            {"statement_id": "s" * 100},
        ],
        newer=[
            Newer(
                "validate",
                "accepted",
                "6.x refuses function names of more than 64 characters",
                [
                    {"function_name": "f" * 65},
                ],
            )
        ],
    ),
    *probes(
        "aws_lambda_alias",
        {"function_name": "payroll", "name": "live", "function_version": "1"},
        accepted=[
            {},
            *each("function_version", "$LATEST", "one"),
            *each("name", "pay roll", ""),
            {"routing_config.additional_version_weights": {"2": 0.25}},
        ],
    ),
    *probes(
        "aws_lambda_function_event_invoke_config",
        {"function_name": "payroll"},
        validate=[
            *each("function_name", ""),
            *each("qualifier", ""),
            *outside("maximum_event_age_in_seconds", 60, 21_600),
            *outside("maximum_retry_attempts", 0, 2),
            *each("destination_config.on_failure.destination", *BAD_ARNS),
            *each("destination_config.on_success.destination", "payroll"),
        ],
        plan=[{"maximum_retry_attempts": late(3)}],
        accepted=[
            {},
            *edges("maximum_event_age_in_seconds", 60, 21_600),
            *edges("maximum_retry_attempts", 0, 2),
            {"destination_config.on_failure.destination": LATER},
            {"destination_config": {}},
        ],
    ),
    *probes(
        "aws_lambda_function_recursion_config",
        {"function_name": "payroll", "recursive_loop": "Terminate"},
        newer=[
            Newer(
                "validate",
                None,
                _LATER_TYPE,
                [
                    *each("recursive_loop", "Stop", "allow"),
                    *each("function_name", "", "..."),
                ],
            ),
            Newer("accepted", None, _LATER_TYPE, [{}, {"recursive_loop": "Allow"}]),
        ],
    ),
)
