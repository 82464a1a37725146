mock_provider "aws" {
  source = "../testing"
}

variables {
  name        = "prod-charge"
  service     = "charge"
  runbook_url = "https://git.example.com/runbook.md"
  topics = {
    critical = "arn:aws:sns:ap-northeast-1:111122223333:critical"
    warning  = "arn:aws:sns:ap-northeast-1:111122223333:warning"
    info     = "arn:aws:sns:ap-northeast-1:111122223333:info"
  }
  queues = {
    main = {
      queue_name                    = "prod-charge.fifo"
      dead_letter_queue_name        = "prod-charge-dlq.fifo"
      retention_seconds             = 345600
      dead_letter_retention_seconds = 1209600
      maximum_message_bytes         = 1048576
      fifo                          = true
      mapping                       = { uuid = "0a1b2c3d" }
    }
  }
  failure_queues = { dispatch = { queue_name = "prod-charge-dispatch-failures", retention_seconds = 1209600 } }
  functions = {
    consumer = { function_name = "prod-charge-consumer", timeout_seconds = 60, reserved_concurrency = 10 }
    auditor  = { function_name = "prod-charge-auditor", timeout_seconds = 900, asynchronous = true }
  }
  tables         = { jobs = { table_name = "prod-jobs" } }
  schedules      = { main = { schedule_group_name = "prod-charge" } }
  topics_watched = { critical = { topic_name = "prod-alerts-critical" } }
  jobs           = { main = { name = "charge", metrics_namespace = "Billing", queue = "main", redriver = true, done_metric = "Charged" } }
  account        = true
}

run "every_id_of_the_catalogue_has_an_alarm" {
  command = plan

  assert {
    condition     = length(output.ids) == 49 && toset(output.ids) == toset([for alarm in values(output.alarms) : alarm.id])
    error_message = "${join(", ", setsubtract(output.ids, [for alarm in values(output.alarms) : alarm.id]))} watch nothing here."
  }
}

run "what_cannot_ring_is_not_made" {
  command = plan

  variables {
    queues = {
      main = {
        queue_name                    = "prod-mail"
        dead_letter_queue_name        = "prod-mail-dlq"
        retention_seconds             = 345600
        dead_letter_retention_seconds = 1209600
        maximum_message_bytes         = 1048576
        fifo                          = false
      }
    }
    functions = {
      read    = { function_name = "prod-mail-consumer", timeout_seconds = 60 }
      chained = { function_name = "prod-mail-dispatcher", timeout_seconds = 900, asynchronous = true, invokes_itself = true }
    }
    jobs = { main = { name = "mail", metrics_namespace = "FanoutOnce", auditor = false, outside_effects = false } }
  }

  assert {
    condition = length(setintersection(keys(output.alarms), [
      "mapping-stalled/main", "mapping-failed-invokes/main", "mapping-filtered/main", "queue-duplicate-sends/main",
      "function-concurrency/read", "function-async-dropped/read", "function-async-age/read", "function-duration/chained", "function-error-rate/chained",
      "job-run-missing/main", "job-run-late/main", "job-run-incomplete/main", "job-unknown-outcome/main",
      "job-redrive-failed/main", "job-redrive-cap-reached/main", "job-retry-rate/main",
    ])) == 0
    error_message = "Made: ${join(", ", keys(output.alarms))}."
  }

  assert {
    condition     = length(setsubtract(["function-duration/read", "function-async-dropped/chained", "queue-stalled/main", "job-quarantined/main"], keys(output.alarms))) == 0
    error_message = "Made: ${join(", ", keys(output.alarms))}."
  }
}

