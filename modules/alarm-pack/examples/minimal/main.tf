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
  topic_prefix = "arn:${data.aws_partition.current.partition}:sns:${data.aws_region.current.region}:${data.aws_caller_identity.current.account_id}"
}

module "queue" {
  source = "../../../fifo-queue-with-dlq"

  name                     = "prod-charge"
  consumer_timeout_seconds = 60
}

module "alarms" {
  source = "../.."

  name        = "prod-charge"
  runbook_url = "https://git.example.com/platform/fanout-once/docs/runbook.md"
  topics = {
    critical = "${local.topic_prefix}:prod-alerts-critical"
    warning  = "${local.topic_prefix}:prod-alerts-warning"
    info     = "${local.topic_prefix}:prod-alerts-info"
  }

  queues = { main = module.queue.monitoring }
}
