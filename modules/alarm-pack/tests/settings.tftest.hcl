mock_provider "aws" {
  source = "../testing"
}

variables {
  name        = "prod-charge"
  runbook_url = "https://git.example.com/runbook.md"
  topics = {
    critical = "arn:aws:sns:ap-northeast-1:111122223333:critical"
    warning  = "arn:aws:sns:ap-northeast-1:111122223333:warning"
    info     = "arn:aws:sns:ap-northeast-1:111122223333:info"
  }
  functions = {
    consumer = { function_name = "prod-charge-consumer", timeout_seconds = 60 }
    auditor  = { function_name = "prod-charge-auditor", timeout_seconds = 900 }
  }
  schedules = { main = { schedule_group_name = "prod-charge" } }
}

run "the_most_specific_setting_wins_field_by_field" {
  command = plan

  variables {
    settings = {
      all       = { evaluation_periods = 2, severity = "info" }
      services  = { function = { evaluation_periods = 3, period_seconds = 120 } }
      alarms    = { function-errors = { evaluation_periods = 4, threshold = 5 } }
      resources = { "function-errors/consumer" = { evaluation_periods = 6 } }
    }
  }

  assert {
    condition     = [for key in ["function-errors/consumer", "function-errors/auditor", "function-throttles/consumer", "schedule-throttled/main"] : aws_cloudwatch_metric_alarm.this[key].evaluation_periods] == [6, 4, 3, 2]
    error_message = "One alarm of one resource, one alarm, one service, all."
  }

  assert {
    condition = (
      aws_cloudwatch_metric_alarm.this["function-errors/consumer"].threshold == 5
      && aws_cloudwatch_metric_alarm.this["function-errors/consumer"].period == 120
      && output.alarms["function-errors/consumer"].severity == "info"
      && aws_cloudwatch_metric_alarm.this["schedule-throttled/main"].period == 60
    )
    error_message = "A field that is not set comes from the next place that sets it."
  }
}

run "threshold_and_share_are_one_field" {
  command = plan

  variables {
    settings = {
      alarms    = { function-duration = { threshold = 1234 } }
      resources = { "function-duration/consumer" = { share = 0.5 } }
    }
  }

  assert {
    condition     = aws_cloudwatch_metric_alarm.this["function-duration/consumer"].threshold == 30000 && aws_cloudwatch_metric_alarm.this["function-duration/auditor"].threshold == 1234
    error_message = "The nearer one counts, whichever of the two it is."
  }
}

run "datapoints_follow_the_periods_unless_they_are_set" {
  command = plan

  variables {
    settings = {
      alarms = {
        function-error-rate = { evaluation_periods = 1 }
        function-errors     = { evaluation_periods = 5, datapoints_to_alarm = 2 }
      }
    }
  }

  assert {
    condition     = aws_cloudwatch_metric_alarm.this["function-error-rate/consumer"].datapoints_to_alarm == 1 && aws_cloudwatch_metric_alarm.this["function-errors/consumer"].datapoints_to_alarm == 2
    error_message = "M stays at or below N by itself."
  }
}

run "an_alarm_is_turned_off_in_one_line" {
  command = plan

  variables {
    settings = {
      services  = { schedule = { enabled = false } }
      alarms    = { function-errors = { enabled = false } }
      resources = { "function-errors/consumer" = { enabled = true }, "schedule-dropped/main" = { enabled = true } }
    }
  }

  assert {
    condition     = [for key in keys(output.alarms) : key if startswith(key, "function-errors") || startswith(key, "schedule")] == ["function-errors/consumer", "schedule-dropped/main"]
    error_message = "Made: ${join(", ", keys(output.alarms))}."
  }
}

run "severity_moves_an_alarm_between_the_composites" {
  command = plan

  variables {
    settings = {
      alarms    = { function-errors = { severity = "critical" }, schedule-dropped = { severity = "warning" }, function-throttles = { severity = "info" } }
      resources = { "function-duration/consumer" = { severity = "critical" } }
    }
  }

  assert {
    condition = (
      output.alarms["function-errors/consumer"].member_of == "broken"
      && output.alarms["schedule-dropped/main"].member_of == null
      && output.alarms["function-throttles/consumer"].member_of == null
      && output.alarms["function-duration/consumer"].member_of == "broken"
      && output.alarms["function-duration/auditor"].member_of == "slow"
    )
    error_message = "Critical feeds broken; a warning feeds slow only where it is about time."
  }

  assert {
    condition     = aws_cloudwatch_metric_alarm.this["schedule-dropped/main"].alarm_actions == toset([var.topics.warning]) && aws_cloudwatch_metric_alarm.this["function-throttles/consumer"].alarm_actions == toset([var.topics.info])
    error_message = "What leaves a composite tells its own topic."
  }
}

run "a_member_may_tell_its_topic_too" {
  command = plan

  variables {
    settings = { alarms = { schedule-dropped = { notify = true } } }
  }

  assert {
    condition     = output.alarms["schedule-dropped/main"].member_of == "broken" && aws_cloudwatch_metric_alarm.this["schedule-dropped/main"].alarm_actions == toset([var.topics.critical])
    error_message = "It still feeds its composite."
  }
}
