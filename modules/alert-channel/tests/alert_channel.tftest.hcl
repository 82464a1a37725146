mock_provider "aws" {
  source = "../testing"
}

variables {
  name        = "prod-alerts"
  environment = "prod"
  email       = { on-call = { address = "on-call@example.com" } }
}

run "a_mailbox_is_told_of_every_severity" {
  command = plan

  assert {
    condition     = toset([for s in aws_sns_topic_subscription.email : s.protocol]) == toset(["email"]) && length(aws_sns_topic_subscription.email) == 3
    error_message = "One subscription a severity."
  }

  assert {
    condition     = jsonencode(output.topics) == jsonencode({ for severity in ["critical", "info", "warning"] : severity => "arn:aws:sns:ap-northeast-1:111122223333:prod-alerts-${severity}" })
    error_message = jsonencode(output.topics)
  }

  assert {
    condition     = length(module.notifier) == 0 && output.notifier == null && length(aws_cloudwatch_log_subscription_filter.errors) == 0
    error_message = "No notifier without Slack."
  }
}

run "topics_have_a_key_of_their_own" {
  command = plan

  assert {
    condition     = length(aws_kms_key.this) == 1 && aws_kms_key.this[0].enable_key_rotation
    error_message = "CloudWatch may not use alias/aws/sns."
  }
}

