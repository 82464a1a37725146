mock_provider "aws" {
  source = "../testing"
}

variables {
  name                     = "charges.fifo"
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

run "defaults" {
  command = plan

  assert {
    condition     = output.queue.name == "charges.fifo" && output.dead_letter_queue.name == "charges-dlq.fifo"
    error_message = "Got ${output.queue.name} and ${output.dead_letter_queue.name}."
  }

  assert {
    condition     = output.queue.visibility_timeout_seconds == 360 && output.dead_letter_queue.maximum_receive_count == 10
    error_message = "6 x 60 s of visibility, 10 receives."
  }

  assert {
    condition     = output.monitoring.fifo && output.monitoring.mapping.function_name == "charge-consumer" && output.monitoring.mapping.maximum_concurrency == 10
    error_message = "The alarms learn of the mapping."
  }
}

run "every_setting_is_passed_on" {
  command = plan

  variables {
    queue = {
      visibility_timeout_seconds = 400
      retention_seconds          = 600000
      delay_seconds              = 5
      receive_wait_seconds       = 10
      maximum_message_bytes      = 262144
    }
    dead_letter_queue = { retention_seconds = 700000, maximum_receive_count = 7 }
  }

  assert {
    condition     = output.queue.visibility_timeout_seconds == 400 && output.queue.retention_seconds == 600000
    error_message = "The queue's settings."
  }

  assert {
    condition     = output.dead_letter_queue.retention_seconds == 700000 && output.dead_letter_queue.maximum_receive_count == 7
    error_message = "The dead-letter queue's settings."
  }

  assert {
    condition     = output.monitoring.maximum_message_bytes == 262144
    error_message = "The limit of a message."
  }
}
