terraform {
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.28, < 7.0"
    }
  }
}

data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
data "aws_region" "current" {}

module "jobs" {
  source = "../.."

  name                = "prod-jobs"
  partition_key       = "pk"
  sort_key            = "sk"
  ttl_attribute       = "ttl"
  recovery_days       = 35
  kms_key_arn         = "arn:${data.aws_partition.current.partition}:kms:${data.aws_region.current.region}:${data.aws_caller_identity.current.account_id}:key/0a1b2c3d"
  deletion_protection = true
  tags                = { team = "billing" }
}

# Powertools' idempotency records have one key and their own expiry.
module "idempotency" {
  source = "../.."

  name          = "prod-idempotency"
  partition_key = "id"
  sort_key      = null
  ttl_attribute = "expiration"
  recovery_days = null
}
