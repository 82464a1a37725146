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

  name            = "prod-charge-consumer"
  package         = { path = var.package, handler = "charge_consumer.handler.handler" }
  timeout_seconds = 60
  environment     = { QUEUE_URL = module.charges.queue.url }
}

module "charges" {
  source = "../.."

  name                     = "prod-charges"
  consumer_timeout_seconds = 60
  consumer                 = { function = module.consumer.function }
}
