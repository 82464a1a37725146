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

  statement {
    sid       = "ReleaseAndWriteOff"
    actions   = ["dynamodb:DeleteItem", "dynamodb:PutItem", "dynamodb:UpdateItem"]
    resources = [var.tables.jobs.arn]

    # Each of these actions names one key: any is all, and none is refused.
    condition {
      test     = "ForAnyValue:StringLike"
      variable = "dynamodb:LeadingKeys"
      values   = ["halt#*", "written-off#${var.job}"]
    }
  }

  dynamic "statement" {
    for_each = length(local.operator_keys) > 0 ? { this = local.operator_keys } : {}

    content {
      sid       = "TableAndEnvironmentKeys"
      actions   = ["kms:Decrypt"]
      resources = statement.value
    }
  }
}

locals {
  # Built from the name, as the dispatcher's is.
  consumer_arn  = "arn:${data.aws_partition.current.partition}:lambda:${data.aws_region.current.region}:${data.aws_caller_identity.current.account_id}:function:${local.consumer_name}"
  operator_keys = toset(compact([var.tables.jobs.kms_key_arn, var.kms_key_arn]))
}
