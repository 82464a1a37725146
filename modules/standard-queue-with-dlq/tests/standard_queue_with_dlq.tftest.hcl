mock_provider "aws" {
  source = "../testing"
}

variables {
  name                     = "notices"
  reason                   = "A notice is shown by its newest revision"
  consumer_timeout_seconds = 60
  consumer = {
    function = {
      arn             = "arn:aws:lambda:ap-northeast-1:111122223333:function:notice-consumer"
      name            = "notice-consumer"
      role_name       = "notice-consumer-role"
      timeout_seconds = 60
    }
    batch_size              = 1000
    batching_window_seconds = 5
  }
}

run "defaults" {
  command = plan

  assert {
    condition     = output.queue.name == "notices" && output.dead_letter_queue.name == "notices-dlq"
    error_message = "Got ${output.queue.name} and ${output.dead_letter_queue.name}."
  }

  assert {
    condition     = output.queue.visibility_timeout_seconds == 360 && output.dead_letter_queue.maximum_receive_count == 10
    error_message = "6 x 60 s of visibility, 10 receives."
  }

  assert {
    condition     = !output.monitoring.fifo && output.monitoring.mapping.function_name == "notice-consumer"
    error_message = "The alarms learn of the type and of the mapping."
  }
}

run "no_reason_is_refused" {
  command = plan

  variables {
    reason = "because"
  }

  expect_failures = [var.reason]
}
