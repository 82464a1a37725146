locals {
  schedule_targets = { for key, schedule in var.schedules : key => {
    sources = { group = { namespace = "AWS/Scheduler", dimensions = { ScheduleGroup = schedule.schedule_group_name } } }
    limits  = {}
  } }

  schedule_alarms = {
    schedule-target-errors = {
      service    = "schedule"
      text       = "The schedule could not invoke its function. It tries again; see the role's permission and whether the function is there."
      severity   = "warning"
      slows      = false
      metrics    = { count = { source = "group", name = "TargetErrorCount", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 1
      datapoints = null
      targets    = local.schedule_targets
    }
    schedule-target-throttled = {
      service    = "schedule"
      text       = "Lambda throttled the schedule's call. It tries again; see the account's concurrency if it lasts."
      severity   = "warning"
      slows      = false
      metrics    = { count = { source = "group", name = "TargetErrorThrottledCount", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 1
      datapoints = null
      targets    = local.schedule_targets
    }
    schedule-throttled = {
      service    = "schedule"
      text       = "Too many schedules of this account fire at once, and Scheduler delays them. Spread them with flexible windows."
      severity   = "warning"
      slows      = false
      metrics    = { count = { source = "group", name = "InvocationThrottleCount", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 1
      datapoints = null
      targets    = local.schedule_targets
    }
    schedule-dropped = {
      service    = "schedule"
      text       = "Scheduler gave up an invocation: the run has not started. The schedule's failure queue has the event; start the run by hand."
      severity   = "critical"
      slows      = false
      metrics    = { count = { source = "group", name = "InvocationDroppedCount", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 1
      datapoints = null
      targets    = local.schedule_targets
    }
    schedule-dead-letters = {
      service    = "schedule"
      text       = "Scheduler put an invocation into its failure queue: the run has not started. Read the reason there, and start the run by hand."
      severity   = "critical"
      slows      = false
      metrics    = { count = { source = "group", name = "InvocationsSentToDeadLetterCount", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 1
      datapoints = null
      targets    = local.schedule_targets
    }
    schedule-dead-letters-failed = {
      service    = "schedule"
      text       = "Scheduler could not even put an invocation into its failure queue. The run has not started, and nothing else will say so; see the role and the queue's key."
      severity   = "critical"
      slows      = false
      metrics    = { count = { source = "group", name = "InvocationsFailedToBeSentToDeadLetterCount", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 1
      datapoints = null
      targets    = local.schedule_targets
    }
  }
}
