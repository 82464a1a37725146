mock_provider "aws" {
  source = "../testing"
}

variables {
  name = "prod-charge"
  schedules = {
    dispatch = {
      function_arn = "arn:aws:lambda:ap-northeast-1:111122223333:function:dispatcher"
      expression   = "cron(0 3 1 * ? *)"
      timezone     = "Asia/Tokyo"
      input        = { job = "charge" }
    }
  }
}

run "defaults" {
  command = plan

  assert {
    condition     = aws_scheduler_schedule.this["dispatch"].group_name == "prod-charge" && aws_scheduler_schedule.this["dispatch"].state == "ENABLED"
    error_message = "In the group of the module's name, switched on."
  }

  assert {
    condition     = aws_scheduler_schedule.this["dispatch"].schedule_expression_timezone == "Asia/Tokyo" && aws_scheduler_schedule.this["dispatch"].flexible_time_window[0].mode == "OFF"
    error_message = "On the minute, in the zone asked for."
  }

  assert {
    condition     = aws_scheduler_schedule.this["dispatch"].target[0].retry_policy[0].maximum_retry_attempts == 185 && aws_scheduler_schedule.this["dispatch"].target[0].retry_policy[0].maximum_event_age_in_seconds == 86400
    error_message = "Scheduler tries for a day."
  }

  assert {
    condition     = aws_scheduler_schedule.this["dispatch"].target[0].dead_letter_config[0].arn == "arn:aws:sqs:ap-northeast-1:111122223333:prod-charge-schedule-failures"
    error_message = "What cannot be handed over goes to the module's own standard queue."
  }

  assert {
    condition     = output.monitoring == { schedule_group_name = "prod-charge", failure_queue = { queue_name = "prod-charge-schedule-failures", retention_seconds = 1209600 } }
    error_message = "The alarms learn of group and queue."
  }
}

run "keywords_keep_their_brackets" {
  command = plan

  assert {
    condition     = aws_scheduler_schedule.this["dispatch"].target[0].input == "{\"attempt_number\":\"<aws.scheduler.attempt-number>\",\"execution_id\":\"<aws.scheduler.execution-id>\",\"job\":\"charge\",\"schedule_arn\":\"<aws.scheduler.schedule-arn>\",\"scheduled_time\":\"<aws.scheduler.scheduled-time>\"}"
    error_message = "Scheduler substitutes literal <…> only; got ${aws_scheduler_schedule.this["dispatch"].target[0].input}."
  }
}

run "quotes_ampersands_and_backslashes_survive" {
  command = plan

  variables {
    schedules = { dispatch = merge(var.schedules.dispatch, { input = { note = "a \"quoted\" <b> & c\\d\n" } }) }
  }

  assert {
    condition     = jsondecode(aws_scheduler_schedule.this["dispatch"].target[0].input).note == "a \"quoted\" <b> & c\\d\n"
    error_message = "Got ${aws_scheduler_schedule.this["dispatch"].target[0].input}."
  }

  assert {
    condition     = strcontains(aws_scheduler_schedule.this["dispatch"].target[0].input, "<b> & c")
    error_message = "Got ${aws_scheduler_schedule.this["dispatch"].target[0].input}."
  }
}

run "one_time_schedule_with_a_window_and_dates" {
  command = plan

  variables {
    schedules = { once = {
      function_arn            = "arn:aws:lambda:ap-northeast-1:111122223333:function:dispatcher:live"
      expression              = "at(2026-12-01T03:00:00)"
      timezone                = "Europe/Berlin"
      flexible_window_minutes = 15
      start_date              = "2026-11-30T00:00:00Z"
      end_date                = "2026-12-02T00:00:00Z"
      enabled                 = false
    } }
  }

  assert {
    condition     = aws_scheduler_schedule.this["once"].flexible_time_window[0].mode == "FLEXIBLE" && aws_scheduler_schedule.this["once"].flexible_time_window[0].maximum_window_in_minutes == 15
    error_message = "Within 15 minutes."
  }

  assert {
    condition     = aws_scheduler_schedule.this["once"].state == "DISABLED" && aws_scheduler_schedule.this["once"].start_date == "2026-11-30T00:00:00Z" && aws_scheduler_schedule.this["once"].end_date == "2026-12-02T00:00:00Z"
    error_message = "Off, between two dates."
  }
}

run "rates_and_several_schedules" {
  command = plan

  variables {
    schedules = {
      dispatch = var.schedules.dispatch
      sweep    = merge(var.schedules.dispatch, { expression = "rate(15 minutes)", timezone = "America/New_York" })
    }
  }

  assert {
    condition     = length(aws_scheduler_schedule.this) == 2
    error_message = "Both schedules."
  }
}

run "queue_made_elsewhere_is_used" {
  command = plan

  variables {
    failure_queue = {
      arn              = "arn:aws:sqs:ap-northeast-1:111122223333:shared-failures"
      send_policy_json = "{\"Version\":\"2012-10-17\",\"Statement\":[]}"
    }
  }

  assert {
    condition     = length(module.failures) == 0 && aws_scheduler_schedule.this["dispatch"].target[0].dead_letter_config[0].arn == "arn:aws:sqs:ap-northeast-1:111122223333:shared-failures"
    error_message = "No queue is made beside the one given."
  }
}

run "hour_beside_a_clock_change_is_accepted" {
  command = plan

  variables {
    schedules = { dispatch = merge(var.schedules.dispatch, { expression = "cron(30 3 8 3 ? *)", timezone = "America/New_York" }) }
  }

  assert {
    condition     = aws_scheduler_schedule.this["dispatch"].schedule_expression == "cron(30 3 8 3 ? *)"
    error_message = "03:30 exists on every day in New York."
  }
}

run "daylight_saving_elsewhere_does_not_matter" {
  command = plan

  variables {
    schedules = { dispatch = merge(var.schedules.dispatch, { expression = "cron(30 2 8 3 ? *)", timezone = "Asia/Tokyo" }) }
  }

  assert {
    condition     = length(local.hours_at_risk["dispatch"]) == 0
    error_message = "Tokyo changes no clocks."
  }
}

run "hour_fields_are_read_as_scheduler_reads_them" {
  command = plan

  variables {
    schedules = {
      every = merge(var.schedules.dispatch, { expression = "cron(0 * 1 * ? *)" })
      list  = merge(var.schedules.dispatch, { expression = "cron(0 3,15 1 * ? *)" })
      range = merge(var.schedules.dispatch, { expression = "cron(0 9-12 1 * ? *)" })
      steps = merge(var.schedules.dispatch, { expression = "cron(0 2/6 1 * ? *)" })
      mixed = merge(var.schedules.dispatch, { expression = "cron(0 0-6/3,22 1 * ? *)" })
    }
  }

  assert {
    condition     = local.hours["every"] == range(24) && local.hours["list"] == tolist([3, 15]) && local.hours["range"] == tolist([9, 10, 11, 12])
    error_message = jsonencode(local.hours)
  }

  assert {
    condition     = local.hours["steps"] == tolist([2, 8, 14, 20]) && local.hours["mixed"] == tolist([0, 3, 6, 22])
    error_message = jsonencode(local.hours)
  }
}
