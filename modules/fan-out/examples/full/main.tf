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

resource "aws_sns_topic" "orders" {
  name              = "prod-orders"
  kms_master_key_id = "alias/prod-topics"
}

resource "aws_cloudwatch_event_bus" "orders" {
  name = "prod-orders"
}

module "billing" {
  source = "../../../standard-queue-with-dlq"

  name                     = "prod-billing"
  reason                   = "Billing keys every order by its number: order and repeats do not show."
  consumer_timeout_seconds = 60
  access                   = { service_senders = module.by_topic.service_senders["billing"] }
}

module "ledger" {
  source = "../../../standard-queue-with-dlq"

  name                     = "prod-ledger"
  reason                   = "The ledger writes each order by its number: order and repeats do not show."
  consumer_timeout_seconds = 60
  access                   = { service_senders = module.by_bus.service_senders["ledger"] }
}

module "by_topic" {
  source = "../.."

  name        = "prod-orders"
  topic       = { arn = aws_sns_topic.orders.arn }
  kms_key_arn = "arn:${local.partition}:kms:${local.region}:${local.account_id}:key/0a1b2c3d"
  tags        = { team = "billing" }

  subscriptions = {
    billing = {
      queue_arn      = module.billing.queue.arn
      filter         = jsonencode({ kind = ["paid", "refunded"] })
      filter_on_body = true
    }
  }
}

module "by_bus" {
  source = "../.."

  name = "prod-ledger"
  bus  = { name = aws_cloudwatch_event_bus.orders.id }

  subscriptions = {
    ledger = {
      queue_arn = module.ledger.queue.arn
      filter    = jsonencode({ source = ["orders"], detail-type = ["paid"] })
    }
  }
}
