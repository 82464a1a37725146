output "queue" {
  description = "The job's queue: `name`, `arn`, `url`, `visibility_timeout_seconds`, `retention_seconds`."
  value       = module.queue.queue
}

output "dead_letter_queue" {
  description = "The job's dead-letter queue: `name`, `arn`, `url`, `retention_seconds`, `maximum_receive_count`."
  value       = module.queue.dead_letter_queue
}

output "functions" {
  description = "The functions, `dispatcher`, `consumer`, `auditor` and `redriver` (each of the last two null where there is none), each as python-function's `function` output."
  value = {
    dispatcher = module.dispatcher.function
    consumer   = module.consumer.function
    auditor    = one(module.auditor[*].function)
    redriver   = one(module.redriver[*].function)
  }
}

output "schedules" {
  description = "The schedules by name, as scheduler-fanout's `schedules` output."
  value       = module.schedule.schedules
}

output "failure_queues" {
  description = "Standard queues for events that never became a run: `schedule` (not handed over) and `dispatch` (handed over, failed), each with `name`, `arn`, `url`."
  value = {
    schedule = module.schedule.failure_queue
    dispatch = module.dispatch_failures.queue
  }
}

output "operator_policy_json" {
  description = "IAM policy for whoever works on the dead-letter queue: looks, moves messages back, releases groups, writes off; and, with `alarms`, declares maintenance. An archive of purged messages needs `s3:PutObject` besides."
  value       = data.aws_iam_policy_document.operator.json
}

output "alarms" {
  description = "The job's alarms as alarm-pack hands them out: `alarms`, `composites`, `maintenance_alarm`, `dashboard`; null without `alarms`."
  value = one([for pack in module.alarms : {
    alarms            = pack.alarms
    composites        = pack.composites
    maintenance_alarm = pack.maintenance_alarm
    dashboard         = pack.dashboard
  }])
}

output "monitoring" {
  description = "The `monitoring` outputs of the parts, by kind and stable key: `queues`, `functions`, `schedules`, `failure_queues`, and `job` as alarm-pack's `jobs` takes it."
  value       = local.monitoring
}
