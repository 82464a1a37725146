"""EventBridge Scheduler and Pipes."""

from __future__ import annotations

from tests.local.probes.probe import Probe, probes
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

_NAMES = (
    *each("name", "pay roll", "pay/roll", "n" * 65),
    {"name_prefix": "payroll-"},
    {"name": None, "name_prefix": "n" * 39},
    {"name": None, "name_prefix": "pay roll"},
)
_PIPE = {"name": "payroll", "role_arn": ROLE, "source": QUEUE, "target": FUNCTION}

PROBES: tuple[Probe, ...] = (
    *probes(
        "aws_scheduler_schedule_group",
        {"name": "payroll"},
        validate=_NAMES,
        accepted=[{}, {"name": "n" * 64}],
    ),
    *probes(
        "aws_scheduler_schedule",
        {
            "name": "payroll",
            "schedule_expression": "cron(0 3 1 * ? *)",
            "flexible_time_window": {"mode": "OFF"},
            "target": {"arn": FUNCTION, "role_arn": ROLE},
        },
        validate=[
            *_NAMES,
            *each("description", "d" * 513, "給" * 171),
            *each("group_name", "", "g" * 65),
            *each("schedule_expression", "", "c" * 257),
            *each("schedule_expression_timezone", "", "z" * 51),
            *each("state", "enabled", "ON"),
            *each(
                "start_date",
                "2030-01-01",
                "2030-01-01T24:00:00Z",
                "2030-01-01T00:00:00+0900",
                "2030-02-30T00:00:00Z",
                "soon",
            ),
            *each("end_date", "2030-01-01 00:00:00Z", "2030-13-01T00:00:00Z"),
            *each("kms_key_arn", "alias/payroll"),
            *each(
                "flexible_time_window", {"mode": "off"}, {"mode": "FLEXIBLE", "maximum_window_in_minutes": 0}
            ),
            {"flexible_time_window": {"mode": "FLEXIBLE", "maximum_window_in_minutes": 1441}},
            {"flexible_time_window": {"mode": "FLEXIBLE", "maximum_window_in_minutes": 1.5}},
            *each("target.arn", *BAD_ARNS),
            *each("target.role_arn", *BAD_ARNS[:3]),
            *each("target.dead_letter_config.arn", "payroll"),
            *each("target.input", ""),
            *outside("target.retry_policy.maximum_event_age_in_seconds", 60, 86_400),
            *outside("target.retry_policy.maximum_retry_attempts", 0, 185),
            *each("target.sqs_parameters.message_group_id", "", "m" * 129),
            {"target.eventbridge_parameters": {"detail_type": "d" * 129, "source": "payroll"}},
            {"target.eventbridge_parameters": {"detail_type": "due", "source": ""}},
        ],
        plan=[
            {"target.arn": LATE},
            {"target.retry_policy.maximum_retry_attempts": late(186)},
            {"schedule_expression": late("")},
        ],
        accepted=[
            {},
            *each("schedule_expression", "every month", "at(2030-01-01T00:00:00)"),
            *each("schedule_expression_timezone", "Mars/Olympus"),
            *each("start_date", "2028-02-29T0:00:00Z", "2030-01-01T00:00:00Z", "2030-01-01T00:00:00+09:00"),
            *each("target.input", "not JSON", "{}"),
            *edges("target.retry_policy.maximum_event_age_in_seconds", 60, 86_400),
            *edges("target.retry_policy.maximum_retry_attempts", 0, 185),
            {"target.arn": LATER, "target.retry_policy.maximum_retry_attempts": 999},
            {"flexible_time_window": {"mode": "OFF", "maximum_window_in_minutes": 15}},
            {"kms_key_arn": KEY},
            {"description": "d" * 512},
        ],
    ),
    *probes(
        "aws_pipes_pipe",
        _PIPE,
        validate=[
            *each("name", "", "/payroll", "n" * 65),
            {"name_prefix": "payroll-"},
            {"name": None, "name_prefix": "n" * 39},
            *each("role_arn", *BAD_ARNS),
            *each("source", "payroll", "smk://"),
            *each("target", "payroll"),
            *each("enrichment", "payroll"),
            *each("desired_state", "running", "PAUSED"),
            *outside("source_parameters.sqs_queue_parameters.batch_size", 1, 10_000),
            *outside("source_parameters.sqs_queue_parameters.maximum_batching_window_in_seconds", 0, 300),
            {"source_parameters.filter_criteria.filter": [{"pattern": f"{{ }}{' ' * n}"} for n in range(6)]},
            {"source_parameters.filter_criteria.filter": {"pattern": ""}},
            {"target_parameters.input_template": "t" * 8193},
            {"target_parameters.lambda_function_parameters.invocation_type": "ASYNC"},
            {"target_parameters.sqs_queue_parameters.message_group_id": ""},
            {"target_parameters.sqs_queue_parameters.message_deduplication_id": "m" * 101},
            {
                "target_parameters": {
                    "sqs_queue_parameters": {"message_group_id": "a"},
                    "lambda_function_parameters": {"invocation_type": "REQUEST_RESPONSE"},
                }
            },
        ],
        plan=[{"role_arn": LATE}, {"source_parameters.sqs_queue_parameters.batch_size": late(0)}],
        accepted=[
            {},
            *each("name", "payroll/of the month"),
            *each("description", "d" * 600),
            *edges("source_parameters.sqs_queue_parameters.batch_size", 1, 10_000),
            {"source_parameters.filter_criteria.filter": {"pattern": "not JSON"}},
            {"target_parameters.sqs_queue_parameters.message_group_id": "$.id"},
            {"target": LATER},
        ],
    ),
)
