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

run "name_of_65_characters_is_refused" {
  command = plan

  variables {
    name          = format("%065d", 0)
    failure_queue = { arn = "arn:aws:sqs:ap-northeast-1:111122223333:failures", send_policy_json = "{}" }
  }

  expect_failures = [var.name]
}

run "no_schedule_is_refused" {
  command = plan

  variables {
    schedules = {}
  }

  expect_failures = [var.schedules]
}

run "schedule_name_with_a_blank_is_refused" {
  command = plan

  variables {
    schedules = { "first of month" = var.schedules.dispatch }
  }

  expect_failures = [var.schedules]
}

run "queue_as_a_target_is_refused" {
  command = plan

  variables {
    schedules = { dispatch = merge(var.schedules.dispatch, { function_arn = "arn:aws:sqs:ap-northeast-1:111122223333:charges.fifo" }) }
  }

  expect_failures = [var.schedules]
}

run "cron_of_five_fields_is_refused" {
  command = plan

  variables {
    schedules = { dispatch = merge(var.schedules.dispatch, { expression = "cron(0 3 1 * ?)" }) }
  }

  expect_failures = [var.schedules]
}

run "rate_in_the_wrong_number_is_refused" {
  command = plan

  variables {
    schedules = { dispatch = merge(var.schedules.dispatch, { expression = "rate(1 minutes)" }) }
  }

  expect_failures = [var.schedules]
}

run "time_without_a_date_is_refused" {
  command = plan

  variables {
    schedules = { dispatch = merge(var.schedules.dispatch, { expression = "at(03:00:00)" }) }
  }

  expect_failures = [var.schedules]
}

run "both_days_given_is_refused" {
  command = plan

  variables {
    schedules = { dispatch = merge(var.schedules.dispatch, { expression = "cron(0 3 1 * MON *)" }) }
  }

  expect_failures = [var.schedules]
}

run "neither_day_given_is_refused" {
  command = plan

  variables {
    schedules = { dispatch = merge(var.schedules.dispatch, { expression = "cron(0 3 ? * ? *)" }) }
  }

  expect_failures = [var.schedules]
}

run "abbreviation_of_a_timezone_is_refused" {
  command = plan

  variables {
    schedules = { dispatch = merge(var.schedules.dispatch, { timezone = "JST" }) }
  }

  expect_failures = [var.schedules]
}

run "window_of_zero_minutes_is_refused" {
  command = plan

  variables {
    schedules = { dispatch = merge(var.schedules.dispatch, { flexible_window_minutes = 0 }) }
  }

  expect_failures = [var.schedules]
}

run "date_with_an_offset_is_refused" {
  command = plan

  variables {
    schedules = { dispatch = merge(var.schedules.dispatch, { start_date = "2026-12-01T00:00:00+09:00" }) }
  }

  expect_failures = [var.schedules]
}

run "date_that_is_none_is_refused" {
  command = plan

  variables {
    schedules = { dispatch = merge(var.schedules.dispatch, { end_date = "next monthZ" }) }
  }

  expect_failures = [var.schedules]
}

run "input_that_replaces_a_keyword_is_refused" {
  command = plan

  variables {
    schedules = { dispatch = merge(var.schedules.dispatch, { input = { scheduled_time = "2026-12-01T00:00:00Z" } }) }
  }

  expect_failures = [var.schedules]
}

run "skipped_hour_is_refused" {
  command = plan

  variables {
    schedules = { dispatch = merge(var.schedules.dispatch, { expression = "cron(30 2 8 3 ? *)", timezone = "America/New_York" }) }
  }

  expect_failures = [aws_scheduler_schedule.this["dispatch"]]
}

run "repeated_hour_is_refused" {
  command = plan

  variables {
    schedules = { dispatch = merge(var.schedules.dispatch, { expression = "cron(30 1 1 11 ? *)", timezone = "America/New_York" }) }
  }

  expect_failures = [aws_scheduler_schedule.this["dispatch"]]
}

run "midnight_where_the_clock_changes_then_is_refused" {
  command = plan

  variables {
    schedules = { dispatch = merge(var.schedules.dispatch, { expression = "cron(0 0 * * ? *)", timezone = "Asia/Beirut" }) }
  }

  expect_failures = [aws_scheduler_schedule.this["dispatch"]]
}

