locals {
  # Rows are looked up for halted groups only; effects are conditional writes.
  halts_groups = var.consumer.on_quarantine == "halt-group"

  table_keys         = toset(compact([var.tables.jobs.kms_key_arn, var.tables.directory.kms_key_arn]))
  consumer_only_keys = toset(var.tables.idempotency == null ? [] : compact([var.tables.idempotency.kms_key_arn]))
}

data "aws_iam_policy_document" "dispatcher" {
  statement {
    sid       = "EnumerateDirectory"
    actions   = ["dynamodb:Scan"]
    resources = [var.tables.directory.arn]
  }

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

  dynamic "statement" {
    for_each = var.payloads == null ? {} : { this = var.payloads }

    content {
      sid       = "StorePayloads"
      actions   = ["s3:PutObject"]
      resources = ["${statement.value.bucket_arn}/*"]
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

data "aws_iam_policy_document" "consumer" {
  statement {
    sid       = "ApplyEffects"
    actions   = concat(["dynamodb:PutItem", "dynamodb:UpdateItem"], local.halts_groups ? ["dynamodb:GetItem"] : [])
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
    for_each = length(setunion(local.table_keys, local.consumer_only_keys)) > 0 ? { this = setunion(local.table_keys, local.consumer_only_keys) } : {}

    content {
      sid       = "TableKeys"
      actions   = ["kms:Decrypt"]
      resources = statement.value
    }
  }
}
