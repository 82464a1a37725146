mock_provider "aws" {
  source = "../testing"
}

variables {
  name                     = "charges"
  fifo                     = { high_throughput = false }
  consumer_timeout_seconds = 60
}

run "names_from_a_bare_name" {
  command = plan

  assert {
    condition     = aws_sqs_queue.this.name == "charges.fifo" && aws_sqs_queue.dead_letter.name == "charges-dlq.fifo"
    error_message = "Expected charges.fifo and charges-dlq.fifo, got ${aws_sqs_queue.this.name} and ${aws_sqs_queue.dead_letter.name}."
  }
}

run "arns_and_urls_are_known_at_plan" {
  command = plan

  assert {
    condition     = output.queue.arn == "arn:aws:sqs:ap-northeast-1:111122223333:charges.fifo" && output.dead_letter_queue.arn == "arn:aws:sqs:ap-northeast-1:111122223333:charges-dlq.fifo"
    error_message = "Got ${output.queue.arn} and ${output.dead_letter_queue.arn}."
  }

  assert {
    condition     = output.queue.url == "https://sqs.ap-northeast-1.amazonaws.com/111122223333/charges.fifo" && output.dead_letter_queue.url == "https://sqs.ap-northeast-1.amazonaws.com/111122223333/charges-dlq.fifo"
    error_message = "Got ${output.queue.url} and ${output.dead_letter_queue.url}."
  }
}

run "urls_are_those_of_the_partition" {
  command = plan

  override_data {
    target = data.aws_partition.current
    values = { partition = "aws-cn", dns_suffix = "amazonaws.com.cn" }
  }

  override_data {
    target = data.aws_region.current
    values = { region = "cn-north-1" }
  }

  assert {
    condition     = output.queue.url == "https://sqs.cn-north-1.amazonaws.com.cn/111122223333/charges.fifo" && output.dead_letter_queue.url == "https://sqs.cn-north-1.amazonaws.com.cn/111122223333/charges-dlq.fifo"
    error_message = "Got ${output.queue.url} and ${output.dead_letter_queue.url}."
  }
}

run "names_from_a_name_that_ends_in_fifo" {
  command = plan

  variables {
    name = "charges.fifo"
  }

  assert {
    condition     = aws_sqs_queue.this.name == "charges.fifo" && aws_sqs_queue.dead_letter.name == "charges-dlq.fifo"
    error_message = "Expected charges.fifo and charges-dlq.fifo, got ${aws_sqs_queue.this.name} and ${aws_sqs_queue.dead_letter.name}."
  }
}

run "longest_name_fits_with_both_suffixes" {
  command = plan

  variables {
    name = join("", [for i in range(71) : "q"])
  }

  assert {
    condition     = length(aws_sqs_queue.dead_letter.name) == 80
    error_message = "The dead-letter queue's name fills the 80 characters exactly."
  }
}

run "both_queues_are_fifo_and_deduplicate_by_explicit_ids" {
  command = plan

  assert {
    condition     = aws_sqs_queue.this.fifo_queue && aws_sqs_queue.dead_letter.fifo_queue
    error_message = "A FIFO queue's dead-letter queue is FIFO."
  }

  assert {
    condition     = !aws_sqs_queue.this.content_based_deduplication && !aws_sqs_queue.dead_letter.content_based_deduplication
    error_message = "The business key is the deduplication id, not the body's hash."
  }

  assert {
    condition     = aws_sqs_queue.this.deduplication_scope == "queue" && aws_sqs_queue.this.fifo_throughput_limit == "perQueue"
    error_message = "High-throughput mode is off."
  }
}

run "high_throughput_sets_both_attributes_on_both_queues" {
  command = plan

  variables {
    fifo = { high_throughput = true }
  }

  assert {
    condition     = alltrue([for q in [aws_sqs_queue.this, aws_sqs_queue.dead_letter] : q.deduplication_scope == "messageGroup" && q.fifo_throughput_limit == "perMessageGroupId"])
    error_message = "Both attributes are set on both queues."
  }
}

run "visibility_is_six_times_the_timeout" {
  command = plan

  assert {
    condition     = aws_sqs_queue.this.visibility_timeout_seconds == 360
    error_message = "6 x 60 = 360, got ${aws_sqs_queue.this.visibility_timeout_seconds}."
  }
}

run "visibility_of_exactly_six_times_is_accepted" {
  command = plan

  variables {
    queue = { visibility_timeout_seconds = 360 }
  }

  assert {
    condition     = aws_sqs_queue.this.visibility_timeout_seconds == 360
    error_message = "360 is accepted."
  }
}

run "dead_letter_queue_keeps_longer_than_the_queue" {
  command = plan

  assert {
    condition     = aws_sqs_queue.this.message_retention_seconds == 345600 && aws_sqs_queue.dead_letter.message_retention_seconds == 1209600
    error_message = "4 days in the queue, 14 in the dead-letter queue."
  }

  assert {
    condition     = aws_sqs_queue.this.receive_wait_time_seconds == 20 && aws_sqs_queue.dead_letter.receive_wait_time_seconds == 20
    error_message = "Both poll long."
  }
}

