terraform {
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.28, < 7.0"
    }
  }
}

module "alerts" {
  source = "../.."

  name        = "prod-alerts"
  environment = "prod"
  email       = { on-call = { address = "on-call@example.com" } }
}
