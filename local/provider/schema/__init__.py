"""The provider's schema: which types, and the file that holds what the bindings say about them."""

from __future__ import annotations

from pathlib import Path

SCHEMA_FILE = Path(__file__).with_name("hashicorp-aws.json")

RESOURCES = (
    "aws_appautoscaling_policy",
    "aws_appautoscaling_target",
    "aws_cloudwatch_composite_alarm",
    "aws_cloudwatch_dashboard",
    "aws_cloudwatch_event_bus",
    "aws_cloudwatch_event_rule",
    "aws_cloudwatch_event_target",
    "aws_cloudwatch_log_group",
    "aws_cloudwatch_log_subscription_filter",
    "aws_cloudwatch_metric_alarm",
    "aws_dynamodb_table",
    "aws_iam_openid_connect_provider",
    "aws_iam_policy",
    "aws_iam_role",
    "aws_iam_role_policy",
    "aws_iam_role_policy_attachment",
    "aws_kms_alias",
    "aws_kms_key",
    "aws_lambda_alias",
    "aws_lambda_event_source_mapping",
    "aws_lambda_function",
    "aws_lambda_function_event_invoke_config",
    "aws_lambda_function_recursion_config",
    "aws_lambda_permission",
    "aws_pipes_pipe",
    "aws_s3_bucket",
    "aws_s3_bucket_lifecycle_configuration",
    "aws_s3_bucket_ownership_controls",
    "aws_s3_bucket_policy",
    "aws_s3_bucket_public_access_block",
    "aws_s3_bucket_server_side_encryption_configuration",
    "aws_s3_bucket_versioning",
    "aws_scheduler_schedule",
    "aws_scheduler_schedule_group",
    "aws_sns_topic",
    "aws_sns_topic_policy",
    "aws_sns_topic_subscription",
    "aws_sqs_queue",
    "aws_sqs_queue_policy",
    "aws_sqs_queue_redrive_allow_policy",
    "aws_sqs_queue_redrive_policy",
    "aws_ssm_parameter",
)

DATA_SOURCES = (
    "aws_caller_identity",
    "aws_iam_policy_document",
    "aws_partition",
    "aws_region",
)
