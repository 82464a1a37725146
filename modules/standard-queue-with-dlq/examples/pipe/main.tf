terraform {
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.28, < 7.0"
    }
  }
}

# Filter and transform between two queues without code: an EventBridge pipe. What does not match the filter is
# deleted, so the source is a queue of its own for the pipe, and nothing of value rests in it alone. What the pipe
# cannot deliver stays in the source and goes to the source's dead-letter queue.

data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
data "aws_region" "current" {}

locals {
  account_id = data.aws_caller_identity.current.account_id
  partition  = data.aws_partition.current.partition
  region     = data.aws_region.current.region
}

module "orders" {
  source = "../.."

  name                     = "prod-orders-for-billing"
  reason                   = "A copy of every order by its number: order and repeats do not show."
  consumer_timeout_seconds = 60
}

module "billing" {
  source = "../.."

  name                     = "prod-billing"
  reason                   = "Billing keys every order by its number: order and repeats do not show."
  consumer_timeout_seconds = 60
}

data "aws_iam_policy_document" "trust" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["pipes.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [local.account_id]
    }

    condition {
      test     = "ArnEquals"
      variable = "aws:SourceArn"
      values   = ["arn:${local.partition}:pipes:${local.region}:${local.account_id}:pipe/prod-paid-orders"]
    }
  }
}

data "aws_iam_policy_document" "pipe" {
  statement {
    sid       = "Take"
    actions   = ["sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"]
    resources = [module.orders.queue.arn]
  }

  statement {
    sid       = "Give"
    actions   = ["sqs:SendMessage"]
    resources = [module.billing.queue.arn]
  }
}

resource "aws_iam_role" "pipe" {
  name               = "prod-paid-orders-pipe"
  assume_role_policy = data.aws_iam_policy_document.trust.json
}

resource "aws_iam_role_policy" "pipe" {
  name   = "move"
  role   = aws_iam_role.pipe.name
  policy = data.aws_iam_policy_document.pipe.json
}

resource "aws_pipes_pipe" "paid_orders" {
  name     = "prod-paid-orders"
  role_arn = aws_iam_role.pipe.arn
  source   = module.orders.queue.arn
  target   = module.billing.queue.arn

  source_parameters {
    filter_criteria {
      filter {
        pattern = jsonencode({ body = { kind = ["paid"] } })
      }
    }

    sqs_queue_parameters {
      batch_size = 10
    }
  }

  target_parameters {
    # The braces and the pointers are the pipe's own, not JSON.
    input_template = "{\"order\": <$.body.number>, \"amount\": <$.body.amount>}"
  }

  # A pipe starts at once: its role's rights have to be there.
  depends_on = [aws_iam_role_policy.pipe]
}
