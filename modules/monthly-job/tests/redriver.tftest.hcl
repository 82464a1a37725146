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
  redriver   = { package = "../testing/package.zip", alarm_names = ["prod-charge-errors"] }
}

run "redriver_runs_on_a_schedule_of_its_own" {
  command = plan

  assert {
    condition     = output.functions.redriver.name == "prod-charge-redriver" && join(",", keys(output.schedules)) == "dispatch,redrive"
    error_message = "A function and a schedule beside the job's."
  }

  assert {
    condition     = output.monitoring.functions.redriver.asynchronous
    error_message = "Scheduler's retries never see it fail."
  }
}

run "nothing_is_redriven_unless_asked_for" {
  command = plan

  variables {
    redriver = null
  }

  assert {
    condition     = output.functions.redriver == null && join(",", keys(output.schedules)) == "dispatch"
    error_message = "No redriver, no schedule for it."
  }
}

run "every_option" {
  command = plan

  variables {
    redriver = {
      package             = "../testing/package.zip"
      memory_mb           = 512
      timeout_seconds     = 900
      expression          = "rate(5 minutes)"
      enabled             = false
      classes             = ["unknown", "transient"]
      maximum_redrives    = 5
      pause_seconds       = 60
      limit               = 100
      messages_per_second = 10
      alarm_names         = ["b", "a"]
    }
  }

  assert {
    condition     = output.functions.redriver.timeout_seconds == 900
    error_message = "The function's settings arrive."
  }
}

run "rejected_messages_are_never_redriven" {
  command = plan

  variables {
    redriver = { package = "../testing/package.zip", alarm_names = ["a"], classes = ["transient", "rejected"] }
  }

  expect_failures = [var.redriver]
}

run "redriver_without_an_alarm_is_refused" {
  command = plan

  variables {
    redriver = { package = "../testing/package.zip", alarm_names = [] }
  }

  expect_failures = [var.redriver]
}

run "redrives_without_end_are_refused" {
  command = plan

  variables {
    redriver = { package = "../testing/package.zip", alarm_names = ["a"], maximum_redrives = 0 }
  }

  expect_failures = [var.redriver]
}

run "pause_of_more_than_a_day_is_refused" {
  command = plan

  variables {
    redriver = { package = "../testing/package.zip", alarm_names = ["a"], pause_seconds = 86401 }
  }

  expect_failures = [var.redriver]
}

run "run_without_a_limit_is_refused" {
  command = plan

  variables {
    redriver = { package = "../testing/package.zip", alarm_names = ["a"], limit = 1001 }
  }

  expect_failures = [var.redriver]
}

run "rate_of_nothing_is_refused" {
  command = plan

  variables {
    redriver = { package = "../testing/package.zip", alarm_names = ["a"], messages_per_second = 0 }
  }

  expect_failures = [var.redriver]
}

run "redriver_of_a_job_that_halts_groups_is_refused" {
  command = plan

  variables {
    consumer = { package = "../testing/package.zip", handler = "charge_consumer.handler.handler", on_quarantine = "halt-group" }
  }

  expect_failures = [var.redriver]
}

run "missing_package_is_refused" {
  command = plan

  variables {
    redriver = { package = "../testing/none.zip", alarm_names = ["a"] }
  }

  expect_failures = [var.redriver]
}

run "handler_without_a_module_is_refused" {
  command = plan

  variables {
    redriver = { package = "../testing/package.zip", alarm_names = ["a"], handler = "handler" }
  }

  expect_failures = [var.redriver]
}

run "alarms_that_fill_the_environment_are_refused" {
  command = plan

  variables {
    redriver = { package = "../testing/package.zip", alarm_names = [for number in range(10) : format("%0255d", number)] }
  }

  expect_failures = [var.redriver]
}
