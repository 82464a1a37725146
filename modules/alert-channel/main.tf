data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
data "aws_region" "current" {}

locals {
  account_id = data.aws_caller_identity.current.account_id
  partition  = data.aws_partition.current.partition
  region     = data.aws_region.current.region
  arn_middle = "${local.region}:${local.account_id}"

  severities = toset(["critical", "warning", "info"])

  # Built, not read from the topics: policies are then known at plan, where a gate can read them.
  topic_names = { for severity in local.severities : severity => "${var.name}-${severity}" }
  topic_arns  = { for severity, name in local.topic_names : severity => "arn:${local.partition}:sns:${local.arn_middle}:${name}" }
  alarm_arns  = "arn:${local.partition}:cloudwatch:${local.arn_middle}:alarm:*"
}

resource "aws_sns_topic" "this" {
  for_each = local.severities

  name = local.topic_names[each.key]
  # No local: a plan tells by the references of an argument which key it means, and shows nothing of locals.
  kms_master_key_id = var.key == null ? one(aws_kms_key.this[*].arn) : var.key.arn
  tags              = var.tags
}

# The account's own roles need no statement here: their own policies decide.
data "aws_iam_policy_document" "topic" {
  for_each = local.severities

  statement {
    sid       = "DenyInsecureTransport"
    effect    = "Deny"
    actions   = ["sns:Publish"]
    resources = [local.topic_arns[each.key]]

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

  statement {
    sid       = "AllowAlarmsOfTheAccount"
    actions   = ["sns:Publish"]
    resources = [local.topic_arns[each.key]]

    principals {
      type        = "Service"
      identifiers = ["cloudwatch.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [local.account_id]
    }

    condition {
      test     = "ArnLike"
      variable = "aws:SourceArn"
      values   = [local.alarm_arns]
    }
  }
}

resource "aws_sns_topic_policy" "this" {
  for_each = local.severities

  arn    = aws_sns_topic.this[each.key].arn
  policy = data.aws_iam_policy_document.topic[each.key].json
}
