locals {
  name     = "fanout-local"
  timezone = "Asia/Tokyo"

  # A table here holds test data and goes with the run.
  throwaway = { recovery_days = null, deletion_protection = false }
}

module "jobs" {
  source = "../../modules/job-table"

  name                = "${local.name}-jobs"
  recovery_days       = local.throwaway.recovery_days
  deletion_protection = local.throwaway.deletion_protection
}

module "directory" {
  source = "../../modules/job-table"

  name                = "${local.name}-directory"
  ttl_attribute       = null
  recovery_days       = local.throwaway.recovery_days
  deletion_protection = local.throwaway.deletion_protection
}

module "charge" {
  source = "../../modules/monthly-job"

  name     = "${local.name}-charge"
  job      = "charge"
  tables   = { jobs = module.jobs.table, directory = module.directory.table }
  schedule = { expression = var.schedule_expression, timezone = local.timezone }

  dispatcher = {
    package         = "${var.dist}/monthly_dispatcher.zip"
    timeout_seconds = 60
  }

  # Short, so that a killed consumer's messages come back while one watches.
  consumer = {
    package         = "${var.dist}/charge_consumer.zip"
    handler         = "charge_consumer.handler.handler"
    timeout_seconds = 5
  }

  observability = { log_retention_days = 1 }
}
