"""SNS."""

from __future__ import annotations

from tests.local.probes.probe import Newer, Probe, probes
from tests.local.probes.values import (
    ACCOUNT,
    BAD_ARNS,
    LATE,
    LATER,
    POLICY,
    QUEUE,
    TOPIC,
    each,
    late,
    unknown,
)

PROBES: tuple[Probe, ...] = (
    *probes(
        "aws_sns_topic",
        {"name": "payroll"},
        validate=[
            {"name_prefix": "payroll-"},
            *each("policy", "payroll", "{"),
            *each("delivery_policy", "{"),
            *each("archive_policy", "{"),
            *each("signature_version", 0, 3, 1.5),
            *each("tracing_config", "active"),
            *each("http_success_feedback_sample_rate", -1, 101, 0.5),
            *each("lambda_failure_feedback_role_arn", "payroll"),
        ],
        plan=[
            *each("name", "pay roll", "pay.roll", "t" * 257, "payroll.fifo"),
            {"fifo_topic": True},
            {"name": f"{'t' * 252}.fifo", "fifo_topic": True},
            {"content_based_deduplication": True},
            {"archive_policy": '{"MessageRetentionPeriod": 7}'},
            {"name": None, "name_prefix": "pay roll-"},
            {"policy": LATE},
            {"name": late("payroll.fifo")},
            {"fifo_topic": unknown(), "content_based_deduplication": True},
        ],
        accepted=[
            {},
            *each("policy", "[]", POLICY, LATER),
            {"name": "t" * 256},
            {"name": None},
            {"name": f"{'t' * 251}.fifo", "fifo_topic": True, "content_based_deduplication": True},
            {"name": "payroll.fifo", "fifo_topic": True, "archive_policy": '{"MessageRetentionPeriod": 7}'},
            {"display_name": "d" * 200},
            {"name": LATER},
            {"fifo_topic": unknown()},
            {"kms_master_key_id": "payroll"},
        ],
    ),
    *probes(
        "aws_sns_topic_policy",
        {"arn": TOPIC, "policy": POLICY},
        validate=[*each("arn", *BAD_ARNS), *each("policy", "payroll")],
        plan=[{"arn": LATE}],
        accepted=[{}, *each("policy", "[]"), {"arn": LATER}],
        newer=[
            Newer(
                "accepted",
                "validate",
                "6.x knows the European Sovereign Cloud and the marketplace in an ARN",
                each(
                    "arn",
                    f"arn:aws:sns:eusc-de-east-1:{ACCOUNT}:t",
                    "arn:aws:sns:us-east-1:aws-marketplace:t",
                ),
            )
        ],
    ),
    *probes(
        "aws_sns_topic_subscription",
        {"topic_arn": TOPIC, "protocol": "sqs", "endpoint": QUEUE},
        validate=[
            *each("topic_arn", *BAD_ARNS),
            *each("protocol", "SQS", "slack", ""),
            *each("filter_policy", "payroll"),
            *each("redrive_policy", "payroll"),
            *each("delivery_policy", "payroll"),
            *each("replay_policy", "payroll"),
            {"filter_policy": "{}", "filter_policy_scope": "Body"},
            *each("subscription_role_arn", "payroll"),
            *each("confirmation_timeout_in_minutes", 1.5),
        ],
        plan=[
            {"filter_policy_scope": "MessageBody"},
            {"filter_policy": LATER, "filter_policy_scope": "MessageBody"},
            {"filter_policy": "", "filter_policy_scope": "MessageAttributes"},
            {"protocol": LATE},
        ],
        accepted=[
            {},
            *each("endpoint", "payroll", ""),
            {"filter_policy": '{"job": ["payroll"]}', "filter_policy_scope": "MessageBody"},
            {"protocol": "firehose"},
            {"topic_arn": LATER},
            {"confirmation_timeout_in_minutes": 0},
        ],
    ),
)
