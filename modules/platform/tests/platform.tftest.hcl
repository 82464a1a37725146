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

run "folder_without_packages_is_refused" {
  command = plan

  variables {
    dist = "../testing"
  }

  expect_failures = [var.dist]
}

run "concurrency_of_one_is_refused" {
  command = plan

  variables {
    jobs = { charge = { maximum_concurrency = 1 }, co2 = {} }
  }

  expect_failures = [var.jobs]
}

run "redrives_without_end_are_refused" {
  command = plan

  variables {
    jobs = { charge = { redriver = { maximum_redrives = 21 } }, co2 = {} }
  }

  expect_failures = [var.jobs]
}

run "half_a_period_is_refused" {
  command = plan

  variables {
    jobs = { charge = { alarms = { dlq-in-flight = { evaluation_periods = 1.5 } } }, co2 = {} }
  }

  expect_failures = [var.jobs]
}

run "unknown_group_scope_is_refused" {
  command = plan

  variables {
    jobs = { charge = { group_scope = "tenant" }, co2 = {} }
  }

  expect_failures = [var.jobs]
}

run "redriver_of_a_job_that_halts_groups_is_refused" {
  command = plan

  variables {
    jobs = { charge = { on_quarantine = "halt-group", redriver = {} }, co2 = {} }
  }

  expect_failures = [var.jobs]
}

run "vpc_instead_of_an_endpoint_is_refused" {
  command = plan

  variables {
    jobs = { charge = { vpc_endpoint_ids = ["vpc-0a1b2c3d"] }, co2 = {} }
  }

  expect_failures = [var.jobs]
}

run "runbook_in_the_open_is_refused" {
  command = plan

  variables {
    alerts = merge(var.alerts, { runbook_url = "http://git.example.com/runbook.md" })
  }

  expect_failures = [var.alerts]
}

run "half_a_period_of_what_is_shared_is_refused" {
  command = plan

  variables {
    alerts = merge(var.alerts, { alarms = { account-user-errors = { evaluation_periods = 1.5 } } })
  }

  expect_failures = [var.alerts]
}

run "longer_quiet_than_sqs_delays_is_refused" {
  command = plan

  variables {
    alerts = merge(var.alerts, { slack = { credentials = { ssm_parameter_name = "/fanout-dev/slack" }, quiet_seconds = 901 } })
  }

  expect_failures = [var.alerts]
}

run "days_that_cloudwatch_logs_does_not_know_are_refused" {
  command = plan

  variables {
    log_retention_days = 100
  }

  expect_failures = [var.log_retention_days]
}

run "alias_instead_of_a_key_is_refused" {
  command = plan

  variables {
    kms_key_arn = "alias/prod"
  }

  expect_failures = [var.kms_key_arn]
}

run "boundary_that_is_no_policy_is_refused" {
  command = plan

  variables {
    permissions_boundary_arn = "arn:aws:iam::111122223333:role/boundary"
  }

  expect_failures = [var.permissions_boundary_arn]
}

run "audit_goes_on_where_a_job_is_switched_off" {
  command = plan

  variables {
    jobs = { charge = { enabled = false }, co2 = { audit_enabled = false } }
  }

  assert {
    condition     = !output.jobs.charge.schedules.dispatch.enabled && output.jobs.charge.schedules.audit.enabled
    error_message = "A job that was switched off by mistake is still audited."
  }

  assert {
    condition     = output.jobs.co2.schedules.dispatch.enabled && !output.jobs.co2.schedules.audit.enabled
    error_message = "The audit has a switch of its own."
  }
}
