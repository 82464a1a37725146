locals {
  # Services that encrypt with the data key for whoever makes a table, a function or a schedule.
  encrypting_services = [for service in ["dynamodb", "lambda", "scheduler"] : "${service}.${local.region}.amazonaws.com"]
  granting_services   = [for service in ["dynamodb", "lambda"] : "${service}.${local.region}.amazonaws.com"]

  ci_role_arns = { for role in ["apply", "plan"] : role => "arn:${local.partition}:iam::${local.account_id}:role/ci-${local.prefix}-${role}" }
}

# Which keys are CI's is said by a key's own policy, never by its tags: KMS cannot tell the tagging of a new key from that of
# any untagged one, so whoever may make tagged keys may tag others' too. docs/environments.md has the rules.
data "aws_iam_policy_document" "apply_keys" {
  statement {
    sid = "UseDataKey"
    actions = [
      "kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey", "kms:ReEncryptFrom", "kms:ReEncryptTo",
    ]
    resources = [aws_kms_key.this["data"].arn]

    condition {
      test     = "StringEquals"
      variable = "kms:ViaService"
      values   = local.encrypting_services
    }
  }

  # A service takes the grant for a resource of its own; nobody is granted anything by this role itself.
  statement {
    sid       = "GrantDataKeyToServices"
    actions   = ["kms:CreateGrant"]
    resources = [aws_kms_key.this["data"].arn]

    condition {
      test     = "Bool"
      variable = "kms:GrantIsForAWSResource"
      values   = ["true"]
    }

    condition {
      test     = "StringEquals"
      variable = "kms:ViaService"
      values   = local.granting_services
    }
  }

  # The alert channel makes a key of its own, whose policy names this role. CreateKey with tags asks for kms:TagResource on
  # every key of the account, before there is a key that could have a tag.
  dynamic "statement" {
    for_each = { MakeKeys = { action = "kms:CreateKey", resource = "*" }, TagNewKeys = { action = "kms:TagResource", resource = local.arns.key } }

    content {
      sid       = statement.key
      actions   = [statement.value.action]
      resources = [statement.value.resource]

      dynamic "condition" {
        for_each = { project = "fanout-once", environment = var.environment }

        content {
          test     = "StringEquals"
          variable = "aws:RequestTag/${condition.key}"
          values   = [condition.value]
        }
      }

      # No tag by which others' policies may go.
      condition {
        test     = "ForAllValues:StringEquals"
        variable = "aws:TagKeys"
        values   = ["project", "environment"]
      }

      condition {
        test     = "Null"
        variable = "aws:TagKeys"
        values   = ["false"]
      }
    }
  }

  # The key's own policy has to allow it too.
  statement {
    sid       = "NameKeys"
    actions   = ["kms:CreateAlias", "kms:DeleteAlias", "kms:UpdateAlias"]
    resources = [local.arns.alias]
  }
}

# What no other statement may allow, today's or one to come.
data "aws_iam_policy_document" "apply_limits" {
  statement {
    sid    = "LeaveTheseKeysAlone"
    effect = "Deny"
    actions = [
      "kms:CancelKeyDeletion", "kms:CreateAlias", "kms:DeleteAlias", "kms:DisableKey", "kms:DisableKeyRotation", "kms:PutKeyPolicy", "kms:RetireGrant",
      "kms:RevokeGrant", "kms:ScheduleKeyDeletion", "kms:TagResource", "kms:UntagResource", "kms:UpdateAlias", "kms:UpdateKeyDescription",
    ]
    resources = concat([for key in aws_kms_key.this : key.arn], [for alias in aws_kms_alias.this : alias.arn])
  }

  # A key that carries another project's tag is known to be another's.
  statement {
    sid       = "LeaveTaggedKeysAlone"
    effect    = "Deny"
    actions   = ["kms:TagResource", "kms:UntagResource"]
    resources = [local.arns.key]

    condition {
      test     = "StringNotEquals"
      variable = "aws:ResourceTag/project"
      values   = ["fanout-once"]
    }

    condition {
      test     = "Null"
      variable = "aws:ResourceTag/project"
      values   = ["false"]
    }
  }

  statement {
    sid    = "KeepTheStates"
    effect = "Deny"
    actions = [
      "s3:DeleteBucket", "s3:DeleteBucketPolicy", "s3:DeleteObjectVersion", "s3:PutBucketPolicy", "s3:PutBucketPublicAccessBlock",
      "s3:PutBucketVersioning", "s3:PutEncryptionConfiguration", "s3:PutLifecycleConfiguration",
    ]
    resources = [local.bucket_arn, "${local.bucket_arn}/*"]
  }

  statement {
    sid    = "LeaveCiAlone"
    effect = "Deny"
    actions = [
      "iam:AttachRolePolicy", "iam:CreatePolicyVersion", "iam:DeletePolicy", "iam:DeletePolicyVersion", "iam:DeleteRole", "iam:DeleteRolePermissionsBoundary",
      "iam:DeleteRolePolicy", "iam:PassRole", "iam:PutRolePermissionsBoundary", "iam:PutRolePolicy", "iam:SetDefaultPolicyVersion", "iam:UpdateAssumeRolePolicy",
    ]
    resources = concat(values(local.ci_role_arns), [local.boundary_arn])
  }
}
