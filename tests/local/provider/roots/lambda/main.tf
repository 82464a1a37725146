variable "package" {
  type = string
}

data "aws_caller_identity" "current" {}

data "aws_iam_policy_document" "trust" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["lambda.amazonaws.com"]
    }
  }
}

data "aws_iam_policy_document" "consume" {
  statement {
    actions   = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:SendMessage"]
    resources = [aws_sqs_queue.this.arn, aws_sqs_queue.failures.arn]
  }
}

resource "aws_iam_role" "this" {
  name               = "cycle-lambda"
  assume_role_policy = data.aws_iam_policy_document.trust.json
}

resource "aws_iam_role_policy" "this" {
  name   = "consume"
  role   = aws_iam_role.this.name
  policy = data.aws_iam_policy_document.consume.json
}

resource "aws_sqs_queue" "this" {
  name                       = "cycle-lambda.fifo"
  fifo_queue                 = true
  visibility_timeout_seconds = 360
}

resource "aws_sqs_queue" "failures" {
  name = "cycle-lambda-failures"
}

resource "aws_lambda_function" "this" {
  function_name                  = "cycle"
  role                           = aws_iam_role.this.arn
  filename                       = var.package
  source_code_hash               = filebase64sha256(var.package)
  handler                        = "handler.handler"
  runtime                        = "python3.13"
  architectures                  = ["arm64"]
  memory_size                    = var.changed ? 512 : 256
  timeout                        = 60
  reserved_concurrent_executions = var.changed ? 5 : -1
  tags                           = { job = var.changed ? "co2" : "charge" }

  environment {
    variables = { JOB_NAME = var.changed ? "co2" : "charge" }
  }

  tracing_config {
    mode = "Active"
  }

  logging_config {
    log_format            = "JSON"
    application_log_level = "INFO"
    system_log_level      = "WARN"
    log_group             = aws_cloudwatch_log_group.this.name
  }
}

resource "aws_lambda_alias" "this" {
  name             = "live"
  function_name    = aws_lambda_function.this.function_name
  function_version = "$LATEST"
  description      = var.changed ? "second" : "first"
}

resource "aws_lambda_event_source_mapping" "this" {
  event_source_arn        = aws_sqs_queue.this.arn
  function_name           = aws_lambda_function.this.function_name
  batch_size              = var.changed ? 5 : 10
  function_response_types = ["ReportBatchItemFailures"]
  tags                    = { job = var.changed ? "co2" : "charge" }

  scaling_config {
    maximum_concurrency = var.changed ? 20 : 10
  }

  metrics_config {
    metrics = ["EventCount"]
  }

  depends_on = [aws_iam_role_policy.this]
}

resource "aws_lambda_function_event_invoke_config" "this" {
  function_name                = aws_lambda_function.this.function_name
  maximum_retry_attempts       = var.changed ? 0 : 2
  maximum_event_age_in_seconds = 3600

  destination_config {
    on_failure {
      destination = aws_sqs_queue.failures.arn
    }
  }
}

resource "aws_lambda_function_recursion_config" "this" {
  function_name  = aws_lambda_function.this.function_name
  recursive_loop = "Allow"
}

resource "aws_lambda_permission" "this" {
  statement_id   = "scheduler"
  action         = "lambda:InvokeFunction"
  function_name  = aws_lambda_function.this.function_name
  principal      = "events.amazonaws.com"
  source_account = data.aws_caller_identity.current.account_id
  source_arn     = "arn:aws:events:ap-northeast-1:${data.aws_caller_identity.current.account_id}:rule/cycle"
}

resource "aws_cloudwatch_log_group" "this" {
  name              = "/cycle/function"
  retention_in_days = var.changed ? 30 : 14
  tags              = { job = var.changed ? "co2" : "charge" }
}

resource "aws_cloudwatch_log_group" "other" {
  name_prefix = "/cycle/other-"
}

resource "aws_lambda_permission" "logs" {
  statement_id   = "logs"
  action         = "lambda:InvokeFunction"
  function_name  = aws_lambda_function.this.function_name
  principal      = "logs.amazonaws.com"
  source_account = data.aws_caller_identity.current.account_id
  source_arn     = "${aws_cloudwatch_log_group.this.arn}:*"
}

resource "aws_cloudwatch_log_subscription_filter" "this" {
  depends_on = [aws_lambda_permission.logs] # the filter is refused without it

  name            = "errors"
  log_group_name  = aws_cloudwatch_log_group.this.name
  filter_pattern  = var.changed ? "{ $.level = \"CRITICAL\" }" : "{ $.level = \"ERROR\" }"
  destination_arn = aws_lambda_function.this.arn
}
