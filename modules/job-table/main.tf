data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
data "aws_region" "current" {}

locals {
  keys = toset(compact([var.partition_key, var.sort_key]))

  # Built, not read from the table: policies that name it are then known at plan, where a gate can read them.
  arn = "arn:${data.aws_partition.current.partition}:dynamodb:${data.aws_region.current.region}:${data.aws_caller_identity.current.account_id}:table/${var.name}"
}

resource "aws_dynamodb_table" "this" {
  name                        = var.name
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = var.partition_key
  range_key                   = var.sort_key
  deletion_protection_enabled = var.deletion_protection

  dynamic "attribute" {
    for_each = local.keys

    content {
      name = attribute.value
      type = "S"
    }
  }

  dynamic "ttl" {
    for_each = var.ttl_attribute == null ? {} : { this = var.ttl_attribute }

    content {
      attribute_name = ttl.value
      enabled        = true
    }
  }

  point_in_time_recovery {
    enabled                 = var.recovery_days != null
    recovery_period_in_days = var.recovery_days
  }

  dynamic "server_side_encryption" {
    for_each = var.kms_key_arn == null ? {} : { this = var.kms_key_arn }

    content {
      enabled     = true
      kms_key_arn = server_side_encryption.value
    }
  }

  tags = var.tags
}