run "redrive_policy_holds_a_number_and_its_permission_names_the_source" {
  command = plan

  assert {
    condition     = aws_sqs_queue_redrive_policy.this.redrive_policy == "{\"deadLetterTargetArn\":\"arn:aws:sqs:ap-northeast-1:111122223333:charges-dlq.fifo\",\"maxReceiveCount\":10}"
    error_message = "Got ${aws_sqs_queue_redrive_policy.this.redrive_policy}."
  }

  assert {
    condition     = aws_sqs_queue_redrive_allow_policy.dead_letter.redrive_allow_policy == "{\"redrivePermission\":\"byQueue\",\"sourceQueueArns\":[\"arn:aws:sqs:ap-northeast-1:111122223333:charges.fifo\"]}"
    error_message = "Got ${aws_sqs_queue_redrive_allow_policy.dead_letter.redrive_allow_policy}."
  }
}

run "receive_count_given_as_text_is_rendered_as_a_number" {
  command = plan

  variables {
    dead_letter_queue = { maximum_receive_count = "5" }
  }

  assert {
    condition     = strcontains(aws_sqs_queue_redrive_policy.this.redrive_policy, "\"maxReceiveCount\":5}")
    error_message = "Got ${aws_sqs_queue_redrive_policy.this.redrive_policy}."
  }
}

run "encrypted_by_sqs_without_a_key" {
  command = plan

  assert {
    condition     = alltrue([for q in [aws_sqs_queue.this, aws_sqs_queue.dead_letter] : q.sqs_managed_sse_enabled && q.kms_master_key_id == null])
    error_message = "SSE-SQS is stated."
  }
}

run "encrypted_by_a_customer_key" {
  command = plan

  variables {
    encryption = { kms_key_arn = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d", data_key_reuse_seconds = 3600 }
  }

  assert {
    condition     = alltrue([for q in [aws_sqs_queue.this, aws_sqs_queue.dead_letter] : q.kms_master_key_id == "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d" && q.kms_data_key_reuse_period_seconds == 3600])
    error_message = "Both queues use the key and its reuse period."
  }

  assert {
    condition     = output.key_policy_json == null
    error_message = "Without service senders the key needs no statements."
  }
}

run "limits_are_handed_to_the_alarms" {
  command = plan

  assert {
    condition     = output.monitoring.queue_name == "charges.fifo" && output.monitoring.dead_letter_queue_name == "charges-dlq.fifo" && output.monitoring.retention_seconds == 345600 && output.monitoring.mapping == null
    error_message = "Alarm dimensions are the names with .fifo."
  }
}

run "arns_are_known_at_plan" {
  command = plan

  assert {
    condition     = output.queue.arn == "arn:aws:sqs:ap-northeast-1:111122223333:charges.fifo" && output.dead_letter_queue.arn == "arn:aws:sqs:ap-northeast-1:111122223333:charges-dlq.fifo"
    error_message = "A policy that names the queues has to be readable in a plan."
  }
}

run "name_of_72_characters_is_refused" {
  command = plan

  variables {
    name = join("", [for i in range(72) : "q"])
  }

  expect_failures = [var.name]
}

run "name_with_fifo_in_the_middle_is_refused" {
  command = plan

  variables {
    name = "charges.fifo-dlq"
  }

  expect_failures = [var.name]
}

run "visibility_below_six_times_is_refused" {
  command = plan

  variables {
    queue = { visibility_timeout_seconds = 359 }
  }

  expect_failures = [var.queue]
}

run "visibility_equal_to_the_timeout_is_refused" {
  command = plan

  variables {
    queue = { visibility_timeout_seconds = 60 }
  }

  expect_failures = [var.queue]
}

run "visibility_beyond_12_hours_is_refused" {
  command = plan

  variables {
    queue             = { visibility_timeout_seconds = 43201 }
    dead_letter_queue = { maximum_receive_count = 3 }
  }

  expect_failures = [var.queue]
}

run "consumer_timeout_beyond_two_hours_is_refused" {
  command = plan

  variables {
    consumer_timeout_seconds = 7201
    dead_letter_queue        = { maximum_receive_count = 3 }
  }

  expect_failures = [var.consumer_timeout_seconds]
}

run "retention_beyond_14_days_is_refused" {
  command = plan

  variables {
    queue = { retention_seconds = 1209601 }
  }

  expect_failures = [var.queue]
}

run "delay_beyond_15_minutes_is_refused" {
  command = plan

  variables {
    queue = { delay_seconds = 901 }
  }

  expect_failures = [var.queue]
}

run "short_polling_is_refused" {
  command = plan

  variables {
    queue = { receive_wait_seconds = 0 }
  }

  expect_failures = [var.queue]
}

run "message_size_beyond_1_mib_is_refused" {
  command = plan

  variables {
    queue = { maximum_message_bytes = 1048577 }
  }

  expect_failures = [var.queue]
}

run "dead_letter_retention_equal_to_the_queue_s_is_refused" {
  command = plan

  variables {
    queue             = { retention_seconds = 345600 }
    dead_letter_queue = { retention_seconds = 345600 }
  }

  expect_failures = [var.dead_letter_queue]
}

run "receive_count_of_one_is_refused" {
  command = plan

  variables {
    dead_letter_queue = { maximum_receive_count = 1 }
  }

  expect_failures = [var.dead_letter_queue]
}

run "receives_that_outlast_the_retention_are_refused" {
  command = plan

  variables {
    queue             = { retention_seconds = 3600 }
    dead_letter_queue = { maximum_receive_count = 11 }
  }

  expect_failures = [var.dead_letter_queue]
}

run "alias_instead_of_a_key_is_refused" {
  command = plan

  variables {
    encryption = { kms_key_arn = "alias/aws/sqs" }
  }

  expect_failures = [var.encryption]
}

run "data_key_reuse_below_a_minute_is_refused" {
  command = plan

  variables {
    encryption = { data_key_reuse_seconds = 59 }
  }

  expect_failures = [var.encryption]
}
