locals {
  issuer = "token.actions.githubusercontent.com"

  # A name can be given up and taken by somebody else, an id cannot: GitHub writes both into newer subjects.
  named      = split("/", var.repository)
  ids        = var.repository_ids
  immutable  = local.ids.owner == null ? [] : ["repo:${local.named[0]}@${local.ids.owner}/${local.named[1]}@${local.ids.repository}"]
  repository = concat(local.immutable, local.ids.owner == null || local.ids.names_too ? ["repo:${var.repository}"] : [])

  # Who may take which role: pull requests and main may plan, without anybody's approval; only the protected environment may
  # apply.
  ci_contexts = {
    plan  = ["pull_request", "ref:refs/heads/main"]
    apply = ["environment:${var.environment}"]
  }
  ci_subjects = {
    for role, contexts in local.ci_contexts : role => [for pair in setproduct(local.repository, contexts) : join(":", pair)]
  }

  ci_policies = {
    plan  = data.aws_iam_policy_document.plan.json
    apply = data.aws_iam_policy_document.apply.json
  }
}

resource "aws_iam_openid_connect_provider" "github" {
  url            = "https://${local.issuer}"
  client_id_list = ["sts.amazonaws.com"]
}

data "aws_iam_policy_document" "ci_trust" {
  for_each = local.ci_subjects

  statement {
    actions = ["sts:AssumeRoleWithWebIdentity"]

    principals {
      type        = "Federated"
      identifiers = ["arn:${local.partition}:iam::${local.account_id}:oidc-provider/${local.issuer}"]
    }

    condition {
      test     = "StringEquals"
      variable = "${local.issuer}:aud"
      values   = ["sts.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "${local.issuer}:sub"
      values   = each.value
    }
  }
}

resource "aws_iam_role" "ci" {
  for_each = local.ci_subjects

  name               = "ci-${local.prefix}-${each.key}"
  description        = "Taken by the workflow of ${var.repository} to ${each.key} ${var.environment}."
  assume_role_policy = data.aws_iam_policy_document.ci_trust[each.key].json
  # Keys that end in the middle of an apply leave it half done: they hold as long as a job of GitHub's may take.
  max_session_duration = each.key == "apply" ? 21600 : 3600
}

resource "aws_iam_role_policy" "ci" {
  for_each = local.ci_policies

  name   = each.key
  role   = aws_iam_role.ci[each.key].name
  policy = each.value
}

data "aws_iam_policy_document" "plan" {
  statement {
    sid       = "ReadState"
    actions   = ["s3:GetObject"]
    resources = ["${local.bucket_arn}/${var.environment}/*"]
  }

  statement {
    sid       = "FindState"
    actions   = ["s3:ListBucket"]
    resources = [local.bucket_arn]
  }

  statement {
    sid       = "StateKey"
    actions   = ["kms:Decrypt", "kms:GenerateDataKey"]
    resources = [aws_kms_key.this["state"].arn]

    condition {
      test     = "StringEquals"
      variable = "kms:ViaService"
      values   = ["s3.${local.region}.amazonaws.com"]
    }
  }

  statement {
    sid = "ReadEnvironment"
    actions = [
      "cloudwatch:DescribeAlarms", "cloudwatch:GetDashboard", "cloudwatch:ListTagsForResource",
      "dynamodb:DescribeContinuousBackups", "dynamodb:DescribeTable", "dynamodb:DescribeTimeToLive", "dynamodb:ListTagsOfResource",
      "lambda:GetFunction", "lambda:GetFunctionCodeSigningConfig", "lambda:GetFunctionConcurrency",
      "lambda:GetFunctionEventInvokeConfig", "lambda:GetFunctionRecursionConfig", "lambda:GetPolicy", "lambda:ListTags", "lambda:ListVersionsByFunction",
      "iam:GetRole", "iam:GetRolePolicy", "iam:ListAttachedRolePolicies", "iam:ListRolePolicies",
      "logs:ListTagsForResource",
      "scheduler:GetSchedule", "scheduler:GetScheduleGroup", "scheduler:ListTagsForResource",
      "sns:GetSubscriptionAttributes", "sns:GetTopicAttributes", "sns:ListTagsForResource",
      "sqs:GetQueueAttributes", "sqs:GetQueueUrl", "sqs:ListQueueTags",
    ]
    resources = [
      local.arns.alarm, local.arns.dashboard, local.arns.dynamodb, local.arns.lambda, local.arns.logs, local.arns.mapping,
      local.arns.role, local.arns.scheduler, local.arns.sns, local.arns.sqs,
    ]
  }

  # What Lambda and Scheduler encrypt with the data key is decrypted for whoever reads it.
  statement {
    sid       = "ReadSettings"
    actions   = ["kms:Decrypt"]
    resources = [aws_kms_key.this["data"].arn]

    condition {
      test     = "StringEquals"
      variable = "kms:ViaService"
      values   = [for service in ["lambda", "scheduler"] : "${service}.${local.region}.amazonaws.com"]
    }
  }

  # These know no resource to name.
  statement {
    sid       = "ReadLists"
    actions   = ["kms:ListAliases", "lambda:GetEventSourceMapping", "logs:DescribeLogGroups", "logs:DescribeSubscriptionFilters"]
    resources = ["*"]
  }
}

data "aws_iam_policy_document" "apply" {
  source_policy_documents = [for document in [
    data.aws_iam_policy_document.plan, data.aws_iam_policy_document.apply_keys, data.aws_iam_policy_document.apply_limits,
  ] : document.json]

  statement {
    sid       = "WriteState"
    actions   = ["s3:DeleteObject", "s3:PutObject"]
    resources = ["${local.bucket_arn}/${var.environment}/*"]
  }

  statement {
    sid = "ChangeEnvironment"
    actions = [
      "cloudwatch:DeleteAlarms", "cloudwatch:DeleteDashboards", "cloudwatch:PutCompositeAlarm", "cloudwatch:PutDashboard",
      "cloudwatch:PutMetricAlarm", "cloudwatch:TagResource", "cloudwatch:UntagResource",
      "dynamodb:CreateTable", "dynamodb:DeleteTable", "dynamodb:TagResource", "dynamodb:UntagResource",
      "dynamodb:UpdateContinuousBackups", "dynamodb:UpdateTable", "dynamodb:UpdateTimeToLive",
      "lambda:AddPermission", "lambda:CreateFunction", "lambda:DeleteFunction", "lambda:DeleteFunctionConcurrency",
      "lambda:DeleteFunctionEventInvokeConfig", "lambda:PutFunctionConcurrency", "lambda:PutFunctionEventInvokeConfig",
      "lambda:PutFunctionRecursionConfig", "lambda:RemovePermission",
      "lambda:TagResource", "lambda:UntagResource", "lambda:UpdateFunctionCode", "lambda:UpdateFunctionConfiguration",
      "logs:AssociateKmsKey", "logs:CreateLogGroup", "logs:DeleteLogGroup", "logs:DeleteSubscriptionFilter", "logs:DisassociateKmsKey", "logs:PutRetentionPolicy", "logs:PutSubscriptionFilter", "logs:TagResource", "logs:UntagResource",
      "scheduler:CreateSchedule", "scheduler:CreateScheduleGroup", "scheduler:DeleteSchedule", "scheduler:DeleteScheduleGroup",
      "scheduler:TagResource", "scheduler:UntagResource", "scheduler:UpdateSchedule",
      "sns:CreateTopic", "sns:DeleteTopic", "sns:SetSubscriptionAttributes", "sns:SetTopicAttributes", "sns:Subscribe", "sns:TagResource",
      "sns:Unsubscribe", "sns:UntagResource",
      "sqs:CreateQueue", "sqs:DeleteQueue", "sqs:SetQueueAttributes", "sqs:TagQueue", "sqs:UntagQueue",
    ]
    resources = [
      local.arns.alarm, local.arns.dashboard, local.arns.dynamodb, local.arns.lambda, local.arns.logs, local.arns.mapping,
      local.arns.scheduler, local.arns.sns, local.arns.sqs,
    ]
  }

  statement {
    sid = "ChangeMappings"
    actions = [
      "lambda:CreateEventSourceMapping", "lambda:DeleteEventSourceMapping", "lambda:UpdateEventSourceMapping",
    ]
    resources = ["*"]

    condition {
      test     = "ArnLike"
      variable = "lambda:FunctionArn"
      values   = [local.arns.lambda]
    }
  }

  # A role made here may never do more than the boundary says, or CI could give itself anything.
  statement {
    sid = "MakeBoundedRoles"
    actions = [
      "iam:CreateRole", "iam:DeleteRolePolicy", "iam:PutRolePermissionsBoundary", "iam:PutRolePolicy",
    ]
    resources = [local.arns.role]

    condition {
      test     = "StringEquals"
      variable = "iam:PermissionsBoundary"
      values   = [local.boundary_arn]
    }
  }

  statement {
    sid       = "KeepRoles"
    actions   = ["iam:DeleteRole", "iam:ListInstanceProfilesForRole", "iam:TagRole", "iam:UntagRole", "iam:UpdateAssumeRolePolicy", "iam:UpdateRole"]
    resources = [local.arns.role]
  }

  statement {
    sid       = "PassRoles"
    actions   = ["iam:PassRole"]
    resources = [local.arns.role]

    condition {
      test     = "StringEquals"
      variable = "iam:PassedToService"
      values   = ["lambda.amazonaws.com", "scheduler.amazonaws.com"]
    }
  }
}
