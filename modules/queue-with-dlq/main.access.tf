locals {
  # Only the queue has senders beside the roles; the dead-letter queue takes what its source or its consumer moves there.
  service_senders  = { queue = var.access.service_senders, dead_letter_queue = {} }
  vpc_endpoint_ids = { queue = var.access.vpc_endpoint_ids, dead_letter_queue = [] }
  vpc_exempt_roles = { queue = var.access.vpc_exempt_role_arns, dead_letter_queue = [] }
}

module "access" {
  source   = "../queue-access"
  for_each = local.arns

  queue_arn        = each.value
  service_senders  = local.service_senders[each.key]
  vpc_endpoint_ids = local.vpc_endpoint_ids[each.key]

  vpc_exempt_role_arns = local.vpc_exempt_roles[each.key]
}

resource "aws_sqs_queue_policy" "this" {
  queue_url = aws_sqs_queue.this.url
  policy    = module.access["queue"].policy_json
}

resource "aws_sqs_queue_policy" "dead_letter" {
  queue_url = aws_sqs_queue.dead_letter.url
  policy    = module.access["dead_letter_queue"].policy_json
}

locals {
  # What each role of people and programs may do, by queue.
  grants = {
    producer = {
      queue = ["sqs:SendMessage"]
    }
    consumer = {
      queue             = ["sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"]
      dead_letter_queue = ["sqs:SendMessage"]
    }
    operator = {
      queue = ["sqs:GetQueueAttributes", "sqs:SendMessage"]
      dead_letter_queue = [
        "sqs:CancelMessageMoveTask", "sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes",
        "sqs:ListMessageMoveTasks", "sqs:ReceiveMessage", "sqs:SendMessage", "sqs:StartMessageMoveTask",
      ]
    }
    redriver = {
      queue = ["sqs:SendMessage"]
      dead_letter_queue = [
        "sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage", "sqs:SendMessage",
      ]
    }
  }
}

data "aws_iam_policy_document" "grant" {
  for_each = local.grants

  dynamic "statement" {
    for_each = each.value

    content {
      sid       = replace(title(replace(statement.key, "_", " ")), " ", "")
      actions   = statement.value
      resources = [local.arns[statement.key]]
    }
  }

  dynamic "statement" {
    for_each = local.uses_kms ? { this = var.encryption.kms_key_arn } : {}

    content {
      sid       = "QueueKey"
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

data "aws_iam_policy_document" "key" {
  count = length(var.access.service_senders) > 0 ? 1 : 0

  dynamic "statement" {
    for_each = var.access.service_senders

    content {
      sid       = "AllowQueueSender${replace(title(replace(statement.key, "/[^0-9A-Za-z]/", " ")), " ", "")}"
      actions   = ["kms:Decrypt", "kms:GenerateDataKey"]
      resources = ["*"]

      principals {
        type        = "Service"
        identifiers = [statement.value.service]
      }

      condition {
        test     = "ArnLike"
        variable = "aws:SourceArn"
        values   = statement.value.source_arns
      }
    }
  }
}
