output "tables" {
  description = "Names of the tables: `jobs`, `directory`, `idempotency`."
  value       = module.platform.tables
}

output "jobs" {
  description = "By job: `queue`, `dead_letter_queue`, `functions`, `schedules`, `failure_queues`, as monthly-job hands them out."
  value       = module.platform.jobs
}

output "alarms" {
  description = "Alarms, composites and dashboards as alarm-pack hands them out: of each job, and of what they share (`platform`)."
  value       = module.platform.alerts.alarms
}
