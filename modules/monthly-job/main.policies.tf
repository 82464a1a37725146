locals {
  # Effects are conditional writes; rows are read for a halted group, and before a capture at an outside API.
  reads_rows = var.consumer.on_quarantine == "halt-group" || var.consumer.payment_endpoint != null

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
      resources = ["${statement.value.bucket_arn}/*"]
    }
  }

  dynamic "statement" {
    for_each = var.payloads == null ? {} : (var.payloads.kms_key_arn == null ? {} : { this = var.payloads.kms_key_arn })

    content {
      sid       = "PayloadKey"
      actions   = ["kms:Decrypt", "kms:GenerateDataKey"]
      resources = [statement.value]
    }
  }

  dynamic "statement" {
    for_each = length(local.table_keys) > 0 ? { this = local.table_keys } : {}

    content {
      sid       = "TableKeys"
      actions   = ["kms:Decrypt"]
      resources = statement.value
    }
  }
}

data "aws_iam_policy_document" "dispatcher" {
  source_policy_documents = [data.aws_iam_policy_document.sender.json]

  statement {
    sid       = "KeepRunRow"
    actions   = ["dynamodb:UpdateItem"]
    resources = [var.tables.jobs.arn]
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
      resources = ["${statement.value.bucket_arn}/*"]
    }
  }

  dynamic "statement" {
    for_each = var.payloads == null ? {} : (var.payloads.kms_key_arn == null ? {} : { this = var.payloads.kms_key_arn })

    content {
      sid       = "PayloadKey"
      actions   = ["kms:Decrypt"]
      resources = [statement.value]
    }
  }

  dynamic "statement" {
    for_each = length(setunion(local.table_keys, local.consumer_only_keys)) > 0 ? { this = setunion(local.table_keys, local.consumer_only_keys) } : {}

    content {
      sid       = "TableKeys"
      actions   = ["kms:Decrypt"]
      resources = statement.value
    }
  }
}
