terraform {
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.28, < 7.0"
    }
  }
}

variable "package" {
  description = "Path of the function's zip."
  type        = string
}

data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
data "aws_region" "current" {}

locals {
  account_id = data.aws_caller_identity.current.account_id
  partition  = data.aws_partition.current.partition
  region     = data.aws_region.current.region
  key_arn    = "arn:${local.partition}:kms:${local.region}:${local.account_id}:key/0a1b2c3d"
}

data "aws_iam_policy_document" "read_directory" {
  statement {
    actions   = ["dynamodb:Scan"]
    resources = ["arn:${local.partition}:dynamodb:${local.region}:${local.account_id}:table/prod-directory"]
  }
}

module "failures" {
  source = "../../../failure-queue"

  name = "prod-charge-dispatch-failures"
}

module "dispatcher" {
  source = "../.."

  name                     = "prod-charge-dispatcher"
  description              = "Enumerates and sends."
  package                  = { path = var.package, handler = "monthly_dispatcher.handler.handler" }
  runtime                  = "python3.13"
  architecture             = "arm64"
  memory_mb                = 512
  timeout_seconds          = 900
  environment              = { DIRECTORY_TABLE = "prod-directory" }
  environment_kms_key_arn  = local.key_arn
  policies                 = { directory = data.aws_iam_policy_document.read_directory.json }
  permissions_boundary_arn = "arn:${local.partition}:iam::${local.account_id}:policy/boundary"
  log                      = { retention_days = 365, kms_key_arn = local.key_arn }
  tracing                  = "Active"
  reserved_concurrency     = 2
  tags                     = { team = "billing" }

  asynchronous = {
    maximum_retry_attempts    = 2
    maximum_event_age_seconds = 3600
    failure_queue_arn         = module.failures.queue.arn
    failure_queue_policy_json = module.failures.send_policy_json
    invokes_itself            = true
  }
}
