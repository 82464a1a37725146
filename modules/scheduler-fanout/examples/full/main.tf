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

locals {
  account_id = data.aws_caller_identity.current.account_id
  partition  = data.aws_partition.current.partition
  region     = data.aws_region.current.region
}

variable "package" {
  description = "Path of the dispatcher's zip."
  type        = string
}

module "dispatcher" {
  source = "../../../python-function"

  name    = "prod-charge-dispatcher"
  package = { path = var.package, handler = "monthly_dispatcher.handler.handler" }
}

module "failures" {
  source = "../../../failure-queue"

  name = "prod-charge-failures"
}

module "schedule" {
  source = "../.."

  name                     = "prod-charge"
  retry                    = { maximum_attempts = 20, maximum_age_seconds = 3600 }
  failure_queue            = { arn = module.failures.queue.arn, send_policy_json = module.failures.send_policy_json }
  kms_key_arn              = "arn:${local.partition}:kms:${local.region}:${local.account_id}:key/0a1b2c3d"
  permissions_boundary_arn = "arn:${local.partition}:iam::${local.account_id}:policy/boundary"
  tags                     = { team = "billing" }

  schedules = {
    monthly = {
      function_arn            = module.dispatcher.function.arn
      description             = "The first of each month, some time between three and half past."
      expression              = "cron(0 3 1 * ? *)"
      timezone                = "Asia/Tokyo"
      input                   = { job = "charge" }
      flexible_window_minutes = 30
      start_date              = "2027-01-01T00:00:00Z"
      end_date                = "2030-01-01T00:00:00Z"
    }

    # A run by hand, once: the period is that of the schedule's own time.
    make_up = {
      function_arn = module.dispatcher.function.arn
      expression   = "at(2027-02-03T10:00:00)"
      timezone     = "Asia/Tokyo"
      input        = { job = "charge" }
      enabled      = false
    }

    sweep = {
      function_arn = module.dispatcher.function.arn
      expression   = "rate(1 day)"
      timezone     = "UTC"
    }
  }
}