run "a_dead_letter_rings_at_once" {
  command = plan

  assert {
    condition = (
      aws_cloudwatch_metric_alarm.this["dlq-visible/main"].namespace == "AWS/SQS"
      && aws_cloudwatch_metric_alarm.this["dlq-visible/main"].metric_name == "ApproximateNumberOfMessagesVisible"
      && aws_cloudwatch_metric_alarm.this["dlq-visible/main"].dimensions == tomap({ QueueName = "prod-charge-dlq.fifo" })
      && aws_cloudwatch_metric_alarm.this["dlq-visible/main"].statistic == "Maximum"
      && aws_cloudwatch_metric_alarm.this["dlq-visible/main"].comparison_operator == "GreaterThanOrEqualToThreshold"
      && aws_cloudwatch_metric_alarm.this["dlq-visible/main"].threshold == 1
      && aws_cloudwatch_metric_alarm.this["dlq-visible/main"].datapoints_to_alarm == 1
    )
    error_message = "Messages that SQS moves are not counted as sent; what lies there is."
  }
}

run "shares_are_taken_of_limits" {
  command = plan

  assert {
    condition = (
      aws_cloudwatch_metric_alarm.this["queue-retention-risk/main"].threshold == 172800
      && aws_cloudwatch_metric_alarm.this["queue-in-flight/main"].threshold == 96000
      && aws_cloudwatch_metric_alarm.this["dlq-retention-risk/main"].threshold == 967680
      && aws_cloudwatch_metric_alarm.this["function-duration/consumer"].threshold == 48000
      && aws_cloudwatch_metric_alarm.this["function-concurrency/consumer"].threshold == 9
    )
    error_message = "Half the retention, 80 % of 120,000, of 14 days and of 60 s in milliseconds, 90 % of 10."
  }
}

run "a_dead_letter_of_a_standard_queue_may_have_aged_before" {
  command = plan

  variables {
    queues = {
      main = {
        queue_name                    = "prod-mail"
        dead_letter_queue_name        = "prod-mail-dlq"
        retention_seconds             = 345600
        dead_letter_retention_seconds = 1209600
        maximum_message_bytes         = 1048576
        fifo                          = false
      }
    }
  }

  assert {
    condition     = aws_cloudwatch_metric_alarm.this["dlq-retention-risk/main"].threshold == 691200
    error_message = "80 % of the ten days that are left to one that was moved after four."
  }
}

run "what_a_mapping_limits_has_no_alarm_on_its_concurrency" {
  command = plan

  variables {
    queues = { main = merge(var.queues.main, { mapping = { uuid = "0a1b2c3d", function_name = "prod-charge-consumer", maximum_concurrency = 10 } }) }
  }

  assert {
    condition     = !contains(keys(output.alarms), "function-concurrency/consumer") && contains(keys(output.alarms), "function-throttles/consumer")
    error_message = "At its limit by design, or never near it."
  }
}

run "pollers_of_their_own_leave_the_limit_to_the_function" {
  command = plan

  variables {
    queues = { main = merge(var.queues.main, { mapping = { uuid = "0a1b2c3d", function_name = "prod-charge-consumer" } }) }
  }

  assert {
    condition     = contains(keys(output.alarms), "function-concurrency/consumer")
    error_message = "Provisioned pollers exclude a maximum concurrency."
  }
}

run "few_invocations_are_judged_by_their_average" {
  command = plan

  assert {
    condition = { for query in aws_cloudwatch_metric_alarm.this["function-duration/consumer"].metric_query : query.id => length(query.metric) > 0 ? query.metric[0].stat : query.expression } == {
      invocations = "SampleCount"
      slowest     = "p99"
      usual       = "Average"
      value       = "IF(invocations >= 100, slowest, usual)"
    }
    error_message = "The 99th percentile of few is the slowest one."
  }
}

run "an_error_is_seen_however_late_it_is_heard_of" {
  command = plan

  assert {
    condition = alltrue([for key, timeout in { consumer = 60, auditor = 900 } :
      aws_cloudwatch_metric_alarm.this["function-errors/${key}"].period * aws_cloudwatch_metric_alarm.this["function-errors/${key}"].evaluation_periods > timeout
      && aws_cloudwatch_metric_alarm.this["function-errors/${key}"].datapoints_to_alarm == 1
    ])
    error_message = "A timeout counts at the time when its invocation began."
  }

  assert {
    condition     = aws_cloudwatch_metric_alarm.this["function-error-rate/consumer"].evaluation_periods == 4 && aws_cloudwatch_metric_alarm.this["function-error-rate/consumer"].datapoints_to_alarm == 3
    error_message = "Three bad periods of those that may still change."
  }
}