run "topics_take_the_key_that_is_given" {
  command = plan

  variables {
    key = { arn = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d" }
  }

  assert {
    condition     = length(aws_kms_key.this) == 0 && toset([for topic in aws_sns_topic.this : topic.kms_master_key_id]) == toset(["arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d"])
    error_message = "No second key."
  }

  assert {
    condition     = output.kms_key_arn == "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d"
    error_message = "The key is handed out."
  }
}

run "severities_are_a_choice" {
  command = plan

  variables {
    email = { on-call = { address = "on-call@example.com", severities = ["critical"] } }
    https = { pager = { url = "https://pager.example.com/hooks/prod", severities = ["critical", "warning"] } }
  }

  assert {
    condition     = keys(aws_sns_topic_subscription.email) == ["on-call-critical"] && keys(aws_sns_topic_subscription.https) == ["pager-critical", "pager-warning"]
    error_message = "Only what they asked for."
  }

  assert {
    condition     = jsondecode(aws_sns_topic_subscription.https["pager-critical"].redrive_policy).deadLetterTargetArn == "arn:aws:sqs:ap-northeast-1:111122223333:prod-alerts-pager-failures"
    error_message = "What the pager does not take is kept."
  }

  assert {
    condition     = contains(keys(output.monitoring.failure_queues), "https-pager")
    error_message = "And watched."
  }
}

run "slack_is_told_through_a_queue_that_outlives_an_hour" {
  command = plan

  variables {
    email = {}
    slack = {
      package     = "../testing/package.zip"
      credentials = { ssm_parameter_name = "/prod/slack" }
      channels    = { critical = "C0CRITICAL", warning = "C0WARNING", info = "C0INFO" }
    }
    log_groups = { consumer = "/aws/lambda/prod-charge-consumer" }
  }

  assert {
    condition     = keys(module.fan_out) == ["critical", "info", "warning"]
    error_message = "Every severity goes to Slack."
  }

  assert {
    condition     = output.notifier.dead_letter_queue.maximum_receive_count == 20
    error_message = "With the notifier's pauses of 2 s to 900 s, halved at worst, 20 receives are an hour and more."
  }

  assert {
    condition     = aws_lambda_permission.logs[0].source_arn == "arn:aws:logs:ap-northeast-1:111122223333:log-group:*" && aws_lambda_permission.logs[0].source_account == "111122223333" && aws_lambda_permission.logs[0].principal == "logs.amazonaws.com"
    error_message = "Only log groups of this account and region may invoke."
  }

  assert {
    condition     = aws_cloudwatch_log_subscription_filter.errors["consumer"].destination_arn == "arn:aws:lambda:ap-northeast-1:111122223333:function:prod-alerts-notifier"
    error_message = "Error lines go to the notifier."
  }

  assert {
    condition     = keys(output.monitoring.queues) == ["notifier"] && output.monitoring.functions["notifier"].asynchronous && keys(output.monitoring.failure_queues) == ["notifier-critical", "notifier-info", "notifier-logs", "notifier-warning"]
    error_message = "Alarms watch all of it."
  }

  assert {
    condition     = output.monitoring.topics == { for severity in ["critical", "info", "warning"] : severity => { topic_name = "prod-alerts-${severity}" } }
    error_message = "And its topics."
  }
}

run "webhook_needs_no_channels" {
  command = plan

  variables {
    email = {}
    slack = {
      package     = "../testing/package.zip"
      credentials = { secrets_manager_secret_arn = "arn:aws:secretsmanager:ap-northeast-1:111122223333:secret:prod/slack-AbCdEf" }
      api_url     = "http://127.0.0.1:8098/api"
    }
  }

  assert {
    condition     = output.notifier.function.name == "prod-alerts-notifier"
    error_message = "The notifier is made."
  }
}

run "name_of_24_characters_is_refused" {
  command = plan

  variables {
    name = join("", [for i in range(24) : "n"])
  }

  expect_failures = [var.name]
}

run "environment_with_markup_is_refused" {
  command = plan

  variables {
    environment = "<!channel>"
  }

  expect_failures = [var.environment]
}

run "key_of_sns_itself_is_refused" {
  command = plan

  variables {
    key = { arn = "alias/aws/sns" }
  }

  expect_failures = [var.key]
}

run "key_keeper_with_a_wildcard_is_refused" {
  command = plan

  variables {
    key_access = { administrator_arns = ["arn:aws:iam::111122223333:role/*"] }
  }

  expect_failures = [var.key_access]
}

run "address_without_a_domain_is_refused" {
  command = plan

  variables {
    email = { on-call = { address = "on-call@localhost" } }
  }

  expect_failures = [var.email]
}

run "mailbox_of_an_unknown_severity_is_refused" {
  command = plan

  variables {
    email = { on-call = { address = "on-call@example.com", severities = ["critical", "fatal"] } }
  }

  expect_failures = [var.email]
}

run "key_that_names_no_queue_is_refused" {
  command = plan

  variables {
    https = { "the pager" = { url = "https://pager.example.com" } }
  }

  expect_failures = [var.https]
}

run "plain_http_is_refused" {
  command = plan

  variables {
    https = { pager = { url = "http://pager.example.com" } }
  }

  expect_failures = [var.https]
}

run "hook_of_no_severity_is_refused" {
  command = plan

  variables {
    https = { pager = { url = "https://pager.example.com", severities = [] } }
  }

  expect_failures = [var.https]
}

run "channel_nobody_listens_to_is_refused" {
  command = plan

  variables {
    email = { on-call = { address = "on-call@example.com", severities = ["warning", "info"] } }
  }

  expect_failures = [var.slack]
}

run "two_places_of_the_secret_are_refused" {
  command = plan

  variables {
    slack = {
      package     = "../testing/package.zip"
      credentials = { ssm_parameter_name = "/prod/slack", secrets_manager_secret_arn = "arn:aws:secretsmanager:ap-northeast-1:111122223333:secret:prod/slack-AbCdEf" }
    }
  }

  expect_failures = [var.slack]
}

run "token_in_place_of_a_parameter_s_name_is_refused" {
  command = plan

  variables {
    slack = {
      package     = "../testing/package.zip"
      credentials = { ssm_parameter_name = "xoxb-secret" }
    }
  }

  expect_failures = [var.slack]
}

run "webhook_in_place_of_a_parameter_s_name_is_refused" {
  command = plan

  variables {
    slack = {
      package     = "../testing/package.zip"
      credentials = { ssm_parameter_name = "https://hooks.slack.com/services/T0/B0/x" }
    }
  }

  expect_failures = [var.slack]
}

run "secret_by_its_name_is_refused" {
  command = plan

  variables {
    slack = {
      package     = "../testing/package.zip"
      credentials = { secrets_manager_secret_arn = "prod/slack" }
    }
  }

  expect_failures = [var.slack]
}

run "alias_of_the_secret_s_key_is_refused" {
  command = plan

  variables {
    slack = {
      package     = "../testing/package.zip"
      credentials = { ssm_parameter_name = "/prod/slack", kms_key_arn = "alias/prod" }
    }
  }

  expect_failures = [var.slack]
}

run "channel_by_its_name_is_refused" {
  command = plan

  variables {
    slack = {
      package     = "../testing/package.zip"
      credentials = { ssm_parameter_name = "/prod/slack" }
      channels    = { critical = "#alerts", warning = "C0WARNING", info = "C0INFO" }
    }
  }

  expect_failures = [var.slack]
}

run "slack_in_the_open_is_refused" {
  command = plan

  variables {
    slack = {
      package     = "../testing/package.zip"
      credentials = { ssm_parameter_name = "/prod/slack" }
      api_url     = "http://slack.example.com/api"
    }
  }

  expect_failures = [var.slack]
}

run "longer_quiet_than_sqs_delays_is_refused" {
  command = plan

  variables {
    slack = {
      package       = "../testing/package.zip"
      credentials   = { ssm_parameter_name = "/prod/slack" }
      quiet_seconds = 901
    }
  }

  expect_failures = [var.slack]
}

run "log_groups_without_slack_are_refused" {
  command = plan

  variables {
    log_groups = { consumer = "/aws/lambda/prod-charge-consumer" }
  }

  expect_failures = [var.log_groups]
}

run "log_group_by_its_arn_is_refused" {
  command = plan

  variables {
    slack      = { package = "../testing/package.zip", credentials = { ssm_parameter_name = "/prod/slack" } }
    log_groups = { consumer = "arn:aws:logs:ap-northeast-1:111122223333:log-group:/aws/lambda/prod-charge-consumer" }
  }

  expect_failures = [var.log_groups]
}

run "own_log_group_is_refused" {
  command = plan

  variables {
    slack      = { package = "../testing/package.zip", credentials = { ssm_parameter_name = "/prod/slack" } }
    log_groups = { notifier = "/aws/lambda/prod-alerts-notifier" }
  }

  expect_failures = [var.log_groups]
}

run "no_personal_key_is_refused" {
  command = plan

  variables {
    personal_keys = []
  }

  expect_failures = [var.personal_keys]
}

run "namespace_of_aws_is_refused" {
  command = plan

  variables {
    metrics_namespace = "AWS/Alerts"
  }

  expect_failures = [var.metrics_namespace]
}

run "sixty_log_groups_need_one_statement" {
  command = plan

  variables {
    slack      = { package = "../testing/package.zip", credentials = { ssm_parameter_name = "/prod/slack" } }
    log_groups = { for number in range(60) : "service-${number}/consumer" => "/aws/lambda/fanout-prod-service-${number}-consumer" }
  }

  assert {
    condition     = length(aws_lambda_permission.logs) == 1 && length(aws_cloudwatch_log_subscription_filter.errors) == 60
    error_message = "A function's policy has 20,480 bytes: some fifty statements."
  }
}

run "key_of_a_queue_of_the_module_s_own_is_refused" {
  command = plan

  variables {
    https = { critical-notifier = { url = "https://pager.example.com" } }
  }

  expect_failures = [var.https]
}

run "personal_keys_that_fill_the_environment_are_refused" {
  command = plan

  variables {
    personal_keys = [for number in range(40) : format("key_%022d", number)]
  }

  expect_failures = [var.personal_keys]
}

run "days_that_cloudwatch_logs_does_not_know_are_refused" {
  command = plan

  variables {
    log_retention_days = 100
  }

  expect_failures = [var.log_retention_days]
}

run "boundary_that_is_no_policy_is_refused" {
  command = plan

  variables {
    permissions_boundary_arn = "arn:aws:iam::111122223333:role/boundary"
  }

  expect_failures = [var.permissions_boundary_arn]
}

run "missing_package_is_refused" {
  command = plan

  variables {
    slack = { package = "../testing/none.zip", credentials = { ssm_parameter_name = "/prod/slack" } }
  }

  expect_failures = [var.slack]
}

run "handler_without_a_module_is_refused" {
  command = plan

  variables {
    slack = { package = "../testing/package.zip", handler = "handler", credentials = { ssm_parameter_name = "/prod/slack" } }
  }

  expect_failures = [var.slack]
}

run "parameter_s_name_that_fills_the_environment_is_refused" {
  command = plan

  variables {
    slack = { package = "../testing/package.zip", credentials = { ssm_parameter_name = format("/%0512d", 0) } }
  }

  expect_failures = [var.slack]
}
