output "jobs" {
  description = "By job: queues, functions and schedules, as platform hands them out."
  value       = module.platform.jobs
}

output "tables" {
  description = "Names of the tables."
  value       = module.platform.tables
}
