"""Values that the probes of several services use."""

from __future__ import annotations

import json
from typing import Any

from tests.local.probes.probe import APPLIED_LATE, PLANNED_LATE, Expression

ACCOUNT = "444455556666"
QUEUE = f"arn:aws:sqs:ap-northeast-1:{ACCOUNT}:payroll-dead"
TOPIC = f"arn:aws:sns:ap-northeast-1:{ACCOUNT}:payroll-critical"
FUNCTION = f"arn:aws:lambda:ap-northeast-1:{ACCOUNT}:function:payroll"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/payroll"
KEY = f"arn:aws:kms:ap-northeast-1:{ACCOUNT}:key/1b0f8f6e-9a55-4f7e-8f0f-1f6b2d6b8a10"
BAD_ARNS = (
    "payroll",
    "arn:aws:sqs",
    f"arn:aws:sqs:tokyo:{ACCOUNT}:payroll",
    "arn:aws:sqs:ap-northeast-1:4444:payroll",
    f"arn:AWS:sqs:ap-northeast-1:{ACCOUNT}:payroll",
    f"arn:aws:sqs:ap-northeast-1:{ACCOUNT}:",
)
POLICY = json.dumps({"Version": "2012-10-17", "Statement": []})
BAD_POLICIES = (
    "",
    "payroll",
    "[]",
    '"{}"',
    '{"Version":',
    '{"Version": "2012-10-17", "Version": "2012-10-17"}',
)
LATE = Expression(PLANNED_LATE)
LATER = Expression(APPLIED_LATE)


def late(value: Any) -> Expression:
    """`value`, which is not known before a plan."""
    return Expression(f'{PLANNED_LATE} == "" ? null : {json.dumps(value)}')


def unknown() -> Expression:
    """A boolean that is known only after an apply."""
    return Expression(f'{APPLIED_LATE} == ""')


def each(path: str, *values: Any) -> list[dict[str, Any]]:
    """A change of one argument for each of the values."""
    return [{path: value} for value in values]


def outside(path: str, low: int, high: int | None) -> list[dict[str, Any]]:
    """Just below and just above a range of whole numbers, and between two of them."""
    beyond = [] if high is None else [high + 1]
    return each(path, low - 1, low + 0.5, *beyond)


def edges(path: str, low: int, high: int | None) -> list[dict[str, Any]]:
    """The ends of a range."""
    return each(path, low, *([] if high is None else [high]))
