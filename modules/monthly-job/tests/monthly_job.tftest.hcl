mock_provider "aws" {
  source = "../testing"
}

variables {
  name = "prod-charge"
  job  = "charge"
  tables = {
    jobs      = { name = "prod-jobs", arn = "arn:aws:dynamodb:ap-northeast-1:111122223333:table/prod-jobs" }
    directory = { name = "prod-directory", arn = "arn:aws:dynamodb:ap-northeast-1:111122223333:table/prod-directory" }
  }
  schedule   = { timezone = "Asia/Tokyo" }
  dispatcher = { package = "../testing/package.zip" }
  consumer   = { package = "../testing/package.zip", handler = "charge_consumer.handler.handler" }
}

run "parts_are_named_after_the_job" {
  command = plan

  assert {
    condition     = output.queue.name == "prod-charge.fifo" && output.dead_letter_queue.name == "prod-charge-dlq.fifo"
    error_message = "Got ${output.queue.name} and ${output.dead_letter_queue.name}."
  }

  assert {
    condition     = output.functions.dispatcher.name == "prod-charge-dispatcher" && output.functions.consumer.name == "prod-charge-consumer"
    error_message = "Got ${output.functions.dispatcher.name} and ${output.functions.consumer.name}."
  }

  assert {
    condition     = output.schedules.dispatch.group_name == "prod-charge" && output.schedules.dispatch.timezone == "Asia/Tokyo"
    error_message = "In a group of its own, in the zone asked for."
  }

  assert {
    condition     = output.failure_queues.schedule.name == "prod-charge-schedule-failures" && output.failure_queues.dispatch.name == "prod-charge-dispatch-failures"
    error_message = "Events that never became a run have two places to go."
  }
}

run "schedule_hands_over_job_and_keywords" {
  command = plan

  assert {
    condition     = output.schedules.dispatch.input == "{\"attempt_number\":\"<aws.scheduler.attempt-number>\",\"execution_id\":\"<aws.scheduler.execution-id>\",\"job\":\"charge\",\"schedule_arn\":\"<aws.scheduler.schedule-arn>\",\"scheduled_time\":\"<aws.scheduler.scheduled-time>\"}"
    error_message = "Got ${output.schedules.dispatch.input}."
  }
}

run "nothing_is_audited_unless_asked_for" {
  command = plan

  assert {
    condition     = output.functions.auditor == null && join(",", keys(output.schedules)) == "dispatch"
    error_message = "No auditor, no schedule for it."
  }
}

run "visibility_follows_the_consumer" {
  command = plan

  assert {
    condition     = output.queue.visibility_timeout_seconds == 6 * output.functions.consumer.timeout_seconds
    error_message = "6 x ${output.functions.consumer.timeout_seconds} s expected, got ${output.queue.visibility_timeout_seconds} s."
  }
}

run "backstop_lies_above_the_real_attempts" {
  command = plan

  assert {
    condition     = output.dead_letter_queue.maximum_receive_count == 200
    error_message = "Receives burn for messages that only wait: SQS's count must not end before the consumer's own."
  }
}

run "dispatcher_is_configured_for_its_asynchronous_failures" {
  command = plan

  assert {
    condition     = output.monitoring.functions.dispatcher.asynchronous && !output.monitoring.functions.consumer.asynchronous
    error_message = "Scheduler's retries never see the dispatcher fail."
  }
}

