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

override_data {
  target = module.failures[0].data.aws_caller_identity.current
  values = { account_id = "111122223333" }
}

variables {
  tags                     = { team = "billing" }
  name                     = "prod-charge"
  kms_key_arn              = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d"
  permissions_boundary_arn = "arn:aws:iam::111122223333:policy/boundary"
  schedules = {
    dispatch = {
      function_arn = "arn:aws:lambda:ap-northeast-1:111122223333:function:dispatcher"
      expression   = "cron(0 3 1 * ? *)"
      timezone     = "Asia/Tokyo"
    }
  }
}

run "role_is_the_group_s_and_invokes_its_targets" {
  command = plan

  assert {
    condition = jsonencode(jsondecode(aws_iam_role.this.assume_role_policy).Statement) == jsonencode([
      { Action = "sts:AssumeRole", Condition = { StringEquals = { "aws:SourceAccount" = "111122223333", "aws:SourceArn" = "arn:aws:scheduler:ap-northeast-1:111122223333:schedule-group/prod-charge" } }, Effect = "Allow", Principal = { Service = "scheduler.amazonaws.com" } },
    ])
    error_message = aws_iam_role.this.assume_role_policy
  }

  assert {
    condition = jsonencode(jsondecode(aws_iam_role_policy.invoke.policy).Statement) == jsonencode([
      { Action = "lambda:InvokeFunction", Effect = "Allow", Resource = "arn:aws:lambda:ap-northeast-1:111122223333:function:dispatcher", Sid = "InvokeTargets" },
      { Action = "kms:Decrypt", Condition = { ArnLike = { "kms:EncryptionContext:aws:scheduler:schedule:arn" = "arn:aws:scheduler:ap-northeast-1:111122223333:schedule/prod-charge/*" } }, Effect = "Allow", Resource = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d", Sid = "ScheduleKey" },
    ])
    error_message = aws_iam_role_policy.invoke.policy
  }

  assert {
    condition = jsonencode(jsondecode(aws_iam_role_policy.failures.policy).Statement) == jsonencode([
      { Action = "sqs:SendMessage", Effect = "Allow", Resource = "arn:aws:sqs:ap-northeast-1:111122223333:prod-charge-schedule-failures", Sid = "SendFailures" },
      { Action = ["kms:GenerateDataKey", "kms:Decrypt"], Condition = { StringEquals = { "kms:ViaService" = "sqs.ap-northeast-1.amazonaws.com" } }, Effect = "Allow", Resource = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d", Sid = "FailureKey" },
    ])
    error_message = aws_iam_role_policy.failures.policy
  }
}

run "settings_reach_the_schedules" {
  command = plan

  assert {
    condition     = aws_iam_role.this.tags == tomap({ team = "billing" })
    error_message = "aws_iam_role.this carries the tags."
  }

  assert {
    condition     = aws_scheduler_schedule_group.this.tags == tomap({ team = "billing" })
    error_message = "aws_scheduler_schedule_group.this carries the tags."
  }
  assert {
    condition     = aws_iam_role.this.permissions_boundary == "arn:aws:iam::111122223333:policy/boundary" && aws_scheduler_schedule.this["dispatch"].kms_key_arn == "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d"
    error_message = "The boundary bounds the role, the key encrypts."
  }
}
