data "aws_iam_policy_document" "trust" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["scheduler.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [local.account_id]
    }

    # The group, not a schedule: Scheduler presents the group's ARN when it takes the role.
    condition {
      test     = "StringEquals"
      variable = "aws:SourceArn"
      values   = [local.group_arn]
    }
  }
}

data "aws_iam_policy_document" "invoke" {
  statement {
    sid       = "InvokeTargets"
    actions   = ["lambda:InvokeFunction"]
    resources = distinct([for schedule in values(var.schedules) : schedule.function_arn])
  }

  dynamic "statement" {
    for_each = var.kms_key_arn == null ? {} : { this = var.kms_key_arn }

    content {
      sid       = "ScheduleKey"
      actions   = ["kms:Decrypt"]
      resources = [statement.value]

      # Scheduler decrypts with the role's own credentials, so there is no kms:ViaService to ask for.
      condition {
        test     = "ArnLike"
        variable = "kms:EncryptionContext:aws:scheduler:schedule:arn"
        values   = [local.schedules_arn]
      }
    }
  }
}

resource "aws_iam_role" "this" {
  name                 = local.role_name
  description          = "What the schedules of the group ${var.name} may do."
  assume_role_policy   = data.aws_iam_policy_document.trust.json
  permissions_boundary = var.permissions_boundary_arn
  tags                 = var.tags
}

resource "aws_iam_role_policy" "invoke" {
  name   = "invoke"
  role   = aws_iam_role.this.name
  policy = data.aws_iam_policy_document.invoke.json
}

module "failures" {
  source = "../failure-queue"
  count  = var.failure_queue == null ? 1 : 0

  name        = "${var.name}-schedule-failures"
  kms_key_arn = var.kms_key_arn
  tags        = var.tags
}

locals {
  failure_queue = var.failure_queue != null ? var.failure_queue : {
    arn              = one(module.failures[*].queue.arn)
    send_policy_json = one(module.failures[*].send_policy_json)
  }
}

resource "aws_iam_role_policy" "failures" {
  name   = "failures"
  role   = aws_iam_role.this.name
  policy = local.failure_queue.send_policy_json
}
