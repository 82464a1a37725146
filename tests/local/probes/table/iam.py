"""IAM and KMS."""

from __future__ import annotations

from typing import Any

from tests.local.probes.probe import Newer, Probe, probes
from tests.local.probes.values import (
    BAD_ARNS,
    BAD_POLICIES,
    LATE,
    LATER,
    POLICY,
    ROLE,
    each,
    edges,
    late,
    outside,
)


def _names(longest: int) -> list[dict[str, Any]]:
    return [
        *each("name", "", "pay roll", "pay/roll", "給与", "n" * (longest + 1)),
        {"name_prefix": "payroll-"},
        {"name": None, "name_prefix": "n" * (longest - 25)},
        {"name": None, "name_prefix": "pay/"},
    ]


_STATEMENT: dict[str, Any] = {"actions": ["sqs:SendMessage"], "resources": ["*"]}
_LATER_ARGUMENT = "5.46 has no such argument"

PROBES: tuple[Probe, ...] = (
    *probes(
        "aws_iam_role",
        {"name": "payroll", "assume_role_policy": POLICY},
        validate=[
            *_names(64),
            *each("assume_role_policy", *BAD_POLICIES),
            *each("description", "d" * 1001, "“payroll”"),
            *outside("max_session_duration", 3600, 43_200),
            *each("path", f"/{'p' * 512}/"),
            *each("permissions_boundary", *BAD_ARNS),
        ],
        plan=[{"assume_role_policy": LATE}, {"max_session_duration": late(3599)}],
        accepted=[
            {},
            *each("name", "n" * 64, "a+=,.@-_b"),
            *each("path", "payroll", "/payroll/"),
            *each("description", "", "給与", "a\u0007b"),
            *edges("max_session_duration", 3600, 43_200),
            {"name": None, "name_prefix": "n" * 38},
            {"assume_role_policy": f" {POLICY}"},
            {"assume_role_policy": LATER},
            {"permissions_boundary": "arn:aws:iam::aws:policy/PowerUserAccess"},
        ],
    ),
    *probes(
        "aws_iam_role_policy",
        {"name": "payroll", "role": "payroll", "policy": POLICY},
        validate=[
            *_names(128),
            *each("policy", *BAD_POLICIES),
            *each("role", "", ROLE, "r" * 129),
        ],
        plan=[{"policy": LATE}],
        accepted=[{}, *each("role", "pay roll", LATER), {"policy": f"\n{POLICY}"}],
    ),
    *probes(
        "aws_iam_policy",
        {"name": "payroll", "policy": POLICY},
        validate=[*_names(128), *each("policy", *BAD_POLICIES)],
        plan=[{"policy": LATE}],
        accepted=[{}, *each("path", "payroll"), *each("description", "d" * 1001)],
    ),
    *probes(
        "aws_iam_role_policy_attachment",
        {"role": "payroll", "policy_arn": "arn:aws:iam::aws:policy/ReadOnlyAccess"},
        validate=each("policy_arn", *BAD_ARNS),
        plan=[{"policy_arn": LATE}],
        accepted=[{}, *each("role", ROLE, ""), {"policy_arn": LATER}],
    ),
    *probes(
        "aws_iam_openid_connect_provider",
        {
            "url": "https://token.example.com",
            "client_id_list": ["sts.amazonaws.com"],
            "thumbprint_list": ["a" * 40],
        },
        validate=[
            *each(
                "url",
                "",
                "token.example.com",
                "http://token.example.com",
                "https://token.example.com?a",
                "https://",
                "https://a b",
                " https://a.example",
                "https://a.example:port",
            ),
            *each("client_id_list", [""], ["c" * 256]),
            *each("thumbprint_list", ["a" * 39], ["a" * 41]),
        ],
        plan=[{"url": LATE}],
        accepted=[
            {},
            *each(
                "url", "https://token.example.com/id/7", "HTTPS://a.example", "https://user@a.example:443/#f"
            ),
        ],
        newer=[Newer("accepted", "validate", "6.x does without thumbprints", [{"thumbprint_list": None}])],
    ),
    *probes(
        "data.aws_iam_policy_document",
        {"statement": _STATEMENT},
        validate=[
            *each("version", "2012-10-18", "latest"),
            {"statement": {**_STATEMENT, "effect": "allow"}},
            {"statement": {**_STATEMENT, "effect": ""}},
            *each("source_policy_documents", ["payroll"]),
            *each("override_policy_documents", ["{"]),
        ],
        plan=[
            {"statement": [{**_STATEMENT, "sid": "A"}, {**_STATEMENT, "sid": "A"}]},
            {
                "version": "2008-10-17",
                "statement": {**_STATEMENT, "resources": ["arn:aws:s3:::&{aws:username}"]},
            },
        ],
        accepted=[
            {},
            {"statement": {**_STATEMENT, "sid": "not letters only"}},
            *each("source_policy_documents", ["", POLICY]),
            {"statement": {**_STATEMENT, "actions": ["anything"]}},
        ],
    ),
    *probes(
        "aws_kms_key",
        {"description": "payroll"},
        validate=[
            *outside("deletion_window_in_days", 7, 30),
            *each("description", "d" * 8193),
            *each("customer_master_key_spec", "AES", "RSA_1024"),
            *each("key_usage", "ENCRYPT"),
            *each("policy", "payroll", "{"),
        ],
        plan=[{"policy": LATE}, {"deletion_window_in_days": late(31)}],
        accepted=[{}, *edges("deletion_window_in_days", 7, 30), *each("policy", "[]", POLICY)],
        newer=[
            Newer(
                "validate",
                None,
                _LATER_ARGUMENT,
                [
                    {"rotation_period_in_days": 365},
                    *(
                        {"enable_key_rotation": True, "rotation_period_in_days": days}
                        for days in (89, 2561, 90.5)
                    ),
                ],
            ),
            Newer(
                "accepted",
                None,
                _LATER_ARGUMENT,
                [
                    {"enable_key_rotation": True, "rotation_period_in_days": 90},
                ],
            ),
        ],
    ),
    *probes(
        "aws_kms_alias",
        {"name": "alias/payroll", "target_key_id": "1b0f8f6e-9a55-4f7e-8f0f-1f6b2d6b8a10"},
        validate=[
            *each("name", "payroll", "alias/", "alias/aws/payroll", "alias/pay roll", ""),
            {"name_prefix": "alias/pay-"},
            {"name": None, "name_prefix": "pay-"},
        ],
        plan=[{"name": LATE}],
        accepted=[
            {},
            *each("name", "alias/pay/roll_1-2", f"alias/{'n' * 300}"),
            {"target_key_id": "payroll"},
        ],
    ),
)
