data "aws_iam_policy_document" "trust" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["lambda.amazonaws.com"]
    }
  }
}

data "aws_iam_policy_document" "runtime" {
  statement {
    sid       = "Logs"
    actions   = ["logs:CreateLogStream", "logs:PutLogEvents"]
    resources = ["${local.log_group_arn}:*"]
  }

  statement {
    sid       = "Traces"
    actions   = ["xray:PutTelemetryRecords", "xray:PutTraceSegments"]
    resources = ["*"] # X-Ray has no resources to name here.
  }

  dynamic "statement" {
    for_each = var.environment_kms_key_arn == null ? {} : { this = var.environment_kms_key_arn }

    content {
      sid       = "EnvironmentKey"
      actions   = ["kms:Decrypt"]
      resources = [statement.value]

      # Lambda decrypts with the role's own credentials, so there is no kms:ViaService to ask for.
      condition {
        test     = "StringEquals"
        variable = "kms:EncryptionContext:aws:lambda:FunctionArn"
        values   = [local.arn]
      }
    }
  }
}

resource "aws_iam_role" "this" {
  name                 = local.role_name
  description          = "What ${var.name} may do."
  assume_role_policy   = data.aws_iam_policy_document.trust.json
  permissions_boundary = var.permissions_boundary_arn
  tags                 = var.tags
}

locals {
  policies = merge(
    { runtime = data.aws_iam_policy_document.runtime.json },
    var.asynchronous == null ? {} : { failures = var.asynchronous.failure_queue_policy_json },
    var.policies,
  )
}

resource "aws_iam_role_policy" "this" {
  for_each = local.policies

  name   = each.key
  role   = aws_iam_role.this.name
  policy = each.value
}
