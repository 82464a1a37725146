locals {
  # Effects are conditional writes; rows are read for a halted group, and before a capture at an outside API.
  reads_rows = var.consumer.on_quarantine == "halt-group" || var.consumer.payment_endpoint != null

  # In the table of a job, tenants have partitions of their own name; these are the job's. Who may touch which is in docs/permissions.md.
  run_partition    = "run#${var.job}"
  job_partitions   = ["run#*", "written-off#*"]
  dynamodb_service = "dynamodb.${data.aws_region.current.region}.amazonaws.com"
  s3_service       = "s3.${data.aws_region.current.region}.amazonaws.com"

  # Where `Payloads` keeps what is too large to travel.
  payload_objects = var.payloads == null ? null : "${var.payloads.bucket_arn}/${var.job}/*"

  table_keys         = toset(compact([var.tables.jobs.kms_key_arn, var.tables.directory.kms_key_arn]))
  consumer_only_keys = toset(var.tables.idempotency == null ? [] : compact([var.tables.idempotency.kms_key_arn]))
}

# What the dispatcher and the auditor share: both enumerate the directory and may send large payloads.
data "aws_iam_policy_document" "sender" {
  statement {
    sid       = "EnumerateDirectory"
    actions   = ["dynamodb:Scan"]
    resources = [var.tables.directory.arn]
  }

  dynamic "statement" {
    for_each = var.payloads == null ? {} : { this = var.payloads }

    content {
      sid       = "StorePayloads"
      actions   = ["s3:PutObject"]
      resources = [local.payload_objects]
    }
  }

  dynamic "statement" {
    for_each = var.payloads == null ? {} : (var.payloads.kms_key_arn == null ? {} : { this = var.payloads.kms_key_arn })

    content {
      sid       = "PayloadKey"
      actions   = ["kms:Decrypt", "kms:GenerateDataKey"]
      resources = [statement.value]

      condition {
        test     = "StringEquals"
        variable = "kms:ViaService"
        values   = [local.s3_service]
      }
    }
  }

  dynamic "statement" {
    for_each = length(local.table_keys) > 0 ? { this = local.table_keys } : {}

    content {
      sid       = "TableKeys"
      actions   = ["kms:Decrypt"]
      resources = statement.value

      condition {
        test     = "StringEquals"
        variable = "kms:ViaService"
        values   = [local.dynamodb_service]
      }
    }
  }
}

data "aws_iam_policy_document" "dispatcher" {
  source_policy_documents = [data.aws_iam_policy_document.sender.json]

  statement {
    sid       = "KeepRunRow"
    actions   = ["dynamodb:UpdateItem"]
    resources = [var.tables.jobs.arn]

    # Every partition that a request names, of each item of a transaction; and there has to be one.
    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = [local.run_partition]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }
  }

  statement {
    sid       = "ContinueItself"
    actions   = ["lambda:InvokeFunction"]
    resources = [local.dispatcher_arn]
  }
}

data "aws_iam_policy_document" "consumer" {
  statement {
    sid       = "ApplyEffects"
    actions   = concat(["dynamodb:PutItem", "dynamodb:UpdateItem"], local.reads_rows ? ["dynamodb:GetItem"] : [])
    resources = [var.tables.jobs.arn]
  }

  # Tenants cannot be listed here, so their partitions are what is left when the job's own are taken away.
  statement {
    sid       = "LeaveRunsAlone"
    effect    = "Deny"
    actions   = ["dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"]
    resources = [var.tables.jobs.arn]

    condition {
      test     = "ForAnyValue:StringLike"
      variable = "dynamodb:LeadingKeys"
      values   = local.job_partitions
    }
  }

  statement {
    sid       = "KnowTenants"
    actions   = ["dynamodb:GetItem"]
    resources = [var.tables.directory.arn]
  }

  dynamic "statement" {
    for_each = var.tables.idempotency == null ? {} : { this = var.tables.idempotency }

    content {
      sid       = "KeepIdempotencyRecords"
      actions   = ["dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"]
      resources = [statement.value.arn]
    }
  }

  dynamic "statement" {
    for_each = var.payloads == null ? {} : { this = var.payloads }

    content {
      sid       = "FetchPayloads"
      actions   = ["s3:GetObject"]
      resources = [local.payload_objects]
    }
  }

  # S3 tells whoever may not list that a missing object is forbidden: a message would be retried that can only be rejected.
  dynamic "statement" {
    for_each = var.payloads == null ? {} : { this = var.payloads }

    content {
      sid       = "MissMissingPayloads"
      actions   = ["s3:ListBucket"]
      resources = [statement.value.bucket_arn]

      condition {
        test     = "StringLike"
        variable = "s3:prefix"
        values   = ["${var.job}/*"]
      }
    }
  }

  dynamic "statement" {
    for_each = var.payloads == null ? {} : (var.payloads.kms_key_arn == null ? {} : { this = var.payloads.kms_key_arn })

    content {
      sid       = "PayloadKey"
      actions   = ["kms:Decrypt"]
      resources = [statement.value]

      condition {
        test     = "StringEquals"
        variable = "kms:ViaService"
        values   = [local.s3_service]
      }
    }
  }

  dynamic "statement" {
    for_each = length(setunion(local.table_keys, local.consumer_only_keys)) > 0 ? { this = setunion(local.table_keys, local.consumer_only_keys) } : {}

    content {
      sid       = "TableKeys"
      actions   = ["kms:Decrypt"]
      resources = statement.value

      condition {
        test     = "StringEquals"
        variable = "kms:ViaService"
        values   = [local.dynamodb_service]
      }
    }
  }
}
