# A job whose operator policy is tried: planned, never applied.
terraform {
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.28, < 7.0"
    }
  }
}

variable "endpoint" {
  description = "Address of the local AWS."
  type        = string
}

variable "name" {
  description = "Name of the job's queues."
  type        = string
}

provider "aws" {
  region                      = "ap-northeast-1"
  skip_metadata_api_check     = true
  skip_credentials_validation = true

  endpoints {
    sts = var.endpoint
  }
}

data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
data "aws_region" "current" {}

locals {
  arn_middle   = "${data.aws_region.current.region}:${data.aws_caller_identity.current.account_id}"
  table_prefix = "arn:${data.aws_partition.current.partition}:dynamodb:${local.arn_middle}:table"
  topic_prefix = "arn:${data.aws_partition.current.partition}:sns:${local.arn_middle}"
  package      = "${path.module}/../../../../modules/testing/package.zip"
}

module "job" {
  source = "../../../../modules/monthly-job"

  name = var.name
  job  = "charge"
  tables = {
    jobs      = { name = "${var.name}-jobs", arn = "${local.table_prefix}/${var.name}-jobs" }
    directory = { name = "${var.name}-directory", arn = "${local.table_prefix}/${var.name}-directory" }
  }
  schedule   = { timezone = "Asia/Tokyo" }
  dispatcher = { package = local.package }
  consumer   = { package = local.package, handler = "charge_consumer.handler.handler" }
  alarms = {
    topics      = { for severity in ["critical", "warning", "info"] : severity => "${local.topic_prefix}:${severity}" }
    runbook_url = "https://git.example.com/runbook.md"
  }
}

output "operator_policy_json" {
  description = "The policy that is tried."
  value       = module.job.operator_policy_json
}
