"""EventBridge."""

from __future__ import annotations

import json

from tests.local.probes.probe import Newer, Probe, probes
from tests.local.probes.values import BAD_ARNS, LATE, LATER, QUEUE, ROLE, each, edges, late, outside

_BUS_ARN = "arn:aws:events:ap-northeast-1:444455556666:event-bus/payroll"
_LATER_ARGUMENT = "5.46 has no such argument"
_BUS_NAMES = (
    *each(
        "event_bus_name", "", "pay roll", QUEUE, "b" * 1601, "arn:aws:events:tokyo:444455556666:event-bus/a"
    ),
    {"event_bus_name": "arn:aws:events:ap-northeast-1:444455556666:rule/payroll"},
)
_PATTERN = json.dumps({"source": ["payroll"]})
_LONG = json.dumps({"source": ["s" * 4083]})

PROBES: tuple[Probe, ...] = (
    *probes(
        "aws_cloudwatch_event_bus",
        {"name": "payroll"},
        validate=each("name", "", "default", "b" * 257),
        accepted=[{}, *each("name", "pay/roll", "pay roll", "b" * 256)],
        newer=[
            Newer(
                "validate",
                None,
                _LATER_ARGUMENT,
                [
                    {"description": "d" * 513},
                    {"description": "給" * 171},
                    {"dead_letter_config.arn": "payroll"},
                    {"kms_key_identifier": ""},
                ],
            ),
            Newer(
                "accepted",
                None,
                _LATER_ARGUMENT,
                [
                    {"description": "d" * 512},
                    {"description": "給" * 170},
                    {"dead_letter_config.arn": QUEUE},
                ],
            ),
        ],
    ),
    *probes(
        "aws_cloudwatch_event_rule",
        {"name": "payroll", "event_pattern": _PATTERN},
        validate=[
            *each("name", "pay roll", "pay/roll", "r" * 65),
            {"name_prefix": "payroll-"},
            {"name": None, "name_prefix": "r" * 65},
            *_BUS_NAMES,
            *each("description", "d" * 513, "給" * 171),
            *each(
                "event_pattern", "payroll", "{", _LONG, " ", '{"a":1e999}', '{"a":"' + "\u2028" * 700 + '"}'
            ),
            {"event_pattern": None},
            *each("role_arn", *BAD_ARNS),
            {"schedule_expression": "c" * 257},
            *each("state", "enabled", "ON"),
            {"state": "ENABLED", "is_enabled": True},
        ],
        plan=[{"event_pattern": LATE}, {"role_arn": late("payroll")}, {"state": late("ON")}],
        accepted=[
            {},
            *each("event_bus_name", "default", "payroll", _BUS_ARN),
            *each("event_pattern", "", "[]", _LONG[1:-1].join("{}").replace("s", "", 20), f" {_PATTERN} "),
            {"event_pattern": None, "schedule_expression": "rate(1 day)"},
            {"event_pattern": None, "schedule_expression": "every month"},
            *each("description", "d" * 512, "給" * 170),
            {"event_pattern": LATER},
            {"role_arn": ROLE},
            {"state": "ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS"},
        ],
    ),
    *probes(
        "aws_cloudwatch_event_target",
        {"rule": "payroll", "arn": QUEUE},
        validate=[
            *each("arn", *BAD_ARNS),
            *each("rule", "", "pay roll", "r" * 65),
            *each("target_id", "", "pay roll", "t" * 65),
            *_BUS_NAMES,
            *each("dead_letter_config.arn", "payroll"),
            *outside("retry_policy.maximum_event_age_in_seconds", 0, 86_400)[:1],
            {"retry_policy.maximum_event_age_in_seconds": 86_401},
            *each("retry_policy.maximum_retry_attempts", -1, 186),
            *each("role_arn", "payroll"),
            *each("input", "payroll", "{", json.dumps("i" * 8191)),
            {"input_path": "$" * 257},
            {"input": "{}", "input_path": "$.detail"},
            {"input": "{}", "input_transformer.input_template": "<a>"},
            {"input_path": "$", "input_transformer.input_template": "<a>"},
            *each("input_transformer.input_template", "", "t" * 8193),
            {"input_transformer": {"input_template": "<AWSid>", "input_paths": {"AWSid": "$.id"}}},
            {
                "input_transformer": {
                    "input_template": "<a>",
                    "input_paths": {f"k{number}": "$.id" for number in range(101)},
                }
            },
        ],
        plan=[
            {"arn": LATE},
            {"retry_policy.maximum_retry_attempts": late(186)},
            {"input": LATE},
        ],
        accepted=[
            {},
            *edges("retry_policy.maximum_event_age_in_seconds", 0, 86_400),
            *edges("retry_policy.maximum_retry_attempts", 0, 185),
            *each("input", "{}", '"text"', "7"),
            {"input_transformer": {"input_template": "<a>", "input_paths": {"a": "$.id"}}},
            {"dead_letter_config.arn": LATER},
            {"dead_letter_config": {}},
            {"sqs_target.message_group_id": ""},
            {"arn": LATER, "retry_policy.maximum_retry_attempts": 3},
        ],
        newer=[
            Newer(
                "validate",
                None,
                "5.46 crashes over it, so that it has no verdict",
                [
                    {"retry_policy.maximum_retry_attempts": 1.5},
                    {"retry_policy.maximum_event_age_in_seconds": 60.5},
                ],
            ),
        ],
    ),
)
