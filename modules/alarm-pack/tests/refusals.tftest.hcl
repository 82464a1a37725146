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
  functions      = { consumer = { function_name = "prod-charge-consumer", timeout_seconds = 60, reserved_concurrency = 10, asynchronous = true } }
  tables         = { jobs = { table_name = "prod-jobs" } }
  schedules      = { main = { schedule_group_name = "prod-charge" } }
  topics_watched = { critical = { topic_name = "prod-alerts-critical" } }
  jobs           = { main = { name = "charge", metrics_namespace = "Billing", queue = "main", redriver = true, done_metric = "Charged" } }
  account        = true
}

run "refuses_name" {
  command = plan

  variables {
    name = "prod.charge"
  }

  expect_failures = [var.name]
}

run "refuses_service" {
  command = plan

  variables {
    service = "the charges"
  }

  expect_failures = [var.service]
}

run "refuses_topic_that_is_no_arn_of_a_topic" {
  command = plan

  variables {
    topics = merge(var.topics, { info = "arn:aws:sns:ap-northeast-1:111122223333:info.fifo" })
  }

  expect_failures = [var.topics]
}

run "refuses_runbook_with_a_fragment" {
  command = plan

  variables {
    runbook_url = "https://git.example.com/runbook.md#alarms"
  }

  expect_failures = [var.runbook_url]
}

run "refuses_runbook_too_long" {
  command = plan

  variables {
    runbook_url = "https://${join("", [for number in range(393) : "r"])}"
  }

  expect_failures = [var.runbook_url]
}

run "refuses_metrics_namespace" {
  command = plan

  variables {
    metrics_namespace = "AWS/SQS"
  }

  expect_failures = [var.metrics_namespace]
}

run "refuses_nothing_to_watch" {
  command = plan

  variables {
    queues         = {}
    failure_queues = {}
    functions      = {}
    tables         = {}
    schedules      = {}
    topics_watched = {}
    jobs           = {}
    account        = false
  }

  expect_failures = [var.account]
}

run "refuses_job_whose_queue_is_not_here" {
  command = plan

  variables {
    jobs = { main = { name = "charge", metrics_namespace = "Billing", queue = "other" } }
  }

  expect_failures = [var.jobs]
}

run "refuses_unknown_service" {
  command = plan

  variables {
    settings = { services = { queues = { enabled = false } } }
  }

  expect_failures = [var.settings]
}

run "refuses_unknown_alarm" {
  command = plan

  variables {
    settings = { alarms = { dlq-depth = { enabled = false } } }
  }

  expect_failures = [var.settings]
}

run "refuses_unknown_resource" {
  command = plan

  variables {
    settings = { resources = { "dlq-visible/other" = { enabled = false } } }
  }

  expect_failures = [var.settings]
}

run "refuses_threshold_for_all" {
  command = plan

  variables {
    settings = { services = { queue = { threshold = 1 } } }
  }

  expect_failures = [var.settings]
}

run "refuses_key_with_a_space" {
  command = plan

  variables {
    schedules = { "the main one" = { schedule_group_name = "prod-charge" } }
  }

  expect_failures = [aws_cloudwatch_metric_alarm.this]
}

run "refuses_two_alarms_of_one_name" {
  command = plan

  variables {
    queues         = { main-failure = var.queues.main }
    failure_queues = { main = var.failure_queues.dispatch }
    jobs           = {}
  }

  expect_failures = [aws_cloudwatch_metric_alarm.this]
}

run "refuses_unknown_severity" {
  command = plan

  variables {
    settings = { alarms = { queue-in-flight = { severity = "urgent" } } }
  }

  expect_failures = [aws_cloudwatch_metric_alarm.this]
}

run "refuses_threshold_and_share" {
  command = plan

  variables {
    settings = { alarms = { queue-in-flight = { threshold = 1, share = 0.5 } } }
  }

  expect_failures = [aws_cloudwatch_metric_alarm.this]
}

run "refuses_share_above_one" {
  command = plan

  variables {
    settings = { alarms = { queue-in-flight = { share = 80 } } }
  }

  expect_failures = [aws_cloudwatch_metric_alarm.this]
}

run "refuses_share_without_a_limit" {
  command = plan

  variables {
    settings = { alarms = { queue-depth = { share = 0.5 } } }
  }

  expect_failures = [aws_cloudwatch_metric_alarm.this]
}

run "refuses_period_that_cloudwatch_does_not_know" {
  command = plan

  variables {
    settings = { alarms = { queue-in-flight = { period_seconds = 90 } } }
  }

  expect_failures = [aws_cloudwatch_metric_alarm.this]
}

run "refuses_periods_that_are_no_whole_number" {
  command = plan

  variables {
    settings = { alarms = { queue-in-flight = { evaluation_periods = 1.5 } } }
  }

  expect_failures = [var.settings]
}

run "refuses_more_datapoints_than_periods" {
  command = plan

  variables {
    settings = { alarms = { queue-in-flight = { evaluation_periods = 2, datapoints_to_alarm = 3 } } }
  }

  expect_failures = [aws_cloudwatch_metric_alarm.this]
}

run "refuses_looking_back_more_than_a_day" {
  command = plan

  variables {
    settings = { alarms = { queue-in-flight = { evaluation_periods = 1441 } } }
  }

  expect_failures = [aws_cloudwatch_metric_alarm.this]
}

run "refuses_alarm_that_tells_nobody" {
  command = plan

  variables {
    settings = { alarms = { queue-in-flight = { notify = false } } }
  }

  expect_failures = [aws_cloudwatch_metric_alarm.this]
}

run "refuses_more_than_a_hundred_members" {
  command = plan

  variables {
    queues = { for number in range(26) : "q${number}" => merge(var.queues.main, { mapping = null }) }
    jobs   = {}
  }

  expect_failures = [aws_cloudwatch_composite_alarm.this]
}

run "refuses_rule_that_is_too_long" {
  command = plan

  variables {
    name   = join("", [for number in range(100) : "n"])
    queues = { for number in range(18) : "${join("", [for letter in range(60) : "q"])}${number}" => merge(var.queues.main, { mapping = null }) }
    jobs   = {}
  }

  expect_failures = [aws_cloudwatch_composite_alarm.this]
}

run "refuses_half_a_second_of_retention" {
  command = plan

  variables {
    queues = { main = merge(var.queues.main, { retention_seconds = 345600.5 }) }
  }

  expect_failures = [var.queues]
}

run "refuses_half_a_second_of_retention_of_a_failure_queue" {
  command = plan

  variables {
    failure_queues = { dispatch = { queue_name = "prod-charge-dispatch-failures", retention_seconds = 0.5 } }
  }

  expect_failures = [var.failure_queues]
}

run "refuses_half_a_second_of_a_timeout" {
  command = plan

  variables {
    functions = { consumer = { function_name = "prod-charge-consumer", timeout_seconds = 60.5 } }
  }

  expect_failures = [var.functions]
}
