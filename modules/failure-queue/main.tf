data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
data "aws_region" "current" {}

locals {
  # Built, not read from the queue: policies, and the settings of functions, are then known at plan, where a gate can read them.
  arn = "arn:${data.aws_partition.current.partition}:sqs:${data.aws_region.current.region}:${data.aws_caller_identity.current.account_id}:${var.name}"
  url = "https://sqs.${data.aws_region.current.region}.${data.aws_partition.current.dns_suffix}/${data.aws_caller_identity.current.account_id}/${var.name}"
}

resource "aws_sqs_queue" "this" {
  name       = var.name
  fifo_queue = false

  visibility_timeout_seconds = 300
  message_retention_seconds  = 1209600
  receive_wait_time_seconds  = 20

  sqs_managed_sse_enabled = var.kms_key_arn == null ? true : null
  kms_master_key_id       = var.kms_key_arn

  tags = var.tags
}

module "access" {
  source = "../queue-access"

  queue_arn       = local.arn
  service_senders = var.service_senders
}

resource "aws_sqs_queue_policy" "this" {
  queue_url = aws_sqs_queue.this.url
  policy    = module.access.policy_json
}

data "aws_iam_policy_document" "send" {
  statement {
    sid       = "SendFailures"
    actions   = ["sqs:SendMessage"]
    resources = [local.arn]
  }

  dynamic "statement" {
    for_each = var.kms_key_arn == null ? {} : { this = var.kms_key_arn }

    content {
      sid       = "FailureKey"
      actions   = ["kms:Decrypt", "kms:GenerateDataKey"]
      resources = [statement.value]

      condition {
        test     = "StringEquals"
        variable = "kms:ViaService"
        values   = ["sqs.${data.aws_region.current.region}.amazonaws.com"]
      }
    }
  }
}
