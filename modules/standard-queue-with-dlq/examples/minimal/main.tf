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
  description = "Path of the consumer's zip."
  type        = string
}

module "consumer" {
  source = "../../../python-function"

  name            = "prod-notice-consumer"
  package         = { path = var.package, handler = "notice_consumer.handler.handler" }
  timeout_seconds = 60
  environment     = { QUEUE_URL = module.notices.queue.url }
}

module "notices" {
  source = "../.."

  name                     = "prod-notices"
  reason                   = "A notice is shown by its newest revision: order and repeats do not show."
  consumer_timeout_seconds = 60
  consumer                 = { function = module.consumer.function }
}
