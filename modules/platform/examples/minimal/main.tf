terraform {
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.28, < 7.0"
    }
  }
}

variable "dist" {
  description = "Folder with the functions' zips."
  type        = string
}

module "platform" {
  source = "../.."

  name     = "fanout-dev"
  dist     = var.dist
  timezone = "Asia/Tokyo"
  jobs     = { charge = {}, co2 = {} }

  alerts = {
    runbook_url = "https://git.example.com/platform/fanout-once/blob/main/docs/runbook.md"
    email       = { on-call = { address = "on-call@example.com" } }
  }
}
