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

variable "visibility_seconds" {
  description = "How long the queue hides a message."
  type        = number
}

resource "aws_sqs_queue" "this" {
  name                       = "${var.name}.fifo"
  fifo_queue                 = true
  visibility_timeout_seconds = var.visibility_seconds
  receive_wait_time_seconds  = 20
  sqs_managed_sse_enabled    = true
}

data "aws_iam_policy_document" "this" {
  statement {
    effect    = "Deny"
    actions   = ["sqs:*"]
    resources = [aws_sqs_queue.this.arn]

    principals {
      type        = "*"
      identifiers = ["*"]
    }

    condition {
      test     = "Bool"
      variable = "aws:SecureTransport"
      values   = ["false"]
    }
  }

  dynamic "statement" {
    for_each = var.name == "bad" ? { this = aws_sqs_queue.this.arn } : {}

    content {
      sid       = "Open"
      actions   = ["sqs:SendMessage"]
      resources = [statement.value]

      principals {
        type        = "Service"
        identifiers = ["sns.amazonaws.com"]
      }
    }
  }
}

resource "aws_sqs_queue_policy" "this" {
  queue_url = aws_sqs_queue.this.id
  policy    = data.aws_iam_policy_document.this.json
}

output "queue" {
  description = "The queue: `arn`, `url`."
  value       = { arn = aws_sqs_queue.this.arn, url = aws_sqs_queue.this.url }
}
