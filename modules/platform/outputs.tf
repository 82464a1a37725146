output "tables" {
  description = "Names of the tables: `jobs`, `directory`, `idempotency`."
  value       = { for key, table in module.table : key => table.table.name }
}

output "jobs" {
  description = "By job: `queue`, `dead_letter_queue`, `functions`, `schedules`, `failure_queues`, `operator_policy_json`, as monthly-job hands them out."
  value = { for name, job in module.job : name => {
    queue             = job.queue
    dead_letter_queue = job.dead_letter_queue
    functions         = job.functions
    schedules         = job.schedules
    failure_queues    = job.failure_queues

    operator_policy_json = job.operator_policy_json
  } }
}

output "monitoring" {
  description = "What alarms need: `tables` by key, and `jobs` by name, each as monthly-job's `monitoring`."
  value = {
    tables = { for key, table in module.table : key => table.monitoring }
    jobs   = { for name, job in module.job : name => job.monitoring }
  }
}

output "alerts" {
  description = "Topics by severity (`topics`), the `notifier` to Slack as alert-channel hands it out (null without), and the `alarms` as alarm-pack hands them out: of each job, and of what they share (`platform`)."
  value = {
    topics   = module.alerts.topics
    notifier = module.alerts.notifier
    alarms = merge(
      { for name, job in module.job : name => job.alarms },
      { platform = { alarms = module.alarms.alarms, composites = module.alarms.composites, maintenance_alarm = module.alarms.maintenance_alarm, dashboard = module.alarms.dashboard } },
    )
  }
}
