output "tables" {
  description = "Names of the tables: `jobs`, `directory`, `idempotency`."
  value = {
    jobs        = module.jobs.table.name
    directory   = module.directory.table.name
    idempotency = module.idempotency.table.name
  }
}

output "jobs" {
  description = "By job: `queue`, `dead_letter_queue`, `functions`, `schedules`, `failure_queues`, as monthly-job hands them out."
  value = {
    for name, job in { charge = module.charge, co2 = module.co2 } : name => {
      queue                   = job.queue
      dead_letter_queue       = job.dead_letter_queue
      functions               = job.functions
      schedules               = job.schedules
      failure_queues          = job.failure_queues
    }
  }
}