run "skipped_hour_inside_a_range_is_refused" {
  command = plan

  variables {
    schedules = { dispatch = merge(var.schedules.dispatch, { expression = "cron(0 0-6/2 1 * ? *)", timezone = "Europe/Berlin" }) }
  }

  expect_failures = [aws_scheduler_schedule.this["dispatch"]]
}

run "skipped_hour_of_a_one_time_schedule_is_refused" {
  command = plan

  variables {
    schedules = { dispatch = merge(var.schedules.dispatch, { expression = "at(2027-03-28T02:30:00)", timezone = "Europe/Berlin" }) }
  }

  expect_failures = [aws_scheduler_schedule.this["dispatch"]]
}

run "hour_24_is_refused" {
  command = plan

  variables {
    schedules = { dispatch = merge(var.schedules.dispatch, { expression = "cron(0 24 1 * ? *)" }) }
  }

  expect_failures = [aws_scheduler_schedule.this["dispatch"]]
}

run "hour_range_over_midnight_is_refused" {
  command = plan

  variables {
    schedules = { dispatch = merge(var.schedules.dispatch, { expression = "cron(0 22-2 1 * ? *)" }) }
  }

  expect_failures = [aws_scheduler_schedule.this["dispatch"]]
}

run "hour_in_words_is_refused" {
  command = plan

  variables {
    schedules = { dispatch = merge(var.schedules.dispatch, { expression = "cron(0 noon 1 * ? *)" }) }
  }

  expect_failures = [aws_scheduler_schedule.this["dispatch"]]
}

run "escaped_bracket_in_an_input_is_refused" {
  command = plan

  variables {
    schedules = { dispatch = merge(var.schedules.dispatch, { input = { note = "\\u003c" } }) }
  }

  expect_failures = [aws_scheduler_schedule.this["dispatch"]]
}

run "input_beyond_256_kib_is_refused" {
  command = plan

  variables {
    schedules = { dispatch = merge(var.schedules.dispatch, { input = { note = join("", [for i in range(1024) : join("", [for j in range(64) : "éééé"])]) } }) }
  }

  expect_failures = [aws_scheduler_schedule.this["dispatch"]]
}

run "retry_attempts_beyond_185_are_refused" {
  command = plan

  variables {
    retry = { maximum_attempts = 186 }
  }

  expect_failures = [var.retry]
}

run "retry_age_below_a_minute_is_refused" {
  command = plan

  variables {
    retry = { maximum_age_seconds = 59 }
  }

  expect_failures = [var.retry]
}

run "fifo_queue_for_failures_is_refused" {
  command = plan

  variables {
    failure_queue = { arn = "arn:aws:sqs:ap-northeast-1:111122223333:charges-dlq.fifo", send_policy_json = "{}" }
  }

  expect_failures = [var.failure_queue]
}

run "alias_instead_of_a_key_is_refused" {
  command = plan

  variables {
    kms_key_arn = "alias/aws/scheduler"
  }

  expect_failures = [var.kms_key_arn]
}

run "role_as_a_boundary_is_refused" {
  command = plan

  variables {
    permissions_boundary_arn = "arn:aws:iam::111122223333:role/boundary"
  }

  expect_failures = [var.permissions_boundary_arn]
}

run "name_that_leaves_no_room_for_the_failure_queue_s_is_refused" {
  command = plan

  variables {
    name = format("%063d", 0)
  }

  expect_failures = [var.name]
}

run "description_of_513_characters_is_refused" {
  command = plan

  variables {
    schedules = { dispatch = merge(var.schedules.dispatch, { description = format("%0513d", 0) }) }
  }

  expect_failures = [var.schedules]
}

run "name_of_64_characters_beside_a_failure_queue_is_accepted" {
  command = plan

  variables {
    name          = format("%064d", 0)
    failure_queue = { arn = "arn:aws:sqs:ap-northeast-1:111122223333:failures", send_policy_json = "{\"Version\":\"2012-10-17\",\"Statement\":[]}" }
  }

  assert {
    condition     = aws_scheduler_schedule_group.this.name == format("%064d", 0) && length(aws_iam_role.this.name) == 64
    error_message = "The role's name is cut to 64."
  }
}
