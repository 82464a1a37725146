# What an operator needs beside the queues and a maintenance window: the deployed consumer's settings, the ledger, halts and
# write-offs.
data "aws_iam_policy_document" "operator" {
  source_policy_documents = compact(concat([module.queue.operator_policy_json], module.alarms[*].maintenance_policy_json))

  statement {
    sid       = "FindQueues"
    actions   = ["lambda:GetFunctionConfiguration"]
    resources = [local.consumer_arn]
  }

  statement {
    sid       = "KnowEffectsAndHalts"
    actions   = ["dynamodb:GetItem"]
    resources = [var.tables.jobs.arn]
  }

  # The list of halted groups: `release --all` finds there those without a dead letter.
  statement {
    sid       = "ListHalts"
    actions   = ["dynamodb:Query"]
    resources = [var.tables.jobs.arn]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = ["halt#${var.job}#"]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }
  }

  statement {
    sid       = "ReleaseAndWriteOff"
    actions   = ["dynamodb:DeleteItem", "dynamodb:PutItem", "dynamodb:UpdateItem"]
    resources = [var.tables.jobs.arn]

    # All partitions of a request, and at least one: a transaction or batch may name any number.
    condition {
      test     = "ForAllValues:StringLike"
      variable = "dynamodb:LeadingKeys"
      values   = ["halt#${var.job}#*", "written-off#${var.job}"]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }
  }

  dynamic "statement" {
    for_each = var.tables.jobs.kms_key_arn == null ? {} : { this = var.tables.jobs.kms_key_arn }

    content {
      sid       = "TableKey"
      actions   = ["kms:Decrypt"]
      resources = [statement.value]

      condition {
        test     = "StringEquals"
        variable = "kms:ViaService"
        values   = [local.dynamodb_service]
      }
    }
  }

  # Lambda decrypts the settings for whoever reads them.
  dynamic "statement" {
    for_each = var.kms_key_arn == null ? {} : { this = var.kms_key_arn }

    content {
      sid       = "EnvironmentKey"
      actions   = ["kms:Decrypt"]
      resources = [statement.value]

      condition {
        test     = "StringEquals"
        variable = "kms:ViaService"
        values   = ["lambda.${data.aws_region.current.region}.amazonaws.com"]
      }
    }
  }
}

locals {
  # Built from the name, as the dispatcher's is.
  consumer_arn = "arn:${data.aws_partition.current.partition}:lambda:${data.aws_region.current.region}:${data.aws_caller_identity.current.account_id}:function:${local.consumer_name}"
}
