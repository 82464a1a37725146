mock_provider "aws" {
  source = "../testing"
}

variables {
  name     = "fanout-dev"
  dist     = "../testing/dist"
  timezone = "Asia/Tokyo"
  jobs     = { charge = {}, co2 = {} }
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
