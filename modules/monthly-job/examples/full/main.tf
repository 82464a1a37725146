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
  key_arn    = "arn:${local.partition}:kms:${local.region}:${local.account_id}:key/0a1b2c3d"
}

variable "dist" {
  description = "Folder with the functions' zips."
  type        = string
}

module "jobs" {
  source = "../../../job-table"

  name = "prod-jobs"
}

module "directory" {
  source = "../../../job-table"

  name          = "prod-directory"
  ttl_attribute = null
}

module "idempotency" {
  source = "../../../job-table"

  name          = "prod-idempotency"
  partition_key = "id"
  sort_key      = null
  ttl_attribute = "expiration"
}

resource "aws_sns_topic" "alerts" {
  for_each = toset(["critical", "warning", "info"])

  name = "prod-alerts-${each.key}"
}

module "charge" {
  source = "../.."

  name = "prod-charge"
  job  = "charge"

  tables = {
    jobs        = module.jobs.table
    directory   = module.directory.table
    idempotency = module.idempotency.table
  }

  schedule = {
    expression              = "cron(0 3 1 * ? *)"
    timezone                = "Asia/Tokyo"
    period_policy           = "previous-month"
    flexible_window_minutes = 15
  }

  dispatcher = {
    package         = "${var.dist}/monthly_dispatcher.zip"
    memory_mb       = 1024
    timeout_seconds = 900
    group_scope     = "wallet"
    sender_threads  = 8
    page_size       = 1000
  }

  consumer = {
    package             = "${var.dist}/charge_consumer.zip"
    handler             = "charge_consumer.handler.handler"
    memory_mb           = 512
    timeout_seconds     = 60
    batch_size          = 10
    maximum_concurrency = 100
    max_attempts        = 5
    on_quarantine       = "continue"
    threads             = 10
    payment_endpoint    = "https://payments.example.com/v1"
    done_metric         = "Charged"
  }

  auditor = {
    package         = "${var.dist}/run_auditor.zip"
    memory_mb       = 1024
    timeout_seconds = 900
    expression      = "cron(0 9 1 * ? *)"
  }

  redriver = {
    package             = "${var.dist}/dlq_redriver.zip"
    memory_mb           = 256
    timeout_seconds     = 300
    expression          = "rate(15 minutes)"
    classes             = ["exhausted", "transient", "unknown"]
    maximum_redrives    = 3
    pause_seconds       = 900
    limit               = 1000
    messages_per_second = 50
    alarm_names         = ["prod-charge-consumer-function-error-rate", "prod-charge-main-mapping-stalled"]
  }

  queue = {
    high_throughput       = true
    retention_seconds     = 604800
    maximum_receive_count = 300
  }

  payloads = {
    bucket_name     = "prod-payloads"
    bucket_arn      = "arn:${local.partition}:s3:::prod-payloads"
    threshold_bytes = 131072
  }

  alarms = {
    topics      = { for severity, topic in aws_sns_topic.alerts : severity => topic.arn }
    runbook_url = "https://git.example.com/platform/fanout-once/docs/runbook.md"
    settings = {
      alarms = {
        queue-duplicate-sends    = { enabled = false }
        queue-oldest-message-age = { threshold = 7200 }
      }
    }
  }

  observability = {
    log_level          = "INFO"
    log_retention_days = 365
    metrics_namespace  = "FanoutOnce"
  }

  kms_key_arn              = local.key_arn
  permissions_boundary_arn = "arn:${local.partition}:iam::${local.account_id}:policy/boundary"
  tags                     = { team = "billing" }
}