run "table_metrics_are_summed_over_operations" {
  command = plan

  assert {
    condition = alltrue([for id, metric in { table-system-errors = "SystemErrors", table-throttled-requests = "ThrottledRequests" } :
      toset([for query in aws_cloudwatch_metric_alarm.this["${id}/jobs"].metric_query : query.metric[0].dimensions if !query.return_data])
      == toset([for operation in ["BatchGetItem", "BatchWriteItem", "DeleteItem", "GetItem", "PutItem", "Query", "Scan", "TransactGetItems", "TransactWriteItems", "UpdateItem"] : tomap({ TableName = "prod-jobs", Operation = operation })])
      && alltrue([for query in aws_cloudwatch_metric_alarm.this["${id}/jobs"].metric_query : query.return_data ? true : query.metric[0].metric_name == metric && query.metric[0].stat == "Sum"])
      && aws_cloudwatch_metric_alarm.this["${id}/jobs"].metric_name == null
    ])
    error_message = "Both exist with TableName and Operation only."
  }

  assert {
    condition = alltrue([for key in ["table-system-errors/jobs", "table-throttled-requests/jobs", "table-transaction-conflicts/jobs", "account-user-errors/account"] :
      alltrue([for query in aws_cloudwatch_metric_alarm.this[key].metric_query : query.return_data ? alltrue([for other in aws_cloudwatch_metric_alarm.this[key].metric_query : other.return_data || strcontains(query.expression, "FILL(${other.id}, 0)")]) : true])
    ])
    error_message = "AWS/DynamoDB ignores missing data: without FILL such an alarm never comes back to OK."
  }
}

run "what_is_counted_for_the_account_has_no_dimension" {
  command = plan

  assert {
    condition     = alltrue([for query in aws_cloudwatch_metric_alarm.this["account-user-errors/account"].metric_query : query.return_data ? true : query.metric[0].metric_name == "UserErrors" && length(coalesce(query.metric[0].dimensions, {})) == 0])
    error_message = "UserErrors has no dimension."
  }
}

run "a_job_s_metrics_have_one_dimension" {
  command = plan

  assert {
    condition = alltrue([for key, alarm in aws_cloudwatch_metric_alarm.this :
      startswith(key, "job-") && alarm.metric_name != null ? alarm.namespace == "Billing" && alarm.dimensions == tomap({ service = "charge" }) : true
    ])
    error_message = "The functions publish under service alone, in the job's namespace."
  }
}

run "missing_data_is_stated_and_no_data_tells_nobody" {
  command = plan

  assert {
    condition     = alltrue([for alarm in values(aws_cloudwatch_metric_alarm.this) : alarm.treat_missing_data == "notBreaching" && length(coalesce(alarm.insufficient_data_actions, [])) == 0])
    error_message = "Sparse metrics would turn alarms on and off."
  }
}

run "one_speaks_for_its_members" {
  command = plan

  assert {
    condition = alltrue([for key, alarm in output.alarms :
      alarm.member_of == null
      ? aws_cloudwatch_metric_alarm.this[key].alarm_actions == toset([var.topics[alarm.severity]]) && aws_cloudwatch_metric_alarm.this[key].ok_actions == toset([var.topics[alarm.severity]])
      : length(aws_cloudwatch_metric_alarm.this[key].alarm_actions) == 0 && length(aws_cloudwatch_metric_alarm.this[key].ok_actions) == 0
    ])
    error_message = "An alarm tells its topic, alarm and recovery, or its composite does."
  }

  assert {
    condition = alltrue([for id, severity in { broken = "critical", slow = "warning" } :
      aws_cloudwatch_composite_alarm.this[id].alarm_actions == toset([var.topics[severity]])
      && aws_cloudwatch_composite_alarm.this[id].ok_actions == toset([var.topics[severity]])
      && toset(split(" OR ", aws_cloudwatch_composite_alarm.this[id].alarm_rule)) == toset([for alarm in values(output.alarms) : "ALARM(\"${alarm.name}\")" if alarm.member_of == id])
    ])
    error_message = "A composite rings when any member does."
  }

  assert {
    condition     = alltrue([for alarm in values(output.alarms) : (alarm.severity == "critical") == (alarm.member_of == "broken")])
    error_message = "Whatever is critical breaks the service."
  }
}

