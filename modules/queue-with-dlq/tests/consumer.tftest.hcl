mock_provider "aws" {
  source = "../testing"
}

variables {
  name                     = "charges"
  fifo                     = { high_throughput = false }
  consumer_timeout_seconds = 60
  consumer = {
    function = {
      arn             = "arn:aws:lambda:ap-northeast-1:111122223333:function:charge-consumer"
      name            = "charge-consumer"
      role_name       = "charge-consumer-role"
      timeout_seconds = 60
    }
  }
}

run "partial_answers_are_always_asked_for" {
  command = plan

  assert {
    condition     = aws_lambda_event_source_mapping.this[0].function_response_types == toset(["ReportBatchItemFailures"])
    error_message = "Without it one failure brings the whole batch back."
  }
}

run "mapping_has_a_maximum_concurrency_unless_told" {
  command = plan

  assert {
    condition     = aws_lambda_event_source_mapping.this[0].scaling_config[0].maximum_concurrency == 10 && length(aws_lambda_event_source_mapping.this[0].provisioned_poller_config) == 0
    error_message = "10 invocations side by side."
  }

  assert {
    condition     = aws_lambda_event_source_mapping.this[0].batch_size == 10
    error_message = "10 messages at a time."
  }

  assert {
    condition     = aws_lambda_event_source_mapping.this[0].metrics_config[0].metrics == toset(["EventCount"])
    error_message = "The mapping reports its own metrics."
  }
}

run "role_may_consume" {
  command = plan

  assert {
    condition     = aws_iam_role_policy.consumer[0].role == "charge-consumer-role" && aws_iam_role_policy.consumer[0].name == "consume-charges"
    error_message = "The consumer policy is attached to the function's role."
  }
}

run "nothing_is_attached_without_a_consumer" {
  command = plan

  variables {
    consumer = null
  }

  assert {
    condition     = length(aws_lambda_event_source_mapping.this) == 0 && length(aws_iam_role_policy.consumer) == 0
    error_message = "No mapping and no policy."
  }
}

run "mapping_can_be_disabled" {
  command = plan

  variables {
    consumer = merge(var.consumer, { enabled = false })
  }

  assert {
    condition     = !aws_lambda_event_source_mapping.this[0].enabled
    error_message = "Off."
  }
}

run "provisioned_pollers_replace_the_maximum_concurrency" {
  command = plan

  variables {
    consumer = merge(var.consumer, { provisioned_pollers = { minimum = 2, maximum = 20 } })
  }

  assert {
    condition     = length(aws_lambda_event_source_mapping.this[0].scaling_config) == 0 && aws_lambda_event_source_mapping.this[0].provisioned_poller_config[0].minimum_pollers == 2 && aws_lambda_event_source_mapping.this[0].provisioned_poller_config[0].maximum_pollers == 20
    error_message = "2 to 20 pollers, no maximum concurrency."
  }
}

run "concurrency_equal_to_the_reserved_is_accepted" {
  command = plan

  variables {
    consumer = {
      function            = merge(var.consumer.function, { reserved_concurrency = 5 })
      maximum_concurrency = 5
    }
  }

  assert {
    condition     = aws_lambda_event_source_mapping.this[0].scaling_config[0].maximum_concurrency == 5
    error_message = "5 side by side."
  }
}

run "batch_of_100_on_a_fifo_queue_is_refused" {
  command = plan

  variables {
    consumer = merge(var.consumer, { batch_size = 100, batching_window_seconds = 0 })
  }

  # Two rules break at once: FIFO takes 10 at most, and more than 10 want a window.
  expect_failures = [var.consumer]
}

run "batch_of_11_on_a_fifo_queue_is_refused" {
  command = plan

  variables {
    consumer = merge(var.consumer, { batch_size = 11 })
  }

  expect_failures = [var.consumer]
}

run "window_on_a_fifo_queue_is_refused" {
  command = plan

  variables {
    consumer = merge(var.consumer, { batching_window_seconds = 5 })
  }

  expect_failures = [var.consumer]
}

run "concurrency_of_one_is_refused" {
  command = plan

  variables {
    consumer = merge(var.consumer, { maximum_concurrency = 1 })
  }

  expect_failures = [var.consumer]
}

run "concurrency_above_the_reserved_is_refused" {
  command = plan

  variables {
    consumer = {
      function            = merge(var.consumer.function, { reserved_concurrency = 5 })
      maximum_concurrency = 6
    }
  }

  expect_failures = [var.consumer]
}

run "default_concurrency_above_the_reserved_is_refused" {
  command = plan

  variables {
    consumer = { function = merge(var.consumer.function, { reserved_concurrency = 9 }) }
  }

  expect_failures = [var.consumer]
}

run "concurrency_beside_provisioned_pollers_is_refused" {
  command = plan

  variables {
    consumer = merge(var.consumer, { maximum_concurrency = 10, provisioned_pollers = { minimum = 2, maximum = 20 } })
  }

  expect_failures = [var.consumer]
}

run "fewer_than_two_pollers_are_refused" {
  command = plan

  variables {
    consumer = merge(var.consumer, { provisioned_pollers = { minimum = 1, maximum = 20 } })
  }

  expect_failures = [var.consumer]
}

run "function_slower_than_the_visibility_allows_is_refused" {
  command = plan

  variables {
    consumer = { function = merge(var.consumer.function, { timeout_seconds = 61 }) }
  }

  expect_failures = [var.consumer]
}

run "concurrency_beyond_the_usual_quota_is_accepted" {
  command = plan

  variables {
    consumer = merge(var.consumer, { maximum_concurrency = 1500 })
  }

  assert {
    condition     = aws_lambda_event_source_mapping.this[0].scaling_config[0].maximum_concurrency == 1500
    error_message = "AWS raises its quota of 1000 on request."
  }
}

run "function_by_its_name_is_refused" {
  command = plan

  variables {
    consumer = { function = merge(var.consumer.function, { arn = "charge-consumer" }) }
  }

  expect_failures = [var.consumer]
}

run "function_reserved_by_halves_is_refused" {
  command = plan

  variables {
    consumer = { function = merge(var.consumer.function, { reserved_concurrency = 10.5 }) }
  }

  expect_failures = [var.consumer]
}
