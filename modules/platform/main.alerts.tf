locals {
  # Facts of their own: a dead letter that lies for days, and keeps the composite on, must not hide them.
  outspoken = { for id in ["dlq-retention-risk", "job-run-incomplete", "job-run-missing", "queue-retention-risk"] : id => { notify = true } }

  # Two copies of the notifier that have news of one incident take turns: the one that waits is no failure.
  patient = var.alerts.slack == null ? {} : { "mapping-failed-invokes/notifier" = { threshold = 50 } }

  # One map to write, told apart by the slash: a setting for an alarm wherever it is, or on one resource.
  alarms = merge(
    { for job, settings in var.jobs : job => merge(local.outspoken, settings.alarms) },
    { platform = merge(local.outspoken, local.patient, var.alerts.alarms) },
  )
  settings = { for pack, alarms in local.alarms : pack => {
    alarms    = { for key, setting in alarms : key => setting if !strcontains(key, "/") }
    resources = { for key, setting in alarms : key => setting if strcontains(key, "/") }
  } }

  log_groups = merge([for name, job in module.job : {
    for key, function in job.monitoring.functions : "${name}-${key}" => function.log_group_name
  }]...)
}

module "alerts" {
  source = "../alert-channel"

  name        = "${var.name}-alerts"
  environment = var.name
  email       = var.alerts.email
  https       = var.alerts.https
  log_groups  = { for key, name in local.log_groups : key => name if var.alerts.slack != null }

  slack = one([for slack in [var.alerts.slack] : merge(slack, {
    package = "${var.dist}/alarm_notifier.zip"
  }) if slack != null])

  log_retention_days       = var.log_retention_days
  key_access               = var.key_access
  permissions_boundary_arn = var.permissions_boundary_arn
}

# What the jobs share, and the channel itself: should it fall silent, its other subscribers are told.
module "alarms" {
  source = "../alarm-pack"

  name        = "${var.name}-platform"
  service     = "platform"
  topics      = module.alerts.topics
  runbook_url = var.alerts.runbook_url
  settings    = local.settings["platform"]
  account     = true

  tables         = merge({ for key, table in module.table : key => table.monitoring }, module.alerts.monitoring.tables)
  queues         = module.alerts.monitoring.queues
  functions      = module.alerts.monitoring.functions
  failure_queues = module.alerts.monitoring.failure_queues
  topics_watched = module.alerts.monitoring.topics
}
