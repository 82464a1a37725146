locals {
  # What a job is; what it is set to comes from var.jobs.
  consumers = {
    charge = { package = "charge_consumer", done_metric = "Charged" }
    co2    = { package = "co2_consumer", done_metric = "Aggregated" }
  }

  tables = {
    jobs        = { partition_key = "pk", sort_key = "sk", ttl_attribute = "ttl" }
    directory   = { partition_key = "pk", sort_key = "sk", ttl_attribute = null }
    idempotency = { partition_key = "id", sort_key = null, ttl_attribute = "expiration" } # Powertools' layout.
  }
}

locals {
  # Nothing is put back while one of them is on. By alarm-pack's names: an alarm watches the redriver too, and
  # would otherwise have to exist before it.
  consumer_alarms = { for job in keys(local.consumers) : job => toset([
    "${var.name}-${job}-consumer-function-error-rate",
    "${var.name}-${job}-consumer-function-errors",
    "${var.name}-${job}-consumer-function-throttles",
    "${var.name}-${job}-main-queue-stalled",
  ]) }
}

module "table" {
  source   = "../job-table"
  for_each = local.tables

  name                = "${var.name}-${each.key}"
  partition_key       = each.value.partition_key
  sort_key            = each.value.sort_key
  ttl_attribute       = each.value.ttl_attribute
  recovery_days       = var.tables.point_in_time_recovery ? 35 : null
  deletion_protection = var.tables.deletion_protection
  kms_key_arn         = var.kms_key_arn
}

module "job" {
  source   = "../monthly-job"
  for_each = local.consumers

  name = "${var.name}-${each.key}"
  job  = each.key

  tables = {
    jobs        = module.table["jobs"].table
    directory   = module.table["directory"].table
    idempotency = each.key == "co2" ? module.table["idempotency"].table : null
  }

  schedule = {
    expression = var.jobs[each.key].expression
    timezone   = var.timezone
    enabled    = var.jobs[each.key].enabled
  }

  dispatcher = {
    package         = "${var.dist}/monthly_dispatcher.zip"
    timeout_seconds = var.jobs[each.key].dispatch_timeout_seconds
    group_scope     = var.jobs[each.key].group_scope
  }

  consumer = {
    package             = "${var.dist}/${each.value.package}.zip"
    handler             = "${each.value.package}.handler.handler"
    done_metric         = each.value.done_metric
    timeout_seconds     = var.jobs[each.key].consumer_timeout_seconds
    maximum_concurrency = var.jobs[each.key].maximum_concurrency
    on_quarantine       = var.jobs[each.key].on_quarantine
    payment_endpoint    = var.jobs[each.key].payment_endpoint
  }

  auditor = {
    package         = "${var.dist}/run_auditor.zip"
    timeout_seconds = var.jobs[each.key].dispatch_timeout_seconds
    expression      = var.jobs[each.key].audit_expression
    enabled         = var.jobs[each.key].audit_enabled
  }

  redriver = one([for redriver in [var.jobs[each.key].redriver] : merge(redriver, {
    package     = "${var.dist}/dlq_redriver.zip"
    alarm_names = local.consumer_alarms[each.key]
  }) if redriver != null])

  queue = { high_throughput = var.jobs[each.key].high_throughput, vpc_endpoint_ids = var.jobs[each.key].vpc_endpoint_ids }
  alarms = {
    topics      = module.alerts.topics
    runbook_url = var.alerts.runbook_url
    settings    = local.settings[each.key]
  }

  observability            = { log_retention_days = var.log_retention_days }
  kms_key_arn              = var.kms_key_arn
  permissions_boundary_arn = var.permissions_boundary_arn
}
