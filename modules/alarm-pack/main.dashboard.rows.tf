locals {
  run_rows = flatten([for key, job in var.jobs : [
    {
      shown  = true
      height = 4
      widgets = [{ type = "metric", width = 24, properties = {
        title                = "${job.name}: the run, in messages"
        view                 = "singleValue"
        stat                 = "Sum"
        period               = 60
        setPeriodToTimeRange = true
        sparkline            = false
        metrics = concat(
          [
            [{ expression = "FILL(sent, 0) + FILL(skipped, 0) + FILL(failed, 0)", id = "expected", label = "expected", color = local.colours.neutral }],
            [job.metrics_namespace, "Dispatched", "service", job.name, { id = "sent", label = "dispatched", color = local.colours.sent }],
            [job.metrics_namespace, "DispatchSkipped", "service", job.name, { id = "skipped", label = "skipped", color = local.colours.retried }],
            [job.metrics_namespace, "DispatchFailed", "service", job.name, { id = "failed", label = "not taken by SQS", color = local.colours.failed }],
          ],
          [for metric in job.done_metric[*] : [job.metrics_namespace, metric, "service", job.name, { id = "done", label = lower(metric), color = local.colours.done }]],
          [
            [job.metrics_namespace, "Quarantined", "service", job.name, { id = "quarantined", label = "quarantined", color = local.colours.failed }],
            [job.metrics_namespace, "RunMissingItems", "service", job.name, { id = "missing", label = "missing at the audit", color = local.colours.failed }],
          ],
        )
      } }]
    },
    {
      shown  = true
      height = 6
      widgets = [
        { type = "metric", width = 12, properties = {
          title  = "${job.name}: dispatched, and done, a minute"
          view   = "timeSeries"
          stat   = "Sum"
          period = 60
          yAxis  = { left = { min = 0, label = "messages", showUnits = false } }
          metrics = concat(
            [[job.metrics_namespace, "Dispatched", "service", job.name, { label = "dispatched", color = local.colours.sent }]],
            [for metric in job.done_metric[*] : [job.metrics_namespace, metric, "service", job.name, { label = lower(metric), color = local.colours.done }]],
          )
        } },
        { type = "metric", width = 12, properties = {
          title   = "${job.name}: what did not go straight, a minute"
          view    = "timeSeries"
          stat    = "Sum"
          period  = 60
          stacked = true
          yAxis   = { left = { min = 0, label = "messages", showUnits = false } }
          metrics = [
            [job.metrics_namespace, "Quarantined", "service", job.name, { label = "quarantined", color = local.colours.failed }],
            [job.metrics_namespace, "UnknownOutcome", "service", job.name, { label = "outcome unknown", color = "#8c564b" }],
            [job.metrics_namespace, "Retried", "service", job.name, { label = "retried", color = local.colours.retried }],
            [job.metrics_namespace, "Duplicate", "service", job.name, { label = "duplicates", color = local.colours.neutral }],
          ]
        } },
      ]
    },
  ]])

  queue_row = {
    shown  = length(var.queues) > 0
    height = 6
    widgets = [
      { type = "metric", width = 12, properties = {
        title  = "Queue: waiting, and in hand"
        view   = "timeSeries"
        stat   = "Maximum"
        period = 60
        yAxis  = { left = { min = 0, label = "messages", showUnits = false } }
        metrics = flatten([for key, queue in var.queues : [for shown in [
          { metrics = ["AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName", queue.queue_name, { label = "${key}: waiting", color = local.colours.waiting }] },
          { metrics = ["AWS/SQS", "ApproximateNumberOfMessagesNotVisible", "QueueName", queue.queue_name, { label = "${key}: in hand", color = local.colours.sent }] },
        ] : shown]])[*].metrics
      } },
      { type = "metric", width = 12, properties = {
        title       = "Queue: age of the oldest message"
        view        = "timeSeries"
        stat        = "Maximum"
        period      = 60
        yAxis       = { left = { min = 0, label = "seconds", showUnits = false } }
        metrics     = [for key, queue in var.queues : ["AWS/SQS", "ApproximateAgeOfOldestMessage", "QueueName", queue.queue_name, { label = "${key}: oldest", color = local.colours.waiting }]]
        annotations = { horizontal = [for value in local.rings_at["queue-oldest-message-age"] : { label = "queue-oldest-message-age", value = value, color = local.colours.retried }] }
      } },
    ]
  }

  dead_letter_row = {
    shown  = length(var.queues) + length(var.failure_queues) > 0
    height = 6
    widgets = [
      { type = "metric", width = 12, properties = {
        title  = "Dead letters, and failed events"
        view   = "timeSeries"
        stat   = "Maximum"
        period = 60
        yAxis  = { left = { min = 0, label = "messages", showUnits = false } }
        metrics = concat(
          [for key, queue in var.queues : ["AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName", queue.dead_letter_queue_name, { label = "${key}: dead letters", color = local.colours.failed }]],
          [for key, queue in var.failure_queues : ["AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName", queue.queue_name, { label = "${key}: failed events" }]],
        )
        annotations = { horizontal = [for value in local.rings_at["dlq-visible"] : { label = "dlq-visible", value = value, color = local.colours.failed }] }
      } },
      { type = "metric", width = 12, properties = {
        title  = "Queue: sent, and finished, a minute"
        view   = "timeSeries"
        stat   = "Sum"
        period = 60
        yAxis  = { left = { min = 0, label = "messages", showUnits = false } }
        metrics = concat(
          [for key, queue in var.queues : ["AWS/SQS", "NumberOfMessagesSent", "QueueName", queue.queue_name, { label = "${key}: sent", color = local.colours.sent }]],
          [for key, queue in var.queues : ["AWS/SQS", "NumberOfMessagesDeleted", "QueueName", queue.queue_name, { label = "${key}: finished", color = local.colours.done }]],
        )
      } },
    ]
  }

  function_row = {
    shown  = length(var.functions) > 0
    height = 6
    widgets = [
      { type = "metric", width = 12, properties = {
        title   = "Functions: invocations a minute"
        view    = "timeSeries"
        stat    = "Sum"
        period  = 60
        yAxis   = { left = { min = 0, label = "invocations", showUnits = false } }
        metrics = [for key, function in var.functions : ["AWS/Lambda", "Invocations", "FunctionName", function.function_name, { label = key }]]
      } },
      { type = "metric", width = 12, properties = {
        title  = "Functions: errors and throttles a minute"
        view   = "timeSeries"
        stat   = "Sum"
        period = 60
        yAxis  = { left = { min = 0, label = "invocations", showUnits = false } }
        metrics = concat(
          [for key, function in var.functions : ["AWS/Lambda", "Errors", "FunctionName", function.function_name, { label = "${key}: errors" }]],
          [for key, function in var.functions : ["AWS/Lambda", "Throttles", "FunctionName", function.function_name, { label = "${key}: throttles" }]],
        )
      } },
    ]
  }

  function_limit_row = {
    shown  = length(var.functions) > 0
    height = 6
    widgets = [
      { type = "metric", width = 12, properties = {
        title  = "Functions: slowest invocations (p99), % of the timeout"
        view   = "timeSeries"
        stat   = "p99"
        period = 60
        yAxis  = { left = { min = 0, max = 100, label = "%", showUnits = false } }
        metrics = concat(
          [for key, function in var.functions : [{ expression = "100 * d${index(keys(var.functions), key)} / ${function.timeout_seconds * 1000}", id = "p${index(keys(var.functions), key)}", label = key }]],
          [for key, function in var.functions : ["AWS/Lambda", "Duration", "FunctionName", function.function_name, { id = "d${index(keys(var.functions), key)}", visible = false }]],
        )
        annotations = { horizontal = [for share in distinct([for alarm in values(local.alarms) : alarm.share if alarm.id == "function-duration" && alarm.share != null]) : { label = "function-duration", value = share * 100, color = local.colours.retried }] }
      } },
      { type = "metric", width = 12, properties = {
        title       = "Functions: invocations at once"
        view        = "timeSeries"
        stat        = "Maximum"
        period      = 60
        yAxis       = { left = { min = 0, label = "invocations", showUnits = false } }
        metrics     = [for key, function in var.functions : ["AWS/Lambda", "ConcurrentExecutions", "FunctionName", function.function_name, { label = key }]]
        annotations = { horizontal = [for value in local.rings_at["function-concurrency"] : { label = "function-concurrency", value = value, color = local.colours.retried }] }
      } },
    ]
  }

  table_row = {
    shown  = length(local.shown_tables) > 0
    height = 6
    widgets = [
      { type = "metric", width = 12, properties = {
        title  = "Tables: capacity units a minute"
        view   = "timeSeries"
        stat   = "Sum"
        period = 60
        yAxis  = { left = { min = 0, label = "units", showUnits = false } }
        metrics = concat(
          [for key, table in local.shown_tables : ["AWS/DynamoDB", "ConsumedWriteCapacityUnits", "TableName", table.table_name, { label = "${key}: written" }]],
          [for key, table in local.shown_tables : ["AWS/DynamoDB", "ConsumedReadCapacityUnits", "TableName", table.table_name, { label = "${key}: read" }]],
        )
      } },
      { type = "metric", width = 12, properties = {
        title  = "Tables: refused requests, and transactions that met another, a minute"
        view   = "timeSeries"
        stat   = "Sum"
        period = 60
        yAxis  = { left = { min = 0, label = "requests", showUnits = false } }
        metrics = concat(
          [for key, table in local.shown_tables : [{ expression = join(" + ", [for number in range(length(local.table_operations)) : "FILL(t${index(keys(local.shown_tables), key)}_${number}, 0)"]), id = "t${index(keys(local.shown_tables), key)}", label = "${key}: throttled" }]],
          flatten([for key, table in local.shown_tables : [for number, operation in local.table_operations : {
            metrics = ["AWS/DynamoDB", "ThrottledRequests", "TableName", table.table_name, "Operation", operation, { id = "t${index(keys(local.shown_tables), key)}_${number}", visible = false }]
          }]])[*].metrics,
          [for key, table in local.shown_tables : ["AWS/DynamoDB", "TransactionConflict", "TableName", table.table_name, { label = "${key}: conflicts" }]],
        )
      } },
    ]
  }

  schedule_row = {
    shown  = length(var.schedules) > 0
    height = 6
    widgets = [
      { type = "metric", width = 24, properties = {
        title  = "Schedules: invocations, and what went wrong"
        view   = "timeSeries"
        stat   = "Sum"
        period = 60
        yAxis  = { left = { min = 0, label = "invocations", showUnits = false } }
        metrics = flatten([for key, schedule in var.schedules : [for metric, told in {
          InvocationAttemptCount           = { label = "tried", color = local.colours.sent }
          TargetErrorCount                 = { label = "failed", color = local.colours.retried }
          InvocationDroppedCount           = { label = "given up", color = local.colours.failed }
          InvocationsSentToDeadLetterCount = { label = "to the failure queue", color = "#8c564b" }
        } : { metrics = ["AWS/Scheduler", metric, "ScheduleGroup", schedule.schedule_group_name, { label = "${key}: ${told.label}", color = told.color }] }]])[*].metrics
      } },
    ]
  }
}
