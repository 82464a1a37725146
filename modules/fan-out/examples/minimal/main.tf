terraform {
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.28, < 7.0"
    }
  }
}

resource "aws_sns_topic" "orders" {
  name              = "prod-orders"
  kms_master_key_id = "alias/prod-topics"
}

module "billing" {
  source = "../../../standard-queue-with-dlq"

  name                     = "prod-billing"
  reason                   = "Billing keys every order by its number: order and repeats do not show."
  consumer_timeout_seconds = 60
  access                   = { service_senders = module.orders.service_senders["billing"] }
}

module "orders" {
  source = "../.."

  name          = "prod-orders"
  topic         = { arn = aws_sns_topic.orders.arn }
  subscriptions = { billing = { queue_arn = module.billing.queue.arn } }
}
