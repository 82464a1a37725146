terraform {
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.28, < 7.0"
    }
  }
}

variable "dist" {
  description = "Folder with the functions' zips."
  type        = string
}

data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
data "aws_region" "current" {}

locals {
  account_id = data.aws_caller_identity.current.account_id
  partition  = data.aws_partition.current.partition
  region     = data.aws_region.current.region
}

module "platform" {
  source = "../.."

  name                     = "fanout-prod"
  dist                     = var.dist
  timezone                 = "Asia/Tokyo"
  tables                   = { point_in_time_recovery = true, deletion_protection = true }
  log_retention_days       = 365
  kms_key_arn              = "arn:${local.partition}:kms:${local.region}:${local.account_id}:key/0a1b2c3d"
  permissions_boundary_arn = "arn:${local.partition}:iam::${local.account_id}:policy/boundary"

  key_access = {
    administrator_arns = ["arn:${local.partition}:iam::${local.account_id}:role/ci-apply"]
    reader_arns        = ["arn:${local.partition}:iam::${local.account_id}:role/ci-plan"]
  }

  alerts = {
    runbook_url = "https://git.example.com/platform/fanout-once/blob/main/docs/runbook.md"
    email       = { on-call = { address = "on-call@example.com", severities = ["critical"] } }
    https       = { pager = { url = "https://pager.example.com/hooks/fanout", severities = ["critical"] } }
    slack = {
      credentials = { ssm_parameter_name = "/fanout-prod/slack" }
      channels    = { critical = "C0CRITICAL", warning = "C0WARNING", info = "C0INFO" }
    }
    alarms = { account-user-errors = { enabled = false } }
  }

  jobs = {
    charge = {
      group_scope         = "wallet"
      high_throughput     = true
      maximum_concurrency = 100
      payment_endpoint    = "https://payments.example.com/v1"
      redriver            = {}
      alarms = {
        queue-duplicate-sends           = { enabled = false }
        "function-throttles/auditor"    = { enabled = false }
        "queue-oldest-message-age/main" = { threshold = 7200 }
      }
    }
    co2 = {
      expression    = "cron(0 5 1 * ? *)"
      on_quarantine = "halt-group"
    }
  }
}
