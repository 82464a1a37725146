terraform {
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.28, < 7.0"
    }
  }
}

# Priority by separate queues. SQS orders nothing by importance, and Lambda polls each queue by itself, so importance is
# a share of the concurrency: the urgent queue gets nearly all of it, the other one what is left. With a poller of
# your own, ask the urgent queue first and the other one only when that came back empty.

variable "package" {
  description = "Path of the consumer's zip."
  type        = string
}

locals {
  # Of the function's 50 at the same time, never more than 2 are for work that can wait.
  shares = {
    urgent = 48
    later  = 2
  }
}

module "consumer" {
  source = "../../../python-function"

  name                 = "prod-notices"
  package              = { path = var.package, handler = "notice_consumer.handler.handler" }
  timeout_seconds      = 60
  reserved_concurrency = 50
}

module "notices" {
  source   = "../.."
  for_each = local.shares

  name                     = "prod-notices-${each.key}"
  reason                   = "A notice is shown by its newest revision: order and repeats do not show."
  consumer_timeout_seconds = 60

  consumer = {
    function            = module.consumer.function
    maximum_concurrency = each.value
  }
}
