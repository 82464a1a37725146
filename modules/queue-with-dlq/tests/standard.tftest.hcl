mock_provider "aws" {
  source = "../testing"
}

variables {
  name                     = "notices"
  consumer_timeout_seconds = 30
  consumer = {
    function = {
      arn             = "arn:aws:lambda:ap-northeast-1:111122223333:function:notice-consumer"
      name            = "notice-consumer"
      role_name       = "notice-consumer-role"
      timeout_seconds = 30
    }
  }
}

run "names_have_no_fifo" {
  command = plan

  assert {
    condition     = aws_sqs_queue.this.name == "notices" && aws_sqs_queue.dead_letter.name == "notices-dlq"
    error_message = "Got ${aws_sqs_queue.this.name} and ${aws_sqs_queue.dead_letter.name}."
  }

  assert {
    condition     = !aws_sqs_queue.this.fifo_queue && !aws_sqs_queue.dead_letter.fifo_queue
    error_message = "Both are standard queues."
  }
}

run "large_batches_with_a_window" {
  command = plan

  variables {
    consumer = merge(var.consumer, { batch_size = 10000, batching_window_seconds = 300 })
  }

  assert {
    condition     = aws_lambda_event_source_mapping.this[0].batch_size == 10000 && aws_lambda_event_source_mapping.this[0].maximum_batching_window_in_seconds == 300
    error_message = "10000 messages or 300 s."
  }
}

run "batch_above_10_without_a_window_is_refused" {
  command = plan

  variables {
    consumer = merge(var.consumer, { batch_size = 11 })
  }

  expect_failures = [var.consumer]
}

run "window_beyond_5_minutes_is_refused" {
  command = plan

  variables {
    consumer = merge(var.consumer, { batching_window_seconds = 301 })
  }

  expect_failures = [var.consumer]
}

run "batch_beyond_10000_is_refused" {
  command = plan

  variables {
    consumer = merge(var.consumer, { batch_size = 10001, batching_window_seconds = 1 })
  }

  expect_failures = [var.consumer]
}

run "fifo_name_on_a_standard_queue_is_refused" {
  command = plan

  variables {
    name = "notices.fifo"
  }

  expect_failures = [var.name]
}

run "key_admits_the_services_that_send" {
  command = plan

  variables {
    encryption = { kms_key_arn = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d" }
    access = { service_senders = { rule = {
      service     = "events.amazonaws.com"
      source_arns = ["arn:aws:events:ap-northeast-1:111122223333:rule/notices"]
    } } }
  }

  assert {
    condition     = output.key_policy_json != null
    error_message = "A service cannot send to a queue whose key does not admit it."
  }
}
