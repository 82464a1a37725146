data "aws_iam_policy_document" "this" {
  statement {
    sid       = "DenyInsecureTransport"
    effect    = "Deny"
    actions   = ["sqs:*"]
    resources = [var.queue_arn]

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

  dynamic "statement" {
    for_each = length(var.vpc_endpoint_ids) > 0 ? { this = var.vpc_endpoint_ids } : {}

    content {
      sid       = "DenySendOutsideVpcEndpoints"
      effect    = "Deny"
      actions   = ["sqs:SendMessage"]
      resources = [var.queue_arn]

      principals {
        type        = "*"
        identifiers = ["*"]
      }

      condition {
        test     = "StringNotEquals"
        variable = "aws:SourceVpce"
        values   = statement.value
      }

      condition {
        test     = "Bool"
        variable = "aws:PrincipalIsAWSService"
        values   = ["false"]
      }

      dynamic "condition" {
        for_each = length(var.vpc_exempt_role_arns) > 0 ? { this = var.vpc_exempt_role_arns } : {}

        content {
          test     = "ArnNotEquals"
          variable = "aws:PrincipalArn"
          values   = condition.value
        }
      }
    }
  }

  dynamic "statement" {
    for_each = var.service_senders

    content {
      sid       = "AllowSend${replace(title(replace(statement.key, "/[^0-9A-Za-z]/", " ")), " ", "")}"
      actions   = ["sqs:SendMessage"]
      resources = [var.queue_arn]

      principals {
        type        = "Service"
        identifiers = [statement.value.service]
      }

      condition {
        test     = "ArnLike"
        variable = "aws:SourceArn"
        values   = statement.value.source_arns
      }

      dynamic "condition" {
        for_each = statement.value.source_account == null ? {} : { this = statement.value.source_account }

        content {
          test     = "StringEquals"
          variable = "aws:SourceAccount"
          values   = [condition.value]
        }
      }
    }
  }
}
