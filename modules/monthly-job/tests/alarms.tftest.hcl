mock_provider "aws" {
  source = "../testing"
}

variables {
  name = "prod-charge"
  job  = "charge"
  tables = {
    jobs        = { name = "prod-jobs", arn = "arn:aws:dynamodb:ap-northeast-1:111122223333:table/prod-jobs" }
    directory   = { name = "prod-directory", arn = "arn:aws:dynamodb:ap-northeast-1:111122223333:table/prod-directory" }
    idempotency = { name = "prod-idempotency", arn = "arn:aws:dynamodb:ap-northeast-1:111122223333:table/prod-idempotency" }
  }
  schedule   = { timezone = "Asia/Tokyo" }
  dispatcher = { package = "../testing/package.zip" }
  consumer   = { package = "../testing/package.zip", handler = "charge_consumer.handler.handler" }
  alarms = {
    topics = {
      critical = "arn:aws:sns:ap-northeast-1:111122223333:critical"
      warning  = "arn:aws:sns:ap-northeast-1:111122223333:warning"
      info     = "arn:aws:sns:ap-northeast-1:111122223333:info"
    }
    runbook_url = "https://git.example.com/runbook.md"
  }
}

run "no_alarms_unless_asked_for" {
  command = plan

  variables {
    alarms = null
  }

  assert {
    condition     = output.alarms == null
    error_message = "Alarms need topics and a runbook; without them there are none."
  }
}

run "every_part_is_watched" {
  command = plan

  assert {
    condition     = length(output.alarms.alarms) >= 35
    error_message = "${length(output.alarms.alarms)} alarms; a job has 35 at least."
  }

  assert {
    condition = length(setsubtract([
      "queue-stalled/main", "dlq-visible/main", "mapping-stalled/main", "failure-queue-visible/dispatch", "failure-queue-visible/schedule",
      "function-errors/dispatcher", "function-errors/consumer", "function-async-dropped/dispatcher", "schedule-dropped/main", "job-quarantined/main",
    ], keys(output.alarms.alarms))) == 0
    error_message = "Watched: ${join(", ", keys(output.alarms.alarms))}."
  }

  assert {
    condition     = output.alarms.composites["broken"].name == "prod-charge-broken" && output.alarms.composites["slow"].name == "prod-charge-slow" && output.alarms.dashboard.name == "prod-charge"
    error_message = "Composites and dashboard are the job's."
  }
}

run "no_alarm_that_can_never_fire" {
  command = plan

  assert {
    condition = length(setintersection([
      "job-run-missing/main", "job-run-incomplete/main", "job-run-late/main",                # nothing audits
      "job-redrive-cap-reached/main", "job-redrive-failed/main", "function-errors/redriver", # nothing redrives
      "job-unknown-outcome/main",                                                            # nothing is captured outside
      "function-async-dropped/consumer", "function-errors/auditor",                          # read by a mapping; nothing audits
      "function-duration/dispatcher",                                                        # works until its timeout on purpose
    ], keys(output.alarms.alarms))) == 0
    error_message = "Watched: ${join(", ", keys(output.alarms.alarms))}."
  }
}

run "what_is_added_is_watched" {
  command = plan

  variables {
    consumer = { package = "../testing/package.zip", handler = "charge_consumer.handler.handler", reserved_concurrency = 20, payment_endpoint = "https://payments.example.com/v1" }
    auditor  = { package = "../testing/package.zip" }
    redriver = { package = "../testing/package.zip", alarm_names = ["prod-charge-consumer-function-error-rate"] }
  }

  assert {
    condition = length(setsubtract([
      "job-run-missing/main", "job-run-incomplete/main", "job-run-late/main", "job-redrive-cap-reached/main", "job-redrive-failed/main",
      "job-unknown-outcome/main", "function-errors/auditor", "function-errors/redriver",
    ], keys(output.alarms.alarms))) == 0
    error_message = "Watched: ${join(", ", keys(output.alarms.alarms))}."
  }

  assert {
    condition     = !contains(keys(output.alarms.alarms), "function-concurrency/consumer")
    error_message = "Its mapping limits the consumer, whatever is reserved."
  }
}

run "settings_reach_the_alarms" {
  command = plan

  variables {
    alarms = {
      topics      = var.alarms.topics
      runbook_url = var.alarms.runbook_url
      settings = {
        all       = { notify = true }
        services  = { schedule = { severity = "info" } }
        alarms    = { queue-depth = { enabled = false } }
        resources = { "function-errors/consumer" = { severity = "critical" } }
      }
    }
  }

  assert {
    condition = (
      !contains(keys(output.alarms.alarms), "queue-depth/main")
      && output.alarms.alarms["schedule-dropped/main"].severity == "info"
      && output.alarms.alarms["function-errors/consumer"].member_of == "broken"
      && output.alarms.alarms["function-errors/dispatcher"].member_of == null
    )
    error_message = "An alarm is turned off or over by its id."
  }
}

run "fifo_topic_is_refused" {
  command = plan

  variables {
    alarms = merge(var.alarms, { topics = merge(var.alarms.topics, { info = "arn:aws:sns:ap-northeast-1:111122223333:info.fifo" }) })
  }

  expect_failures = [var.alarms]
}

run "runbook_with_a_fragment_is_refused" {
  command = plan

  variables {
    alarms = merge(var.alarms, { runbook_url = "https://git.example.com/runbook.md#top" })
  }

  expect_failures = [var.alarms]
}

run "half_a_period_is_refused" {
  command = plan

  variables {
    alarms = merge(var.alarms, { settings = { all = { evaluation_periods = 1.5 } } })
  }

  expect_failures = [var.alarms]
}
