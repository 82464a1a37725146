locals {
  # Functions publish under one dimension: the service, which is the job.
  job_targets = { for key, job in var.jobs : key => {
    sources = merge(
      { job = { namespace = job.metrics_namespace, dimensions = { service = job.name } } },
      job.queue == null ? {} : { queue = { namespace = "AWS/SQS", dimensions = { QueueName = var.queues[job.queue].queue_name } } },
    )
    limits = {}
  } }
  audited_targets  = { for key, target in local.job_targets : key => target if var.jobs[key].auditor }
  redriven_targets = { for key, target in local.job_targets : key => target if var.jobs[key].redriver }

  job_alarms = {
    job-quarantined = {
      service    = "job"
      text       = "The consumer set messages aside as it could not apply them. The dead-letter queue has them with their reasons."
      severity   = "warning"
      slows      = false
      metrics    = { count = { source = "job", name = "Quarantined", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 1
      datapoints = null
      targets    = local.job_targets
    }
    job-payload-mismatch = {
      service    = "job"
      text       = "A key that has taken effect came again with another payload. Find out which amount is right before anything is redriven."
      severity   = "critical"
      slows      = false
      metrics    = { count = { source = "job", name = "PayloadMismatch", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 1
      datapoints = null
      targets    = local.job_targets
    }
    job-unknown-outcome = {
      service    = "job"
      text       = "The outside API did not say whether an effect happened. Ask it for the key before anyone repeats it."
      severity   = "critical"
      slows      = false
      metrics    = { count = { source = "job", name = "UnknownOutcome", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 1
      datapoints = null
      targets    = { for key, target in local.job_targets : key => target if var.jobs[key].outside_effects }
    }
    job-run-missing = {
      service    = "job"
      text       = "The audit found no run for the period: the job has not started this month. Look at the schedule and its failure queue, then start it by hand."
      severity   = "critical"
      slows      = false
      metrics    = { count = { source = "job", name = "RunMissing", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 300
      periods    = 12
      datapoints = 1
      targets    = local.audited_targets
    }
    job-run-incomplete = {
      service    = "job"
      text       = "The audit found effects that have not happened. Its log has the count; audit again with redispatch, which sends what is missing."
      severity   = "critical"
      slows      = false
      metrics    = { count = { source = "job", name = "RunMissingItems", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 300
      periods    = 12
      datapoints = 1
      targets    = local.audited_targets
    }
    job-run-late = {
      service    = "job"
      text       = "The audit found the run still dispatching, hours after it began. See whether the dispatcher goes on or has stopped."
      severity   = "warning"
      slows      = true
      metrics    = { count = { source = "job", name = "RunLate", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 300
      periods    = 12
      datapoints = 1
      targets    = local.audited_targets
    }
    job-dispatch-failed = {
      service    = "job"
      text       = "SQS did not take messages of the run, so that employees are left out. Fire the schedule again for the same period; what was sent is not sent twice."
      severity   = "critical"
      slows      = false
      metrics    = { count = { source = "job", name = "DispatchFailed", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 1
      datapoints = null
      targets    = local.job_targets
    }
    job-dispatch-skipped = {
      service    = "job"
      text       = "Employees were left out of the run since their rows make no message. The dispatcher's log has keys and reasons; mend the rows, then fire again."
      severity   = "warning"
      slows      = false
      metrics    = { count = { source = "job", name = "DispatchSkipped", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 1
      datapoints = null
      targets    = local.job_targets
    }
    job-duplicate-run = {
      service    = "job"
      text       = "The run of the period was fired again. Harmless: keys are the same, and nothing happens twice."
      severity   = "info"
      slows      = false
      metrics    = { count = { source = "job", name = "DuplicateRun", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 1
      datapoints = null
      targets    = local.job_targets
    }
    job-retry-rate = {
      service  = "job"
      text     = "Many of the messages received are put back to be tried again. Something that the consumer calls is slow, throttled or down."
      severity = "warning"
      slows    = true
      metrics = {
        retried  = { source = "job", name = "Retried", stat = "Sum" }
        received = { source = "queue", name = "NumberOfMessagesReceived", stat = "Sum" }
      }
      expression = "IF(FILL(retried, 0) >= 10 AND received > 0, 100 * FILL(retried, 0) / received, 0)"
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 10
      share      = null
      limit      = null
      period     = 300
      periods    = 3
      datapoints = null
      targets    = { for key, target in local.job_targets : key => target if var.jobs[key].queue != null }
    }
    job-redrive-cap-reached = {
      service    = "job"
      text       = "Messages failed again after as many automatic redrives as they may have. They wait for a person in the dead-letter queue."
      severity   = "warning"
      slows      = false
      metrics    = { count = { source = "job", name = "RedriveCapReached", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 1
      datapoints = null
      targets    = local.redriven_targets
    }
    job-redrive-failed = {
      service    = "job"
      text       = "The automatic redrive could not put messages back. They are still in the dead-letter queue; the redriver's log has the reason."
      severity   = "warning"
      slows      = false
      metrics    = { count = { source = "job", name = "RedriveFailed", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 1
      datapoints = null
      targets    = local.redriven_targets
    }
  }
}
