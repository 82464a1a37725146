# The provider itself plans here: policies are the module's own, and every setting is seen as it reaches its resource.
provider "aws" {
  region                      = "ap-northeast-1"
  access_key                  = "none"
  secret_key                  = "none"
  skip_credentials_validation = true
  skip_requesting_account_id  = true

  endpoints {
    sts = "http://127.0.0.1:1"
  }
}

override_data {
  target = data.aws_caller_identity.current
  values = { account_id = "111122223333" }
}

variables {
  tags                     = { team = "billing" }
  name                     = "charge-consumer"
  description              = "Charges."
  package                  = { path = "../testing/package.zip", handler = "charge_consumer.handler.handler" }
  environment_kms_key_arn  = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d"
  permissions_boundary_arn = "arn:aws:iam::111122223333:policy/boundary"
  policies                 = { effects = "{\"Version\":\"2012-10-17\",\"Statement\":[]}" }
  asynchronous = {
    failure_queue_arn         = "arn:aws:sqs:ap-northeast-1:111122223333:charge-failures"
    failure_queue_policy_json = "{\"Version\":\"2012-10-17\",\"Statement\":[]}"
  }
}

run "role_may_what_the_function_needs" {
  command = plan

  assert {
    condition = jsonencode(jsondecode(aws_iam_role.this.assume_role_policy).Statement) == jsonencode([
      { Action = "sts:AssumeRole", Effect = "Allow", Principal = { Service = "lambda.amazonaws.com" } },
    ])
    error_message = aws_iam_role.this.assume_role_policy
  }

  assert {
    condition = jsonencode(jsondecode(aws_iam_role_policy.this["runtime"].policy).Statement) == jsonencode([
      { Action = ["logs:PutLogEvents", "logs:CreateLogStream"], Effect = "Allow", Resource = "arn:aws:logs:ap-northeast-1:111122223333:log-group:/aws/lambda/charge-consumer:*", Sid = "Logs" },
      { Action = ["xray:PutTraceSegments", "xray:PutTelemetryRecords"], Effect = "Allow", Resource = "*", Sid = "Traces" },
      { Action = "kms:Decrypt", Condition = { StringEquals = { "kms:EncryptionContext:aws:lambda:FunctionArn" = "arn:aws:lambda:ap-northeast-1:111122223333:function:charge-consumer" } }, Effect = "Allow", Resource = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d", Sid = "EnvironmentKey" },
    ])
    error_message = aws_iam_role_policy.this["runtime"].policy
  }
}

run "settings_reach_the_function" {
  command = plan

  assert {
    condition     = aws_iam_role.this.tags == tomap({ team = "billing" })
    error_message = "aws_iam_role.this carries the tags."
  }

  assert {
    condition     = aws_cloudwatch_log_group.this.tags == tomap({ team = "billing" })
    error_message = "aws_cloudwatch_log_group.this carries the tags."
  }

  assert {
    condition     = aws_lambda_function.this.tags == tomap({ team = "billing" })
    error_message = "aws_lambda_function.this carries the tags."
  }
  assert {
    condition     = aws_lambda_function.this.description == "Charges."
    error_message = "The function is described."
  }
}
