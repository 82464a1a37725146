output "tables" {
  description = "Names of the tables: `jobs`, `directory`, `idempotency`."
  value       = module.platform.tables
}

output "jobs" {
  description = "By job: `queue`, `dead_letter_queue`, `functions`, `schedules`, `failure_queues`, as monthly-job hands them out."
  value       = module.platform.jobs
}

output "alerts" {
  description = "Topics, notifier and alarms, as platform hands them out."
  value       = module.platform.alerts
}
