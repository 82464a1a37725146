mock_provider "aws" {
  source = "../testing"
}

variables {
  name = "charge-schedule-failures"
}

run "defaults" {
  command = plan

  assert {
    condition     = aws_sqs_queue.this.name == "charge-schedule-failures" && !aws_sqs_queue.this.fifo_queue
    error_message = "Scheduler and Lambda take standard queues only."
  }

  assert {
    condition     = aws_sqs_queue.this.message_retention_seconds == 1209600 && aws_sqs_queue.this.receive_wait_time_seconds == 20 && aws_sqs_queue.this.sqs_managed_sse_enabled
    error_message = "14 days, long polling, SSE-SQS."
  }

  assert {
    condition     = output.queue.arn == "arn:aws:sqs:ap-northeast-1:111122223333:charge-schedule-failures"
    error_message = "The ARN is known at plan; got ${output.queue.arn}."
  }

  assert {
    condition     = output.queue.url == "https://sqs.ap-northeast-1.amazonaws.com/111122223333/charge-schedule-failures"
    error_message = "The URL is known at plan; got ${output.queue.url}."
  }
}

run "url_is_that_of_the_partition" {
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
    condition     = output.queue.url == "https://sqs.cn-north-1.amazonaws.com.cn/111122223333/charge-schedule-failures"
    error_message = "Got ${output.queue.url}."
  }
}

run "customer_key" {
  command = plan

  variables {
    kms_key_arn = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d"
  }

  assert {
    condition     = aws_sqs_queue.this.kms_master_key_id == "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d"
    error_message = "The customer's key encrypts."
  }
}

run "fifo_name_is_refused" {
  command = plan

  variables {
    name = "charge-schedule-failures.fifo"
  }

  expect_failures = [var.name]
}

run "alias_instead_of_a_key_is_refused" {
  command = plan

  variables {
    kms_key_arn = "alias/aws/sqs"
  }

  expect_failures = [var.kms_key_arn]
}
