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
  description = "Path of the dispatcher's zip."
  type        = string
}

module "dispatcher" {
  source = "../../../python-function"

  name    = "prod-charge-dispatcher"
  package = { path = var.package, handler = "monthly_dispatcher.handler.handler" }
}

module "schedule" {
  source = "../.."

  name = "prod-charge"

  schedules = {
    dispatch = {
      function_arn = module.dispatcher.function.arn
      expression   = "cron(0 3 1 * ? *)"
      timezone     = "Asia/Tokyo"
      input        = { job = "charge" }
    }
  }
}
