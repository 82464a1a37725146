# Everything that the catalogue of alarm-pack can watch: a job with all its parts, and what jobs share.
terraform {
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.28, < 7.0"
    }
  }
}

locals {
  package     = abspath("${path.module}/../../../modules/testing/package.zip")
  runbook_url = "https://example.com/runbook.md"
  topics      = { for severity, topic in aws_sns_topic.alerts : severity => topic.arn }
}

resource "aws_sns_topic" "alerts" {
  for_each = toset(["critical", "warning", "info"])

  name = "watched-${each.key}"
}

data "aws_caller_identity" "current" {}

data "aws_iam_policy_document" "alerts" {
  for_each = aws_sns_topic.alerts

  statement {
    actions   = ["sns:Publish"]
    resources = [each.value.arn]

    principals {
      type        = "Service"
      identifiers = ["cloudwatch.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [data.aws_caller_identity.current.account_id]
    }
  }
}

resource "aws_sns_topic_policy" "alerts" {
  for_each = aws_sns_topic.alerts

  arn    = each.value.arn
  policy = data.aws_iam_policy_document.alerts[each.key].json
}

module "table" {
  source   = "../../../modules/job-table"
  for_each = toset(["jobs", "directory", "idempotency"])

  name                = "watched-${each.key}"
  partition_key       = each.key == "idempotency" ? "id" : "pk"
  sort_key            = each.key == "idempotency" ? null : "sk"
  ttl_attribute       = null
  recovery_days       = null
  deletion_protection = false
}

module "charge" {
  source = "../../../modules/monthly-job"

  name   = "watched-charge"
  job    = "charge"
  tables = { jobs = module.table["jobs"].table, directory = module.table["directory"].table }

  schedule   = { timezone = "Asia/Tokyo", enabled = false }
  dispatcher = { package = local.package }
  auditor    = { package = local.package }
  queue      = { retention_seconds = 345600 }

  consumer = {
    package              = local.package
    handler              = "charge_consumer.handler.handler"
    timeout_seconds      = 30
    reserved_concurrency = 20
    maximum_concurrency  = 10
    payment_endpoint     = "https://payments.example.com/v1"
    done_metric          = "Charged"
  }

  redriver = {
    package     = local.package
    alarm_names = ["watched-charge-consumer-function-error-rate"]
    enabled     = false
  }

  alarms = { topics = local.topics, runbook_url = local.runbook_url }
}

# Called by somebody, not by a queue: nothing limits it but what is reserved.
module "alone" {
  source = "../../../modules/python-function"

  name                 = "watched-alone"
  package              = { path = local.package, handler = "charge_consumer.handler.handler" }
  timeout_seconds      = 30
  reserved_concurrency = 20
}

module "shared" {
  source = "../../../modules/alarm-pack"

  name           = "watched-platform"
  topics         = local.topics
  runbook_url    = local.runbook_url
  account        = true
  functions      = { alone = module.alone.monitoring }
  tables         = { for key, table in module.table : key => table.monitoring }
  topics_watched = { for severity, topic in aws_sns_topic.alerts : severity => { topic_name = topic.name } }
}

output "packs" {
  description = "The packs' alarms and composites."
  value = {
    charge = module.charge.alarms
    shared = {
      alarms            = module.shared.alarms
      composites        = module.shared.composites
      maintenance_alarm = module.shared.maintenance_alarm
      dashboard         = module.shared.dashboard
    }
  }
}

output "ids" {
  description = "The whole catalogue."
  value       = module.shared.ids
}
