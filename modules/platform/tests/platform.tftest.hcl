mock_provider "aws" {
  source = "../testing"
}

variables {
  name     = "fanout-dev"
  dist     = "../testing/dist"
  timezone = "Asia/Tokyo"
  jobs     = { charge = {}, co2 = {} }
  alerts = {
    runbook_url = "https://git.example.com/runbook.md"
    email       = { on-call = { address = "on-call@example.com" } }
  }
}

run "two_jobs_on_three_tables" {
  command = plan

  assert {
    condition     = output.tables == { jobs = "fanout-dev-jobs", directory = "fanout-dev-directory", idempotency = "fanout-dev-idempotency" }
    error_message = "Got ${jsonencode(output.tables)}."
  }

  assert {
    condition     = output.jobs.charge.queue.name == "fanout-dev-charge.fifo" && output.jobs.co2.queue.name == "fanout-dev-co2.fifo"
    error_message = "A queue a job."
  }

  assert {
    condition     = output.jobs.charge.functions.auditor.name == "fanout-dev-charge-auditor" && output.jobs.co2.schedules.audit.timezone == "Asia/Tokyo"
    error_message = "Both jobs are audited."
  }
}

run "settings_reach_their_job" {
  command = plan

  variables {
    tables             = { point_in_time_recovery = false, deletion_protection = false }
    log_retention_days = 365
    jobs = {
      charge = { maximum_concurrency = 100, consumer_timeout_seconds = 30 }
      co2    = { enabled = false }
    }
  }

  assert {
    condition     = output.monitoring.jobs.charge.queues.main.mapping.maximum_concurrency == 100 && output.monitoring.jobs.co2.queues.main.mapping.maximum_concurrency == 10
    error_message = "Only charge runs 100 side by side."
  }

  assert {
    condition     = output.jobs.charge.queue.visibility_timeout_seconds == 180 && output.jobs.co2.queue.visibility_timeout_seconds == 360
    error_message = "Visibility follows each consumer."
  }
}

run "alarms_tell_the_channel_and_each_job_has_its_own" {
  command = plan

  variables {
    alerts = {
      runbook_url = "https://git.example.com/runbook.md"
      slack = {
        credentials = { ssm_parameter_name = "/fanout-dev/slack" }
        channels    = { critical = "C0CRITICAL", warning = "C0WARNING", info = "C0INFO" }
      }
      alarms = { account-user-errors = { enabled = false } }
    }
    jobs = {
      charge = { alarms = { dlq-in-flight = { enabled = false }, "function-throttles/consumer" = { enabled = false } } }
      co2    = {}
    }
  }

  assert {
    condition     = length(output.alerts.alarms.charge.alarms) >= 35 && length(output.alerts.alarms.co2.alarms) >= 35
    error_message = "Got ${length(output.alerts.alarms.charge.alarms)} and ${length(output.alerts.alarms.co2.alarms)} alarms."
  }

  assert {
    condition     = contains(keys(output.alerts.alarms.platform.alarms), "function-errors/notifier") && contains(keys(output.alerts.alarms.platform.alarms), "table-system-errors/jobs")
    error_message = "The notifier and the tables are watched."
  }

  assert {
    condition     = !contains(keys(output.alerts.alarms.charge.alarms), "dlq-in-flight/main") && contains(keys(output.alerts.alarms.co2.alarms), "dlq-in-flight/main")
    error_message = "An alarm is turned off for its job only."
  }

  assert {
    condition     = !contains(keys(output.alerts.alarms.charge.alarms), "function-throttles/consumer") && contains(keys(output.alerts.alarms.charge.alarms), "function-throttles/dispatcher")
    error_message = "An alarm is turned off on one resource only."
  }

  assert {
    condition     = !contains(keys(output.alerts.alarms.platform.alarms), "account-user-errors/account")
    error_message = "What the jobs share has settings, too."
  }
}

run "redriver_waits_for_alarms_that_there_are" {
  command = plan

  variables {
    jobs = { charge = { redriver = {} }, co2 = {} }
  }

  assert {
    condition     = output.jobs.charge.functions.redriver.name == "fanout-dev-charge-redriver" && output.jobs.co2.functions.redriver == null
    error_message = "Only charge puts back by itself."
  }

  assert {
    condition     = length(setsubtract(local.consumer_alarms["charge"], [for alarm in values(output.alerts.alarms.charge.alarms) : alarm.name])) == 0
    error_message = "It waits for ${jsonencode(local.consumer_alarms["charge"])}."
  }
}

run "missing_job_is_refused" {
  command = plan

  variables {
    jobs = { charge = {} }
  }

  expect_failures = [var.jobs]
}

run "payments_for_co2_are_refused" {
  command = plan

  variables {
    jobs = { charge = {}, co2 = { payment_endpoint = "https://payments.example.com" } }
  }

  expect_failures = [var.jobs]
}

run "name_in_capitals_is_refused" {
  command = plan

  variables {
    name = "Fanout"
  }

  expect_failures = [var.name]
}
