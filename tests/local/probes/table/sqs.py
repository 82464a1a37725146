"""SQS."""

from __future__ import annotations

from tests.local.probes.probe import Probe, probes
from tests.local.probes.values import LATE, LATER, POLICY, each, edges, late, outside, unknown

_URL = "https://sqs.ap-northeast-1.amazonaws.com/444455556666/payroll"

PROBES: tuple[Probe, ...] = (
    *probes(
        "aws_sqs_queue",
        {"name": "payroll"},
        validate=[
            *outside("delay_seconds", 0, 900),
            *outside("visibility_timeout_seconds", 0, 43_200),
            *outside("message_retention_seconds", 60, 1_209_600),
            *outside("kms_data_key_reuse_period_seconds", 60, 86_400),
            *each("max_message_size", 1023, 1024.5, 1_048_577),
            *each("receive_wait_time_seconds", 1.5),
            *each("policy", "payroll", "{", "{'Statement': []}"),
            *each("redrive_policy", "payroll"),
            *each("redrive_allow_policy", "[1,"),
            *each("deduplication_scope", "group", "MessageGroup", ""),
            *each("fifo_throughput_limit", "perGroup", ""),
            {"name_prefix": "payroll-"},
            {"kms_master_key_id": "alias/payroll", "sqs_managed_sse_enabled": True},
            {"kms_master_key_id": "alias/payroll", "sqs_managed_sse_enabled": False},
        ],
        plan=[
            *each("name", "pay roll", "payroll.", "給与", "p" * 81, "payroll.fifo", "a/b"),
            {"name": "payroll", "fifo_queue": True},
            {"name": f"{'p' * 76}.fifo", "fifo_queue": True},
            {"content_based_deduplication": True},
            {"name": None, "name_prefix": "pay roll-"},
            {"name": None, "name_prefix": "p" * 55},
            {"delay_seconds": late(901)},
            {"policy": LATE},
            {"name": late("payroll.fifo")},
            {"name": "payroll.fifo", "fifo_queue": unknown()},
            {"fifo_queue": unknown(), "content_based_deduplication": True},
        ],
        accepted=[
            {},
            *edges("delay_seconds", 0, 900),
            *edges("visibility_timeout_seconds", 0, 43_200),
            *edges("message_retention_seconds", 60, 1_209_600),
            *each("receive_wait_time_seconds", 20, 25, -1),
            *each("policy", POLICY, "[]", '"text"', "7"),
            {"name": "p" * 80},
            {"name": f"{'p' * 75}.fifo", "fifo_queue": True, "content_based_deduplication": True},
            {"name": None},
            {"name": None, "name_prefix": "p" * 54},
            {"policy": LATER},
            {"name": LATER},
            {"fifo_queue": unknown()},
            {"kms_master_key_id": LATER, "sqs_managed_sse_enabled": True},
            {"kms_master_key_id": "alias/payroll"},
            {"name": "a.fifo", "fifo_queue": True, "fifo_throughput_limit": "perMessageGroupId"},
        ],
    ),
    *probes(
        "aws_sqs_queue_policy",
        {"queue_url": _URL, "policy": POLICY},
        validate=each("policy", "payroll", "{"),
        accepted=[{}, *each("policy", "[]", LATER), {"queue_url": "payroll"}],
    ),
    *probes(
        "aws_sqs_queue_redrive_policy",
        {"queue_url": _URL, "redrive_policy": '{"maxReceiveCount": 5}'},
        validate=each("redrive_policy", "payroll", "{1}"),
        accepted=[{}, *each("redrive_policy", "{}")],
    ),
    *probes(
        "aws_sqs_queue_redrive_allow_policy",
        {"queue_url": _URL, "redrive_allow_policy": '{"redrivePermission": "denyAll"}'},
        validate=each("redrive_allow_policy", "denyAll"),
        accepted=[{}, *each("redrive_allow_policy", "{}")],
    ),
)
