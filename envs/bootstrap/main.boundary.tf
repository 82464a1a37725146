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
    actions   = ["s3:GetObject", "s3:ListBucket", "s3:PutObject"]
    resources = [local.arns.bucket]

    condition {
      test     = "StringEquals"
      variable = "aws:ResourceAccount"
      values   = [local.account_id]
    }
  }

  statement {
    sid       = "DataKeyByServices"
    actions   = ["kms:Decrypt", "kms:GenerateDataKey"]
    resources = [aws_kms_key.this["data"].arn]

    condition {
      test     = "StringEquals"
      variable = "kms:ViaService"
      values   = [for service in ["dynamodb", "s3", "sqs"] : "${service}.${local.region}.amazonaws.com"]
    }
  }

  # Lambda and Scheduler take the role first and decrypt as the role: what they decrypt is in the encryption context.
  statement {
    sid       = "DataKeyOfFunctions"
    actions   = ["kms:Decrypt"]
    resources = [aws_kms_key.this["data"].arn]

    condition {
      test     = "ArnLike"
      variable = "kms:EncryptionContext:aws:lambda:FunctionArn"
      values   = [local.arns.lambda]
    }
  }

  statement {
    sid       = "DataKeyOfSchedules"
    actions   = ["kms:Decrypt"]
    resources = [aws_kms_key.this["data"].arn]

    condition {
      test     = "ArnLike"
      variable = "kms:EncryptionContext:aws:scheduler:schedule:arn"
      values   = [local.arns.schedule]
    }
  }

  # Where the notifier's credentials for Slack are.
  statement {
    sid       = "Credentials"
    actions   = ["secretsmanager:GetSecretValue", "ssm:GetParameter"]
    resources = [local.arns.parameter, local.arns.secret]
  }

  # Parameters and secrets are under keys that are made elsewhere: here, only by way of these services.
  statement {
    sid       = "KeysOfCredentials"
    actions   = ["kms:Decrypt"]
    resources = [local.arns.key]

    condition {
      test     = "StringEquals"
      variable = "kms:ViaService"
      values   = [for service in ["secretsmanager", "ssm"] : "${service}.${local.region}.amazonaws.com"]
    }
  }

  # CloudWatch knows no narrower resource for this action.
  statement {
    sid       = "LookAtAlarms"
    actions   = ["cloudwatch:DescribeAlarms"]
    resources = ["*"]
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
  description = "The most that a role of ${local.name} may do."
  policy      = data.aws_iam_policy_document.boundary.json
}
