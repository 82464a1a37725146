mock_provider "aws" {
  source = "../testing"
}

variables {
  name    = "prod-charge-consumer"
  package = { path = "../testing/package.zip", handler = "charge_consumer.handler.handler" }
}

run "defaults_are_right_for_production" {
  command = plan

  assert {
    condition     = aws_lambda_function.this.runtime == "python3.13" && aws_lambda_function.this.architectures == tolist(["arm64"])
    error_message = "python3.13 on arm64."
  }

  assert {
    condition     = aws_lambda_function.this.timeout == 60 && aws_lambda_function.this.memory_size == 256
    error_message = "60 s, 256 MB."
  }

  assert {
    condition     = aws_lambda_function.this.tracing_config[0].mode == "Active"
    error_message = "Traces are sampled."
  }

  assert {
    condition     = aws_lambda_function.this.source_code_hash == filebase64sha256("../testing/package.zip")
    error_message = "New code is deployed when the zip's content changes."
  }

  assert {
    condition     = length(aws_lambda_function_event_invoke_config.this) == 0
    error_message = "No asynchronous configuration unless asked for."
  }

  assert {
    condition     = output.function.reserved_concurrency == null
    error_message = "No reserved concurrency unless asked for."
  }
}

run "log_group_is_lambda_s_own_with_an_end" {
  command = plan

  assert {
    condition     = aws_cloudwatch_log_group.this.name == "/aws/lambda/prod-charge-consumer" && aws_cloudwatch_log_group.this.retention_in_days == 90
    error_message = "The group that the function writes to, kept 90 days."
  }
}

run "arn_is_known_at_plan" {
  command = plan

  assert {
    condition     = output.function.arn == "arn:aws:lambda:ap-northeast-1:111122223333:function:prod-charge-consumer"
    error_message = "A policy that names the function has to be readable in a plan; got ${output.function.arn}."
  }
}

run "role_carries_the_region" {
  command = plan

  assert {
    condition     = aws_iam_role.this.name == "prod-charge-consumer-ap-northeast-1"
    error_message = "Got ${aws_iam_role.this.name}."
  }
}

run "long_role_name_is_cut_with_a_hash" {
  command = plan

  variables {
    name = join("", [for i in range(64) : "f"])
  }

  assert {
    condition     = aws_iam_role.this.name == "${join("", [for i in range(55) : "f"])}-${substr(sha256("${join("", [for i in range(64) : "f"])}-ap-northeast-1"), 0, 8)}"
    error_message = "64 characters, told apart by a hash; got ${aws_iam_role.this.name}."
  }
}

run "each_policy_is_attached_beside_the_module_s_own" {
  command = plan

  variables {
    policies = { effects = "{\"Version\":\"2012-10-17\",\"Statement\":[]}" }
  }

  assert {
    condition     = toset(keys(aws_iam_role_policy.this)) == toset(["runtime", "effects"])
    error_message = "Got ${join(", ", keys(aws_iam_role_policy.this))}."
  }
}

run "asynchronous_function_has_retries_an_age_and_a_destination" {
  command = plan

  variables {
    asynchronous = {
      failure_queue_arn         = "arn:aws:sqs:ap-northeast-1:111122223333:failures"
      failure_queue_policy_json = "{\"Version\":\"2012-10-17\",\"Statement\":[]}"
    }
  }

  assert {
    condition     = aws_lambda_function_event_invoke_config.this[0].maximum_retry_attempts == 2 && aws_lambda_function_event_invoke_config.this[0].maximum_event_age_in_seconds == 21600
    error_message = "2 retries, 6 h."
  }

  assert {
    condition     = aws_lambda_function_event_invoke_config.this[0].destination_config[0].on_failure[0].destination == "arn:aws:sqs:ap-northeast-1:111122223333:failures"
    error_message = "What fails for good goes to the queue."
  }

  assert {
    condition     = contains(keys(aws_iam_role_policy.this), "failures")
    error_message = "Lambda sends there with the function's role."
  }

  assert {
    condition     = length(aws_lambda_function_recursion_config.this) == 0
    error_message = "Lambda's guard against loops stays on unless a function hands over to itself."
  }
}

run "function_that_hands_over_to_itself_is_no_loop" {
  command = plan

  variables {
    asynchronous = {
      failure_queue_arn         = "arn:aws:sqs:ap-northeast-1:111122223333:failures"
      failure_queue_policy_json = "{\"Version\":\"2012-10-17\",\"Statement\":[]}"
      invokes_itself            = true
    }
  }

  assert {
    condition     = aws_lambda_function_recursion_config.this[0].recursive_loop == "Allow"
    error_message = "Lambda would stop the seventeenth link of the chain."
  }
}

