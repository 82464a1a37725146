data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
data "aws_region" "current" {}

locals {
  region     = data.aws_region.current.region
  arn_middle = "${local.region}:${data.aws_caller_identity.current.account_id}"

  # Built, not read from the resources: policies that name them are then known at plan, where a gate can read them.
  arn           = "arn:${data.aws_partition.current.partition}:lambda:${local.arn_middle}:function:${var.name}"
  log_group_arn = "arn:${data.aws_partition.current.partition}:logs:${local.arn_middle}:log-group:/aws/lambda/${var.name}"

  # Roles are global: the region keeps two deployments of one account apart. Cut to IAM's 64 characters with a hash of the whole.
  full_role_name = "${var.name}-${local.region}"
  role_name      = length(local.full_role_name) <= 64 ? local.full_role_name : "${substr(local.full_role_name, 0, 55)}-${substr(sha256(local.full_role_name), 0, 8)}"
}

# Made here and before the function, or the function makes one of its own that keeps logs for ever.
resource "aws_cloudwatch_log_group" "this" {
  name              = "/aws/lambda/${var.name}"
  retention_in_days = var.log.retention_days
  kms_key_id        = var.log.kms_key_arn
  tags              = var.tags
}

resource "aws_lambda_function" "this" {
  function_name = var.name
  description   = var.description
  role          = aws_iam_role.this.arn

  filename         = var.package.path
  source_code_hash = filebase64sha256(var.package.path)
  handler          = var.package.handler
  runtime          = var.runtime
  architectures    = [var.architecture]
  memory_size      = var.memory_mb
  timeout          = var.timeout_seconds
  kms_key_arn      = var.environment_kms_key_arn

  reserved_concurrent_executions = var.reserved_concurrency

  dynamic "environment" {
    for_each = length(var.environment) > 0 ? { this = var.environment } : {}

    content {
      variables = environment.value
    }
  }

  tracing_config {
    mode = var.tracing
  }

  tags = var.tags

  # The first invocation may follow at once: its log group and its rights have to be there.
  depends_on = [aws_cloudwatch_log_group.this, aws_iam_role_policy.this]
}

resource "aws_lambda_function_event_invoke_config" "this" {
  count = var.asynchronous == null ? 0 : 1

  function_name                = aws_lambda_function.this.function_name
  maximum_retry_attempts       = var.asynchronous.maximum_retry_attempts
  maximum_event_age_in_seconds = var.asynchronous.maximum_event_age_seconds

  destination_config {
    on_failure {
      destination = var.asynchronous.failure_queue_arn
    }
  }
}

# Lambda takes a function that calls itself for a loop and stops it; this one ends by itself.
resource "aws_lambda_function_recursion_config" "this" {
  count = var.asynchronous == null ? 0 : var.asynchronous.invokes_itself ? 1 : 0

  function_name  = aws_lambda_function.this.function_name
  recursive_loop = "Allow"
}
