locals {
  # A service that asks for a key acts for whoever made it act: each is held to this account and to its own kind of source.
  key_users = {
    CloudWatchAlarms = { service = "cloudwatch.amazonaws.com", sources = [local.alarm_arns] }
    TopicsToQueues   = { service = "sns.amazonaws.com", sources = values(local.topic_arns) }
  }

  # What Terraform asks of a key that it plans, and of one that it keeps.
  key_reads = ["kms:DescribeKey", "kms:GetKeyPolicy", "kms:GetKeyRotationStatus", "kms:ListResourceTags"]
  key_changes = [
    "kms:CreateAlias", "kms:DeleteAlias", "kms:EnableKeyRotation", "kms:PutKeyPolicy", "kms:ScheduleKeyDeletion", "kms:TagResource",
    "kms:UntagResource", "kms:UpdateAlias", "kms:UpdateKeyDescription",
  ]
}

data "aws_iam_policy_document" "key_users" {
  dynamic "statement" {
    for_each = local.key_users

    content {
      sid       = statement.key
      actions   = ["kms:Decrypt", "kms:GenerateDataKey*"]
      resources = ["*"]

      principals {
        type        = "Service"
        identifiers = [statement.value.service]
      }

      condition {
        test     = "StringEquals"
        variable = "aws:SourceAccount"
        values   = [local.account_id]
      }

      condition {
        test     = "ArnLike"
        variable = "aws:SourceArn"
        values   = statement.value.sources
      }
    }
  }

  dynamic "statement" {
    for_each = length(var.key_access.administrator_arns) == 0 ? {} : { this = var.key_access.administrator_arns }

    content {
      sid       = "Administrators"
      actions   = concat(local.key_reads, local.key_changes)
      resources = ["*"]

      principals {
        type        = "AWS"
        identifiers = statement.value
      }
    }
  }

  dynamic "statement" {
    for_each = length(var.key_access.reader_arns) == 0 ? {} : { this = var.key_access.reader_arns }

    content {
      sid       = "Readers"
      actions   = local.key_reads
      resources = ["*"]

      principals {
        type        = "AWS"
        identifiers = statement.value
      }
    }
  }
}

data "aws_iam_policy_document" "key" {
  source_policy_documents = [data.aws_iam_policy_document.key_users.json]

  statement {
    sid       = "AccountByItsOwnPolicies"
    actions   = ["kms:*"]
    resources = ["*"]

    principals {
      type        = "AWS"
      identifiers = ["arn:${local.partition}:iam::${local.account_id}:root"]
    }
  }
}

# alias/aws/sns would not do: it admits no CloudWatch, and a publish that may not use the key is dropped without a word.
resource "aws_kms_key" "this" {
  count = var.key == null ? 1 : 0

  description             = "Encrypts the alerts of ${var.name}."
  policy                  = data.aws_iam_policy_document.key.json
  enable_key_rotation     = true
  deletion_window_in_days = 30
  tags                    = var.tags
}

resource "aws_kms_alias" "this" {
  count = var.key == null ? 1 : 0

  name          = "alias/${var.name}"
  target_key_id = aws_kms_key.this[0].key_id
}
