locals {
  boundary_name = "${local.prefix}-boundary"
  boundary_arn  = "arn:${local.partition}:iam::${local.account_id}:policy/${local.boundary_name}"
}

# The most that a role of the environment may do, whatever its own policies say.
data "aws_iam_policy_document" "boundary" {
  statement {
    sid = "OwnResources"
    actions = [
      "dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:Scan", "dynamodb:UpdateItem",
      "lambda:InvokeFunction",
      "logs:CreateLogStream", "logs:PutLogEvents",
      "sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage", "sqs:SendMessage",
    ]
    resources = [local.arns.dynamodb, local.arns.lambda, "${local.arns.logs}:*", local.arns.sqs]
  }

  statement {
    sid       = "Payloads"
    actions   = ["s3:GetObject", "s3:PutObject"]
    resources = ["arn:${local.partition}:s3:::${local.prefix}-*/*"]

    condition {
      test     = "StringEquals"
      variable = "aws:ResourceAccount"
      values   = [local.account_id]
    }
  }

  statement {
    sid       = "DataKey"
    actions   = ["kms:Decrypt", "kms:GenerateDataKey"]
    resources = [aws_kms_key.this["data"].arn]
  }

  # X-Ray has no resources to name.
  statement {
    sid       = "Traces"
    actions   = ["xray:PutTelemetryRecords", "xray:PutTraceSegments"]
    resources = ["*"]
  }
}

resource "aws_iam_policy" "boundary" {
  name        = local.boundary_name
  description = "The most that a role of ${local.prefix} may do."
  policy      = data.aws_iam_policy_document.boundary.json
}
