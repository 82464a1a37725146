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

module "jobs" {
  source = "../../../job-table"

  name = "prod-jobs"
}

module "directory" {
  source = "../../../job-table"

  name          = "prod-directory"
  ttl_attribute = null
}

module "charge" {
  source = "../.."

  name       = "prod-charge"
  job        = "charge"
  tables     = { jobs = module.jobs.table, directory = module.directory.table }
  schedule   = { timezone = "Asia/Tokyo" }
  dispatcher = { package = "${var.dist}/monthly_dispatcher.zip" }
  consumer   = { package = "${var.dist}/charge_consumer.zip", handler = "charge_consumer.handler.handler" }
}
