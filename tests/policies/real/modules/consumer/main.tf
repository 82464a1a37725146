terraform {
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.28, < 7.0"
    }
  }
}

variable "name" {
  description = "Name of what is made."
  type        = string
}

variable "queue" {
  description = "The queue to read."
  type        = object({ arn = string, url = string })
}

data "aws_iam_policy_document" "trust" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["lambda.amazonaws.com"]
    }
  }
}

resource "aws_iam_role" "this" {
  name               = var.name
  assume_role_policy = data.aws_iam_policy_document.trust.json
}

data "aws_iam_policy_document" "consume" {
  statement {
    actions   = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"]
    resources = [var.queue.arn]
  }
}

resource "aws_iam_role_policy" "consume" {
  name   = "consume"
  role   = aws_iam_role.this.name
  policy = data.aws_iam_policy_document.consume.json
}

resource "aws_lambda_function" "this" {
  function_name = var.name
  role          = aws_iam_role.this.arn
  runtime       = "python3.13"
  handler       = "handler.handler"
  filename      = "${path.module}/main.tf"
  timeout       = 60
}

resource "aws_lambda_event_source_mapping" "this" {
  event_source_arn        = var.queue.arn
  function_name           = aws_lambda_function.this.arn
  function_response_types = ["ReportBatchItemFailures"]

  scaling_config {
    maximum_concurrency = 10
  }

  depends_on = [aws_iam_role_policy.consume]
}
