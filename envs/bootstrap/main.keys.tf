locals {
  keys = {
    state = "Encrypts Terraform's state."
    data  = "Encrypts what the environment's tables, queues and logs hold."
  }
}

data "aws_iam_policy_document" "key" {
  for_each = local.keys

  statement {
    sid       = "AccountByItsOwnPolicies"
    actions   = ["kms:*"]
    resources = ["*"]

    principals {
      type        = "AWS"
      identifiers = ["arn:${local.partition}:iam::${local.account_id}:root"]
    }
  }

  dynamic "statement" {
    for_each = each.key == "data" ? { this = "logs.${local.region}.amazonaws.com" } : {}

    content {
      sid       = "CloudWatchLogs"
      actions   = ["kms:Decrypt*", "kms:Describe*", "kms:Encrypt*", "kms:GenerateDataKey*", "kms:ReEncrypt*"]
      resources = ["*"]

      principals {
        type        = "Service"
        identifiers = [statement.value]
      }

      condition {
        test     = "ArnLike"
        variable = "kms:EncryptionContext:aws:logs:arn"
        values   = [local.arns.logs]
      }
    }
  }
}

resource "aws_kms_key" "this" {
  for_each = local.keys

  description             = each.value
  policy                  = data.aws_iam_policy_document.key[each.key].json
  enable_key_rotation     = true
  deletion_window_in_days = 30

  # Without its key, nothing that the environment or its state holds can be read again.
  lifecycle {
    prevent_destroy = true
  }
}

resource "aws_kms_alias" "this" {
  for_each = local.keys

  name          = "alias/${local.prefix}-${each.key}"
  target_key_id = aws_kms_key.this[each.key].key_id
}
