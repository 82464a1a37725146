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

module "consumer" {
  source = "../.."

  name    = "prod-charge-consumer"
  package = { path = var.package, handler = "charge_consumer.handler.handler" }
}