run "every_option" {
  command = plan

  variables {
    description              = "Charges."
    runtime                  = "python3.14"
    architecture             = "x86_64"
    memory_mb                = 1024
    timeout_seconds          = 900
    environment              = { JOB_NAME = "charge" }
    environment_kms_key_arn  = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d"
    permissions_boundary_arn = "arn:aws:iam::111122223333:policy/boundary"
    log                      = { retention_days = 365, kms_key_arn = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d" }
    tracing                  = "PassThrough"
    reserved_concurrency     = 5
  }

  assert {
    condition     = aws_lambda_function.this.environment[0].variables["JOB_NAME"] == "charge" && aws_lambda_function.this.kms_key_arn == "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d"
    error_message = "Environment and its key."
  }

  assert {
    condition     = aws_lambda_function.this.reserved_concurrent_executions == 5 && aws_lambda_function.this.tracing_config[0].mode == "PassThrough"
    error_message = "Concurrency and tracing."
  }

  assert {
    condition     = aws_lambda_function.this.memory_size == 1024 && aws_lambda_function.this.timeout == 900 && aws_lambda_function.this.runtime == "python3.14" && aws_lambda_function.this.architectures == tolist(["x86_64"])
    error_message = "Size and platform."
  }

  assert {
    condition     = aws_iam_role.this.permissions_boundary == "arn:aws:iam::111122223333:policy/boundary" && aws_cloudwatch_log_group.this.retention_in_days == 365 && aws_cloudwatch_log_group.this.kms_key_id == "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d"
    error_message = "Role and log group."
  }
}

run "name_of_65_characters_is_refused" {
  command = plan

  variables {
    name = join("", [for i in range(65) : "f"])
  }

  expect_failures = [var.name]
}

run "description_of_257_characters_is_refused" {
  command = plan

  variables {
    description = join("", [for i in range(257) : "d"])
  }

  expect_failures = [var.description]
}

run "missing_package_is_refused" {
  command = plan

  variables {
    package = { path = "tests/absent.zip", handler = "charge_consumer.handler.handler" }
  }

  expect_failures = [var.package]
}

run "folder_instead_of_a_zip_is_refused" {
  command = plan

  variables {
    package = { path = "tests/python_function.tftest.hcl", handler = "charge_consumer.handler.handler" }
  }

  expect_failures = [var.package]
}

run "handler_without_a_module_is_refused" {
  command = plan

  variables {
    package = { path = "../testing/package.zip", handler = "handler" }
  }

  expect_failures = [var.package]
}

run "old_runtime_is_refused" {
  command = plan

  variables {
    runtime = "python3.11"
  }

  expect_failures = [var.runtime]
}

run "unknown_architecture_is_refused" {
  command = plan

  variables {
    architecture = "arm"
  }

  expect_failures = [var.architecture]
}

run "memory_below_128_is_refused" {
  command = plan

  variables {
    memory_mb = 127
  }

  expect_failures = [var.memory_mb]
}

run "timeout_beyond_15_minutes_is_refused" {
  command = plan

  variables {
    timeout_seconds = 901
  }

  expect_failures = [var.timeout_seconds]
}

run "variable_name_with_a_dash_is_refused" {
  command = plan

  variables {
    environment = { "JOB-NAME" = "charge" }
  }

  expect_failures = [var.environment]
}

run "variable_of_lambda_s_own_is_refused" {
  command = plan

  variables {
    environment = { AWS_REGION = "us-east-1" }
  }

  expect_failures = [var.environment]
}

run "logging_whole_events_is_refused" {
  command = plan

  variables {
    environment = { POWERTOOLS_LOGGER_LOG_EVENT = "true" }
  }

  expect_failures = [var.environment]
}

run "environment_beyond_4_kib_is_refused" {
  command = plan

  variables {
    environment = { LONG = join("", [for i in range(1024) : "xxxx"]) }
  }

  expect_failures = [var.environment]
}

run "alias_for_the_environment_is_refused" {
  command = plan

  variables {
    environment_kms_key_arn = "alias/aws/lambda"
  }

  expect_failures = [var.environment_kms_key_arn]
}

run "policy_named_like_the_module_s_own_is_refused" {
  command = plan

  variables {
    policies = { runtime = "{\"Version\":\"2012-10-17\",\"Statement\":[]}" }
  }

  expect_failures = [var.policies]
}

run "policy_without_a_version_is_refused" {
  command = plan

  variables {
    policies = { effects = "{\"Statement\":[]}" }
  }

  expect_failures = [var.policies]
}

run "role_as_a_boundary_is_refused" {
  command = plan

  variables {
    permissions_boundary_arn = "arn:aws:iam::111122223333:role/boundary"
  }

  expect_failures = [var.permissions_boundary_arn]
}

run "retention_between_two_steps_is_refused" {
  command = plan

  variables {
    log = { retention_days = 100 }
  }

  expect_failures = [var.log]
}

run "alias_for_the_log_group_is_refused" {
  command = plan

  variables {
    log = { kms_key_arn = "alias/logs" }
  }

  expect_failures = [var.log]
}

run "tracing_off_is_refused" {
  command = plan

  variables {
    tracing = "Off"
  }

  expect_failures = [var.tracing]
}

run "reserved_concurrency_of_zero_is_refused" {
  command = plan

  variables {
    reserved_concurrency = 0
  }

  expect_failures = [var.reserved_concurrency]
}

run "three_asynchronous_retries_are_refused" {
  command = plan

  variables {
    asynchronous = { maximum_retry_attempts = 3, failure_queue_arn = "arn:aws:sqs:ap-northeast-1:111122223333:failures", failure_queue_policy_json = "{}" }
  }

  expect_failures = [var.asynchronous]
}

run "asynchronous_age_beyond_6_hours_is_refused" {
  command = plan

  variables {
    asynchronous = { maximum_event_age_seconds = 21601, failure_queue_arn = "arn:aws:sqs:ap-northeast-1:111122223333:failures", failure_queue_policy_json = "{}" }
  }

  expect_failures = [var.asynchronous]
}

run "fifo_queue_for_failures_is_refused" {
  command = plan

  variables {
    asynchronous = { failure_queue_arn = "arn:aws:sqs:ap-northeast-1:111122223333:failures.fifo", failure_queue_policy_json = "{}" }
  }

  expect_failures = [var.asynchronous]
}
