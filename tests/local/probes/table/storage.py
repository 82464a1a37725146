"""DynamoDB, S3, SSM parameters, application auto scaling."""

from __future__ import annotations

from typing import Any

from tests.local.probes.probe import Newer, Probe, probes
from tests.local.probes.values import BAD_ARNS, KEY, LATE, LATER, POLICY, each, late

_KEY: dict[str, Any] = {"name": "pk", "type": "S"}
_INDEX: dict[str, Any] = {"name": "by-month", "hash_key": "pk", "projection_type": "ALL"}
_LATER_ARGUMENT = "5.46 has no such argument"
_EARLIER = "6.x checks it at validation, and more of it"
_TARGET = {
    "service_namespace": "lambda",
    "resource_id": "function:payroll:live",
    "scalable_dimension": "lambda:function:ProvisionedConcurrency",
}
_TRACKING = "target_tracking_scaling_policy_configuration"


def _rule(**changes: Any) -> dict[str, Any]:
    return {"rule": {"id": "old", "status": "Enabled", "filter": {}, "expiration": {"days": 30}, **changes}}


PROBES: tuple[Probe, ...] = (
    *probes(
        "aws_dynamodb_table",
        {"name": "payroll", "billing_mode": "PAY_PER_REQUEST", "hash_key": "pk", "attribute": _KEY},
        validate=[
            *each("attribute", {"name": "pk", "type": "String"}),
            *each("billing_mode", "ON_DEMAND"),
            *each("table_class", "INFREQUENT"),
            *each("stream_view_type", "ALL", "new_image"),
            *each(
                "global_secondary_index", {**_INDEX, "projection_type": "SOME"}, {**_INDEX, "hash_key": None}
            ),
            {"local_secondary_index": {"name": "l", "range_key": "pk", "projection_type": "all"}},
            *each("server_side_encryption", *({"enabled": True, "kms_key_arn": arn} for arn in BAD_ARNS)),
            {"read_capacity": 1.5},
            {"ttl": {"enabled": True}},
        ],
        plan=[
            {"attribute": None},
            {"attribute": [_KEY, {"name": "month", "type": "S"}]},
            {"attribute": {"name": "id", "type": "S"}},
            {"hash_key": None},
            {"hash_key": LATER},
            {"attribute": {"name": LATER, "type": "S"}},
            {"range_key": "month"},
            {"global_secondary_index": {**_INDEX, "hash_key": "month"}},
            {"global_secondary_index": {**_INDEX, "range_key": "month"}},
            {"billing_mode": None},
            {"billing_mode": "PROVISIONED"},
            {"billing_mode": "PROVISIONED", "read_capacity": 1},
            {"table_class": LATE},
        ],
        accepted=[
            {},
            *each("name", "ab", "pay roll", "t" * 256),
            {"billing_mode": "PROVISIONED", "read_capacity": 1, "write_capacity": 1},
            {"server_side_encryption": {"enabled": False, "kms_key_arn": KEY}},
            {"server_side_encryption": {"enabled": True, "kms_key_arn": LATER}},
            {"ttl": {"attribute_name": "expires_at", "enabled": True}},
            {"ttl": {"attribute_name": "expires_at"}},
            {"global_secondary_index": _INDEX},
            {"stream_enabled": True, "stream_view_type": "NEW_IMAGE"},
            {"local_secondary_index": {"name": "l", "range_key": "pk", "projection_type": "ALL"}},
            {"name": LATER},
        ],
        newer=[
            Newer(
                "validate",
                "plan",
                _EARLIER,
                [
                    {"stream_enabled": True},
                    {"stream_enabled": True, "stream_view_type": ""},
                    {"read_capacity": 5},
                    {"billing_mode": "PROVISIONED", "read_capacity": 0, "write_capacity": 1},
                ],
            ),
            Newer(
                "validate",
                "accepted",
                _EARLIER,
                [
                    {"stream_view_type": "NEW_IMAGE"},
                    {"stream_enabled": False, "stream_view_type": "NEW_IMAGE"},
                    {"ttl": {"attribute_name": "", "enabled": True}},
                ],
            ),
            Newer(
                "accepted",
                "plan",
                "6.x lets a value that it does not know yet pass",
                [
                    {"stream_enabled": True, "stream_view_type": LATER},
                ],
            ),
            Newer(
                "accepted",
                "validate",
                "6.x takes a time to live that is off without a name",
                [
                    {"ttl": {"enabled": False}},
                ],
            ),
            Newer(
                "validate",
                None,
                _LATER_ARGUMENT,
                [
                    {"point_in_time_recovery": {"enabled": True, "recovery_period_in_days": days}}
                    for days in (0, 36, 1.5)
                ],
            ),
        ],
    ),
    *probes(
        "aws_s3_bucket",
        {"bucket": "payroll-payloads"},
        validate=[
            {"bucket": "b" * 64},
            {"bucket": "payroll--apne1-az1--x-s3"},
            {"bucket_prefix": "payroll-"},
            {"bucket": None, "bucket_prefix": "b" * 38},
        ],
        plan=[{"bucket": late("b" * 64)}],
        accepted=[
            {},
            *each("bucket", "ab", "Payroll", "pay_roll", ""),
            {"bucket": None, "bucket_prefix": "b" * 37},
        ],
    ),
    *probes(
        "aws_s3_bucket_policy",
        {"bucket": "payroll", "policy": POLICY},
        validate=each("policy", "payroll", "{"),
        plan=[{"policy": LATE}],
        accepted=[{}, *each("policy", "[]"), {"bucket": ""}],
    ),
    *probes("aws_s3_bucket_public_access_block", {"bucket": "payroll"}, accepted=[{}, {"bucket": ""}]),
    *probes(
        "aws_s3_bucket_versioning",
        {"bucket": "payroll", "versioning_configuration": {"status": "Enabled"}},
        validate=[
            *each("bucket", "", "b" * 64),
            *each("versioning_configuration", {"status": "On"}, {"status": "enabled"}),
        ],
        accepted=[{}, {"versioning_configuration": {"status": "Disabled"}}],
    ),
    *probes(
        "aws_s3_bucket_server_side_encryption_configuration",
        {
            "bucket": "payroll",
            "rule": {"apply_server_side_encryption_by_default": {"sse_algorithm": "aws:kms"}},
        },
        validate=[
            *each("bucket", "", "b" * 64),
            *each(
                "rule.apply_server_side_encryption_by_default",
                {"sse_algorithm": "kms"},
                {"sse_algorithm": ""},
            ),
        ],
        accepted=[{}, {"rule.apply_server_side_encryption_by_default": {"sse_algorithm": "AES256"}}],
    ),
    *probes(
        "aws_s3_bucket_ownership_controls",
        {"bucket": "payroll", "rule": {"object_ownership": "BucketOwnerEnforced"}},
        validate=[*each("bucket", ""), *each("rule", {"object_ownership": "Owner"})],
        accepted=[{}],
    ),
    *probes(
        "aws_s3_bucket_lifecycle_configuration",
        {"bucket": "payroll", **_rule()},
        validate=[
            *each("bucket", "", "b" * 64),
            _rule(status="On"),
            _rule(id=""),
            _rule(id="i" * 256),
            _rule(noncurrent_version_expiration={"noncurrent_days": 0}),
            _rule(noncurrent_version_expiration={"noncurrent_days": 1.5}),
            _rule(noncurrent_version_transition={"noncurrent_days": 1, "storage_class": "COLD"}),
            _rule(transition={"days": -1, "storage_class": "GLACIER"}),
            _rule(transition={"days": 1, "storage_class": "glacier"}),
            _rule(abort_incomplete_multipart_upload={"days_after_initiation": 1.5}),
            _rule(**{"filter": {"and": {"object_size_less_than": 0}}}),
        ],
        accepted=[{}, _rule(noncurrent_version_expiration={"noncurrent_days": 1})],
    ),
    *probes(
        "aws_ssm_parameter",
        {"name": "/payroll/slack", "type": "SecureString", "value": "secret"},
        validate=[
            *each("name", "", "n" * 2049),
            *each("type", "Secret", "string"),
            *each("tier", "standard"),
            *each("data_type", "json"),
            *each("description", "d" * 1025),
            *each("allowed_pattern", "p" * 1025),
            {"value": None},
            {"insecure_value": "open"},
        ],
        plan=[{"tier": LATE}],
        accepted=[
            {},
            {"value": None, "insecure_value": "open"},
            {"name": "not a path"},
            {"value": LATER},
            {"tier": "Intelligent-Tiering"},
        ],
    ),
    *probes(
        "aws_appautoscaling_target",
        {**_TARGET, "min_capacity": 1, "max_capacity": 9},
        validate=[{"min_capacity": 1.5}, {"max_capacity": 0.5}],
        accepted=[{}, {"service_namespace": "payroll"}],
    ),
    *probes(
        "aws_appautoscaling_policy",
        {
            **_TARGET,
            "name": "payroll",
            "policy_type": "TargetTrackingScaling",
            _TRACKING: {
                "target_value": 0.7,
                "predefined_metric_specification": {
                    "predefined_metric_type": "LambdaProvisionedConcurrencyUtilization"
                },
            },
        },
        validate=[
            {"name": "n" * 256},
            {f"{_TRACKING}.scale_in_cooldown": 1.5},
            {f"{_TRACKING}.predefined_metric_specification.resource_label": "r" * 1024},
            {
                f"{_TRACKING}.customized_metric_specification": {
                    "metric_name": "m",
                    "namespace": "n",
                    "statistic": "Median",
                }
            },
        ],
        accepted=[{}, {"policy_type": "Tracking"}],
    ),
)
