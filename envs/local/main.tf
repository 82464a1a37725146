locals {
  name     = "fanout-local"
  timezone = "Asia/Tokyo"

  # A table here holds test data and goes with the run.
  throwaway = { recovery_days = null, deletion_protection = false }

  dispatcher = {
    package         = "${var.dist}/monthly_dispatcher.zip"
    timeout_seconds = 60
  }

  auditor = {
    package         = "${var.dist}/run_auditor.zip"
    timeout_seconds = 60
  }

  # Short, so that a killed consumer's messages come back while one watches.
  consumer = { timeout_seconds = 5 }

  observability = { log_retention_days = 1 }
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

module "idempotency" {
  source = "../../modules/job-table"

  name                = "${local.name}-idempotency"
  partition_key       = "id"
  sort_key            = null
  ttl_attribute       = "expiration"
  recovery_days       = local.throwaway.recovery_days
  deletion_protection = local.throwaway.deletion_protection
}

module "charge" {
  source = "../../modules/monthly-job"

  name          = "${local.name}-charge"
  job           = "charge"
  tables        = { jobs = module.jobs.table, directory = module.directory.table }
  schedule      = { expression = var.schedule_expression, timezone = local.timezone }
  dispatcher    = local.dispatcher
  auditor       = local.auditor
  observability = local.observability

  consumer = merge(local.consumer, {
    package          = "${var.dist}/charge_consumer.zip"
    handler          = "charge_consumer.handler.handler"
    payment_endpoint = var.payment_endpoint
  })
}

module "co2" {
  source = "../../modules/monthly-job"

  name          = "${local.name}-co2"
  job           = "co2"
  tables        = { jobs = module.jobs.table, directory = module.directory.table, idempotency = module.idempotency.table }
  schedule      = { expression = var.schedule_expression, timezone = local.timezone }
  dispatcher    = local.dispatcher
  auditor       = local.auditor
  observability = local.observability

  consumer = merge(local.consumer, {
    package       = "${var.dist}/co2_consumer.zip"
    handler       = "co2_consumer.handler.handler"
    on_quarantine = "halt-group"
  })
}
