output "tables" {
  description = "Names of the tables: `jobs`, `directory`."
  value = {
    jobs      = module.jobs.table.name
    directory = module.directory.table.name
  }
}

output "jobs" {
  description = "By job: `queue`, `dead_letter_queue`, `functions`, `schedules`, `failure_queues`, as monthly-job hands them out."
  value = {
    charge = {
      queue             = module.charge.queue
      dead_letter_queue = module.charge.dead_letter_queue
      functions         = module.charge.functions
      schedules         = module.charge.schedules
      failure_queues    = module.charge.failure_queues
    }
  }
}