run "a_maintenance_window_keeps_the_composites_quiet" {
  command = plan

  assert {
    condition     = alltrue([for alarm in values(aws_cloudwatch_composite_alarm.this) : alarm.actions_suppressor[0].alarm == "prod-charge-maintenance"])
    error_message = "Both composites look at the window."
  }

  assert {
    condition = (
      aws_cloudwatch_metric_alarm.maintenance[0].namespace == "FanoutOnce"
      && aws_cloudwatch_metric_alarm.maintenance[0].metric_name == "Maintenance"
      && aws_cloudwatch_metric_alarm.maintenance[0].dimensions == tomap({ service = "charge" })
      && aws_cloudwatch_metric_alarm.maintenance[0].alarm_actions == null
      && output.maintenance_alarm.name == "prod-charge-maintenance"
    )
    error_message = "It looks where an operator declares windows, and tells nobody."
  }
}

run "descriptions_are_for_people_and_programs" {
  command = plan

  assert {
    condition = alltrue([for key, alarm in output.alarms : join("\n", slice(split("\n", aws_cloudwatch_metric_alarm.this[key].alarm_description), 1, 7)) == join("\n", [
      "",
      "alarm: ${alarm.id}",
      "service: charge",
      "severity: ${alarm.severity}",
      "runbook: https://git.example.com/runbook.md#${alarm.id}",
      "dashboard: https://ap-northeast-1.console.aws.amazon.com/cloudwatch/home?region=ap-northeast-1#dashboards/dashboard/prod-charge",
    ])])
    error_message = "Got ${aws_cloudwatch_metric_alarm.this["dlq-visible/main"].alarm_description}"
  }

  assert {
    condition = alltrue([for id, severity in { broken = "critical", slow = "warning" } :
      strcontains(aws_cloudwatch_composite_alarm.this[id].alarm_description, "\n\nalarm: ${id}\nservice: charge\nseverity: ${severity}\nrunbook: https://git.example.com/runbook.md#${id}\n")
    ])
    error_message = "Got ${aws_cloudwatch_composite_alarm.this["broken"].alarm_description}"
  }
}

run "the_longest_description_fits" {
  command = plan

  variables {
    name        = join("", [for number in range(100) : "n"])
    service     = join("", [for number in range(64) : "s"])
    runbook_url = "https://${join("", [for number in range(392) : "r"])}"
  }

  assert {
    condition = alltrue([for alarm in concat(values(aws_cloudwatch_metric_alarm.this), values(aws_cloudwatch_composite_alarm.this)) :
      length(alarm.alarm_description) <= 1024 && length(alarm.alarm_name) <= 255
    ])
    error_message = "CloudWatch takes 1024 characters."
  }
}

run "without_jobs_there_is_no_dashboard" {
  command = plan

  variables {
    service = null
    jobs    = {}
  }

  assert {
    condition     = output.dashboard == null && !strcontains(aws_cloudwatch_metric_alarm.this["dlq-visible/main"].alarm_description, "dashboard:")
    error_message = "No dashboard, no link to one."
  }

  assert {
    condition     = strcontains(aws_cloudwatch_metric_alarm.this["dlq-visible/main"].alarm_description, "\nservice: prod-charge\n")
    error_message = "A pack is about its name unless told otherwise."
  }
}

run "without_members_there_is_no_composite" {
  command = plan

  variables {
    queues         = {}
    failure_queues = {}
    functions      = {}
    tables         = {}
    schedules      = {}
    jobs           = {}
    account        = false
  }

  assert {
    condition     = join(",", keys(output.alarms)) == "topic-delivery-failed/critical" && length(output.composites) == 0 && output.maintenance_alarm == null && output.maintenance_policy_json == null
    error_message = "Nothing to speak for, nothing to keep quiet."
  }
}
