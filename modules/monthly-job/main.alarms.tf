locals {
  monitoring = {
    job = {
      name              = var.job
      metrics_namespace = var.observability.metrics_namespace
      queue             = "main"
      auditor           = var.auditor != null
      redriver          = var.redriver != null
      outside_effects   = var.consumer.payment_endpoint != null
      done_metric       = var.consumer.done_metric
    }
    queues = { main = module.queue.monitoring }
    functions = merge(
      { dispatcher = module.dispatcher.monitoring, consumer = module.consumer.monitoring },
      var.auditor == null ? {} : { auditor = one(module.auditor[*].monitoring) },
      var.redriver == null ? {} : { redriver = one(module.redriver[*].monitoring) },
    )
    schedules      = { main = module.schedule.monitoring }
    failure_queues = { dispatch = module.dispatch_failures.monitoring, schedule = module.schedule.monitoring.failure_queue }
  }
}

module "alarms" {
  source = "../alarm-pack"
  count  = var.alarms == null ? 0 : 1

  name              = var.name
  service           = var.job
  topics            = var.alarms.topics
  runbook_url       = var.alarms.runbook_url
  settings          = var.alarms.settings
  metrics_namespace = var.observability.metrics_namespace
  tags              = var.tags

  queues         = local.monitoring.queues
  failure_queues = local.monitoring.failure_queues
  functions      = local.monitoring.functions
  schedules      = local.monitoring.schedules
  jobs           = { main = local.monitoring.job }

  # Jobs share the tables: whoever makes them watches them.
  dashboard = { tables = merge(
    { jobs = { table_name = var.tables.jobs.name }, directory = { table_name = var.tables.directory.name } },
    var.tables.idempotency == null ? {} : { idempotency = { table_name = var.tables.idempotency.name } },
  ) }
}
