data "aws_caller_identity" "current" {}

data "aws_iam_policy_document" "key" {
  statement {
    sid       = "Owner"
    actions   = ["kms:*"]
    resources = ["*"]

    principals {
      type        = "AWS"
      identifiers = ["arn:aws:iam::${data.aws_caller_identity.current.account_id}:root"]
    }
  }

  dynamic "statement" {
    for_each = var.changed ? ["cloudwatch.amazonaws.com"] : []

    content {
      sid       = "Alarms"
      actions   = ["kms:Decrypt", "kms:GenerateDataKey*"]
      resources = ["*"]

      principals {
        type        = "Service"
        identifiers = [statement.value]
      }
    }
  }
}

resource "aws_kms_key" "this" {
  description             = var.changed ? "second" : "first"
  deletion_window_in_days = 7
  enable_key_rotation     = true
  policy                  = data.aws_iam_policy_document.key.json
  tags                    = { job = var.changed ? "co2" : "charge" }
}

resource "aws_kms_key" "other" {
  description = var.changed ? "second" : "first"
}

resource "aws_kms_alias" "this" {
  name          = "alias/cycle"
  target_key_id = var.changed ? aws_kms_key.other.key_id : aws_kms_key.this.key_id
}

resource "aws_s3_bucket" "this" {
  bucket        = "cycle-payloads"
  force_destroy = true
  tags          = { job = var.changed ? "co2" : "charge" }
}

resource "aws_s3_bucket_versioning" "this" {
  bucket = aws_s3_bucket.this.id

  versioning_configuration {
    status = var.changed ? "Suspended" : "Enabled"
  }
}

resource "aws_s3_bucket_public_access_block" "this" {
  bucket                  = aws_s3_bucket.this.id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = !var.changed
}

resource "aws_s3_bucket_server_side_encryption_configuration" "this" {
  bucket = aws_s3_bucket.this.id

  rule {
    bucket_key_enabled = !var.changed

    apply_server_side_encryption_by_default {
      sse_algorithm     = "aws:kms"
      kms_master_key_id = aws_kms_key.other.arn
    }
  }
}

resource "aws_s3_bucket_ownership_controls" "this" {
  bucket = aws_s3_bucket.this.id

  rule {
    object_ownership = var.changed ? "BucketOwnerPreferred" : "BucketOwnerEnforced"
  }
}

data "aws_iam_policy_document" "tls" {
  statement {
    sid       = "TlsOnly"
    effect    = "Deny"
    actions   = var.changed ? ["s3:*"] : ["s3:PutObject"]
    resources = ["arn:aws:s3:::cycle-payloads", "arn:aws:s3:::cycle-payloads/*"]

    principals {
      type        = "AWS"
      identifiers = ["arn:aws:iam::999999999999:root"]
    }
  }
}

resource "aws_s3_bucket_policy" "this" {
  bucket = aws_s3_bucket.this.id
  policy = data.aws_iam_policy_document.tls.json
}

resource "aws_s3_bucket_lifecycle_configuration" "this" {
  bucket = aws_s3_bucket.this.id

  rule {
    id     = "expire"
    status = "Enabled"

    filter {
      prefix = "payloads/"
    }

    expiration {
      days = var.changed ? 15 : 30
    }

    noncurrent_version_expiration {
      noncurrent_days = 1
    }

    abort_incomplete_multipart_upload {
      days_after_initiation = 1
    }
  }

  rule {
    id     = "archive"
    status = "Disabled"

    filter {
      and {
        prefix = "archive/"
        tags   = { kept = "yes" }
      }
    }

    transition {
      days          = 60
      storage_class = "GLACIER"
    }
  }
}

resource "aws_ssm_parameter" "this" {
  name        = "/cycle/plain"
  type        = "String"
  value       = var.changed ? "second" : "first"
  description = "Where it is read"
  tags        = { job = var.changed ? "co2" : "charge" }
}

resource "aws_ssm_parameter" "secret" {
  name  = "/cycle/secret"
  type  = "SecureString"
  value = var.changed ? "s3cret" : "secret"
}