run "every_option" {
  command = plan

  variables {
    tables = merge(var.tables, {
      jobs        = { name = "prod-jobs", arn = "arn:aws:dynamodb:ap-northeast-1:111122223333:table/prod-jobs", kms_key_arn = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d" }
      idempotency = { name = "prod-idempotency", arn = "arn:aws:dynamodb:ap-northeast-1:111122223333:table/prod-idempotency" }
    })
    schedule = {
      expression              = "cron(30 4 2 * ? *)"
      timezone                = "Europe/Berlin"
      period_policy           = "current-month"
      flexible_window_minutes = 10
      enabled                 = false
    }
    dispatcher = {
      package         = "../testing/package.zip"
      memory_mb       = 1024
      timeout_seconds = 300
      group_scope     = "wallet"
      sender_threads  = 16
      page_size       = 5000
    }
    consumer = {
      package              = "../testing/package.zip"
      handler              = "charge_consumer.handler.handler"
      memory_mb            = 512
      timeout_seconds      = 120
      batch_size           = 5
      maximum_concurrency  = 20
      reserved_concurrency = 25
      enabled              = false
      max_attempts         = 8
      on_quarantine        = "halt-group"
      threads              = 5
      payment_endpoint     = "https://payments.example.com/v1"
      done_metric          = "Charged"
    }
    auditor = {
      package    = "../testing/package.zip"
      expression = "cron(30 12 2 * ? *)"
    }
    queue    = { high_throughput = true, retention_seconds = 604800, maximum_receive_count = 300 }
    payloads = { bucket_name = "prod-payloads", bucket_arn = "arn:aws:s3:::prod-payloads", threshold_bytes = 65536 }
    observability = {
      log_level          = "DEBUG"
      log_retention_days = 365
      metrics_namespace  = "Billing"
    }
    kms_key_arn              = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d"
    permissions_boundary_arn = "arn:aws:iam::111122223333:policy/boundary"
    tags                     = { team = "billing" }
  }

  assert {
    condition     = output.queue.visibility_timeout_seconds == 720 && output.queue.retention_seconds == 604800 && output.dead_letter_queue.maximum_receive_count == 300
    error_message = "The queue's settings arrive."
  }

  assert {
    condition     = output.functions.consumer.reserved_concurrency == 25 && output.monitoring.queues.main.mapping.maximum_concurrency == 20
    error_message = "The consumer's concurrency arrives."
  }

  assert {
    condition     = output.monitoring.job == { name = "charge", metrics_namespace = "Billing", queue = "main", auditor = true, redriver = false, outside_effects = true, done_metric = "Charged" }
    error_message = "Alarms look where the job reports."
  }

  assert {
    condition     = output.schedules.dispatch.timezone == "Europe/Berlin"
    error_message = "The schedule's settings arrive."
  }

  assert {
    condition     = output.functions.auditor.name == "prod-charge-auditor" && output.schedules.audit.timezone == "Europe/Berlin" && output.monitoring.functions.auditor.asynchronous
    error_message = "The audit is scheduled in the job's own zone."
  }
}

run "name_of_54_characters_is_refused" {
  command = plan

  variables {
    name = join("", [for i in range(54) : "j"])
  }

  expect_failures = [var.name]
}

run "job_in_capitals_is_refused" {
  command = plan

  variables {
    job = "Charge"
  }

  expect_failures = [var.job]
}

run "unknown_period_policy_is_refused" {
  command = plan

  variables {
    schedule = { timezone = "Asia/Tokyo", period_policy = "this-month" }
  }

  expect_failures = [var.schedule]
}

run "unknown_group_scope_is_refused" {
  command = plan

  variables {
    dispatcher = { package = "../testing/package.zip", group_scope = "tenant" }
  }

  expect_failures = [var.dispatcher]
}

run "seventeen_sender_threads_are_refused" {
  command = plan

  variables {
    dispatcher = { package = "../testing/package.zip", sender_threads = 17 }
  }

  expect_failures = [var.dispatcher]
}

run "empty_pages_are_refused" {
  command = plan

  variables {
    dispatcher = { package = "../testing/package.zip", page_size = 0 }
  }

  expect_failures = [var.dispatcher]
}

run "more_attempts_than_the_backstop_leaves_room_for_are_refused" {
  command = plan

  variables {
    consumer = { package = "../testing/package.zip", handler = "charge_consumer.handler.handler", max_attempts = 21, max_deliveries = 18 }
    queue    = { maximum_receive_count = 300 }
  }

  expect_failures = [var.consumer]
}

run "more_deliveries_than_the_backstop_leaves_room_for_are_refused" {
  command = plan

  variables {
    consumer = { package = "../testing/package.zip", handler = "charge_consumer.handler.handler", max_deliveries = 51 }
    queue    = { maximum_receive_count = 600 }
  }

  expect_failures = [var.consumer]
}

run "attempts_that_the_count_of_deliveries_would_end_first_are_refused" {
  command = plan

  variables {
    consumer = { package = "../testing/package.zip", handler = "charge_consumer.handler.handler", max_attempts = 8, max_deliveries = 4 }
  }

  expect_failures = [var.consumer]
}

run "a_backstop_below_the_deliveries_of_a_whole_batch_is_refused" {
  command = plan

  variables {
    consumer = { package = "../testing/package.zip", handler = "charge_consumer.handler.handler", max_deliveries = 17 }
  }

  expect_failures = [var.consumer]
}

run "the_most_deliveries_that_the_backstop_leaves_room_for_are_allowed" {
  command = plan

  variables {
    consumer = { package = "../testing/package.zip", handler = "charge_consumer.handler.handler", max_deliveries = 16, max_attempts = 19 }
  }

  assert {
    condition     = output.dead_letter_queue.maximum_receive_count == 200
    error_message = "Ten messages of a batch, each begun 16 times after the third receive, stay below 200 receives."
  }
}

run "a_backstop_that_could_come_before_the_consumers_count_is_refused" {
  command = plan

  variables {
    consumer = { package = "../testing/package.zip", handler = "charge_consumer.handler.handler", max_deliveries = 5 }
    queue    = { maximum_receive_count = 99 }
  }

  expect_failures = [var.queue]
}

run "unknown_answer_to_a_quarantine_is_refused" {
  command = plan

  variables {
    consumer = { package = "../testing/package.zip", handler = "charge_consumer.handler.handler", on_quarantine = "stop" }
  }

  expect_failures = [var.consumer]
}

run "more_threads_than_groups_in_a_batch_are_refused" {
  command = plan

  variables {
    consumer = { package = "../testing/package.zip", handler = "charge_consumer.handler.handler", threads = 11 }
  }

  expect_failures = [var.consumer]
}

run "payment_endpoint_without_a_scheme_is_refused" {
  command = plan

  variables {
    consumer = { package = "../testing/package.zip", handler = "charge_consumer.handler.handler", payment_endpoint = "payments.example.com" }
  }

  expect_failures = [var.consumer]
}

run "payload_threshold_beyond_a_message_is_refused" {
  command = plan

  variables {
    payloads = { bucket_name = "payloads", bucket_arn = "arn:aws:s3:::payloads", threshold_bytes = 1000001 }
  }

  expect_failures = [var.payloads]
}

run "unknown_log_level_is_refused" {
  command = plan

  variables {
    observability = { log_level = "TRACE" }
  }

  expect_failures = [var.observability]
}

run "namespace_of_aws_is_refused" {
  command = plan

  variables {
    observability = { metrics_namespace = "AWS/SQS" }
  }

  expect_failures = [var.observability]
}

run "audit_at_the_time_of_the_run_is_refused" {
  command = plan

  variables {
    auditor = { package = "../testing/package.zip", expression = "cron(0 3 1 * ? *)" }
  }

  expect_failures = [var.auditor]
}

run "alias_instead_of_a_key_is_refused" {
  command = plan

  variables {
    kms_key_arn = "alias/jobs"
  }

  expect_failures = [var.kms_key_arn]
}

run "table_s_name_in_place_of_its_arn_is_refused" {
  command = plan

  variables {
    tables = merge(var.tables, { jobs = { name = "prod-jobs", arn = "prod-jobs" } })
  }

  expect_failures = [var.tables]
}

run "alias_of_a_table_s_key_is_refused" {
  command = plan

  variables {
    tables = merge(var.tables, { jobs = merge(var.tables.jobs, { kms_key_arn = "alias/prod" }) })
  }

  expect_failures = [var.tables]
}

run "window_of_two_days_is_refused" {
  command = plan

  variables {
    schedule = { timezone = "Asia/Tokyo", flexible_window_minutes = 2880 }
  }

  expect_failures = [var.schedule]
}

run "missing_package_of_the_dispatcher_is_refused" {
  command = plan

  variables {
    dispatcher = { package = "../testing/none.zip" }
  }

  expect_failures = [var.dispatcher]
}

run "handler_of_the_dispatcher_without_a_module_is_refused" {
  command = plan

  variables {
    dispatcher = { package = "../testing/package.zip", handler = "handler" }
  }

  expect_failures = [var.dispatcher]
}

run "auditor_of_16_minutes_is_refused" {
  command = plan

  variables {
    auditor = { package = "../testing/package.zip", timeout_seconds = 960 }
  }

  expect_failures = [var.auditor]
}

run "missing_package_of_the_auditor_is_refused" {
  command = plan

  variables {
    auditor = { package = "../testing/none.zip" }
  }

  expect_failures = [var.auditor]
}

run "handler_of_the_auditor_without_a_module_is_refused" {
  command = plan

  variables {
    auditor = { package = "../testing/package.zip", handler = "handler" }
  }

  expect_failures = [var.auditor]
}

run "missing_package_of_the_consumer_is_refused" {
  command = plan

  variables {
    consumer = merge(var.consumer, { package = "../testing/none.zip" })
  }

  expect_failures = [var.consumer]
}

run "handler_of_the_consumer_without_a_module_is_refused" {
  command = plan

  variables {
    consumer = merge(var.consumer, { handler = "handler" })
  }

  expect_failures = [var.consumer]
}

run "payment_endpoint_that_fills_the_environment_is_refused" {
  command = plan

  variables {
    consumer = merge(var.consumer, { payment_endpoint = "https://payments.example.com/${format("%01024d", 0)}" })
  }

  expect_failures = [var.consumer]
}

run "done_metric_with_a_blank_is_refused" {
  command = plan

  variables {
    consumer = merge(var.consumer, { done_metric = "Charged twice" })
  }

  expect_failures = [var.consumer]
}

run "timeouts_that_outlast_the_retention_are_refused" {
  command = plan

  variables {
    consumer = merge(var.consumer, { timeout_seconds = 900 })
    queue    = { retention_seconds = 3600 }
  }

  expect_failures = [var.consumer]
}

run "retention_of_two_weeks_is_refused" {
  command = plan

  variables {
    queue = { retention_seconds = 1209600 }
  }

  expect_failures = [var.queue]
}

run "vpc_instead_of_an_endpoint_is_refused" {
  command = plan

  variables {
    queue = { vpc_endpoint_ids = ["vpc-0a1b2c3d"] }
  }

  expect_failures = [var.queue]
}

run "bucket_of_another_name_is_refused" {
  command = plan

  variables {
    payloads = { bucket_name = "payloads", bucket_arn = "arn:aws:s3:::others" }
  }

  expect_failures = [var.payloads]
}

run "alias_of_the_bucket_s_key_is_refused" {
  command = plan

  variables {
    payloads = { bucket_name = "payloads", bucket_arn = "arn:aws:s3:::payloads", kms_key_arn = "alias/prod" }
  }

  expect_failures = [var.payloads]
}

run "days_that_cloudwatch_logs_does_not_know_are_refused" {
  command = plan

  variables {
    observability = { log_retention_days = 100 }
  }

  expect_failures = [var.observability]
}

run "boundary_that_is_no_policy_is_refused" {
  command = plan

  variables {
    permissions_boundary_arn = "arn:aws:iam::111122223333:role/boundary"
  }

  expect_failures = [var.permissions_boundary_arn]
}

run "audit_has_a_switch_of_its_own" {
  command = plan

  variables {
    schedule = { timezone = "Asia/Tokyo", enabled = false }
    auditor  = { package = "../testing/package.zip" }
  }

  assert {
    condition     = !output.schedules.dispatch.enabled && output.schedules.audit.enabled
    error_message = "A job that was switched off by mistake is still audited, and its missing run is told."
  }
}

run "audit_can_be_switched_off" {
  command = plan

  variables {
    auditor = { package = "../testing/package.zip", enabled = false }
  }

  assert {
    condition     = output.schedules.dispatch.enabled && !output.schedules.audit.enabled
    error_message = "By its own switch."
  }
}
