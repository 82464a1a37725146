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
  target = module.incidents["this"].data.aws_caller_identity.current
  values = { account_id = "111122223333" }
}

override_data {
  target = module.queue["this"].module.queue.data.aws_caller_identity.current
  values = { account_id = "111122223333" }
}

override_data {
  target = module.notifier["this"].data.aws_caller_identity.current
  values = { account_id = "111122223333" }
}

override_data {
  target = module.log_failures["this"].data.aws_caller_identity.current
  values = { account_id = "111122223333" }
}

override_data {
  target = module.fan_out["critical"].data.aws_caller_identity.current
  values = { account_id = "111122223333" }
}

override_data {
  target = module.fan_out["critical"].module.failures["notifier"].data.aws_caller_identity.current
  values = { account_id = "111122223333" }
}

override_data {
  target = module.fan_out["warning"].data.aws_caller_identity.current
  values = { account_id = "111122223333" }
}

override_data {
  target = module.fan_out["warning"].module.failures["notifier"].data.aws_caller_identity.current
  values = { account_id = "111122223333" }
}

override_data {
  target = module.fan_out["info"].data.aws_caller_identity.current
  values = { account_id = "111122223333" }
}

override_data {
  target = module.fan_out["info"].module.failures["notifier"].data.aws_caller_identity.current
  values = { account_id = "111122223333" }
}

variables {
  name        = "prod-alerts"
  environment = "prod"
  email       = { on-call = { address = "on-call@example.com" } }
  log_groups  = { consumer = "/aws/lambda/prod-charge-consumer" }
  tags        = { team = "billing" }
  key_access = {
    administrator_arns = ["arn:aws:iam::111122223333:role/ci-apply"]
    reader_arns        = ["arn:aws:iam::111122223333:role/ci-plan"]
  }
  slack = {
    package     = "../testing/package.zip"
    credentials = { ssm_parameter_name = "/prod/slack", kms_key_arn = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d" }
    channels    = { critical = "C0CRITICAL", warning = "C0WARNING", info = "C0INFO" }
  }
}

run "topics_and_their_key_admit_alarms_of_the_account" {
  command = plan

  assert {
    condition = jsonencode(jsondecode(aws_sns_topic_policy.this["critical"].policy).Statement) == jsonencode([
      { Action = "sns:Publish", Condition = { Bool = { "aws:SecureTransport" = "false" } }, Effect = "Deny", Principal = "*", Resource = "arn:aws:sns:ap-northeast-1:111122223333:prod-alerts-critical", Sid = "DenyInsecureTransport" },
      { Action = "sns:Publish", Condition = { ArnLike = { "aws:SourceArn" = "arn:aws:cloudwatch:ap-northeast-1:111122223333:alarm:*" }, StringEquals = { "aws:SourceAccount" = "111122223333" } }, Effect = "Allow", Principal = { Service = "cloudwatch.amazonaws.com" }, Resource = "arn:aws:sns:ap-northeast-1:111122223333:prod-alerts-critical", Sid = "AllowAlarmsOfTheAccount" },
    ])
    error_message = aws_sns_topic_policy.this["critical"].policy
  }

  assert {
    condition = jsonencode(jsondecode(aws_kms_key.this[0].policy).Statement) == jsonencode([
      { Action = ["kms:GenerateDataKey*", "kms:Decrypt"], Condition = { ArnLike = { "aws:SourceArn" = "arn:aws:cloudwatch:ap-northeast-1:111122223333:alarm:*" }, StringEquals = { "aws:SourceAccount" = "111122223333" } }, Effect = "Allow", Principal = { Service = "cloudwatch.amazonaws.com" }, Resource = "*", Sid = "CloudWatchAlarms" },
      { Action = ["kms:GenerateDataKey*", "kms:Decrypt"], Condition = { ArnLike = { "aws:SourceArn" = ["arn:aws:sns:ap-northeast-1:111122223333:prod-alerts-critical", "arn:aws:sns:ap-northeast-1:111122223333:prod-alerts-info", "arn:aws:sns:ap-northeast-1:111122223333:prod-alerts-warning"] }, StringEquals = { "aws:SourceAccount" = "111122223333" } }, Effect = "Allow", Principal = { Service = "sns.amazonaws.com" }, Resource = "*", Sid = "TopicsToQueues" },
      { Action = ["kms:UpdateKeyDescription", "kms:UpdateAlias", "kms:UntagResource", "kms:TagResource", "kms:ScheduleKeyDeletion", "kms:PutKeyPolicy", "kms:ListResourceTags", "kms:GetKeyRotationStatus", "kms:GetKeyPolicy", "kms:EnableKeyRotation", "kms:DescribeKey", "kms:DeleteAlias", "kms:CreateAlias"], Effect = "Allow", Principal = { AWS = "arn:aws:iam::111122223333:role/ci-apply" }, Resource = "*", Sid = "Administrators" },
      { Action = ["kms:ListResourceTags", "kms:GetKeyRotationStatus", "kms:GetKeyPolicy", "kms:DescribeKey"], Effect = "Allow", Principal = { AWS = "arn:aws:iam::111122223333:role/ci-plan" }, Resource = "*", Sid = "Readers" },
      { Action = "kms:*", Effect = "Allow", Principal = { AWS = "arn:aws:iam::111122223333:root" }, Resource = "*", Sid = "AccountByItsOwnPolicies" },
    ])
    error_message = aws_kms_key.this[0].policy
  }

  assert {
    condition = jsonencode(jsondecode(output.key_policy_json).Statement) == jsonencode([
      { Sid = "CloudWatchAlarms", Effect = "Allow", Action = ["kms:GenerateDataKey*", "kms:Decrypt"], Resource = "*", Principal = { Service = "cloudwatch.amazonaws.com" }, Condition = { ArnLike = { "aws:SourceArn" = "arn:aws:cloudwatch:ap-northeast-1:111122223333:alarm:*" }, StringEquals = { "aws:SourceAccount" = "111122223333" } } },
      { Sid = "TopicsToQueues", Effect = "Allow", Action = ["kms:GenerateDataKey*", "kms:Decrypt"], Resource = "*", Principal = { Service = "sns.amazonaws.com" }, Condition = { ArnLike = { "aws:SourceArn" = ["arn:aws:sns:ap-northeast-1:111122223333:prod-alerts-critical", "arn:aws:sns:ap-northeast-1:111122223333:prod-alerts-info", "arn:aws:sns:ap-northeast-1:111122223333:prod-alerts-warning"] }, StringEquals = { "aws:SourceAccount" = "111122223333" } } },
      { Sid = "Administrators", Effect = "Allow", Action = ["kms:UpdateKeyDescription", "kms:UpdateAlias", "kms:UntagResource", "kms:TagResource", "kms:ScheduleKeyDeletion", "kms:PutKeyPolicy", "kms:ListResourceTags", "kms:GetKeyRotationStatus", "kms:GetKeyPolicy", "kms:EnableKeyRotation", "kms:DescribeKey", "kms:DeleteAlias", "kms:CreateAlias"], Resource = "*", Principal = { AWS = "arn:aws:iam::111122223333:role/ci-apply" } },
      { Sid = "Readers", Effect = "Allow", Action = ["kms:ListResourceTags", "kms:GetKeyRotationStatus", "kms:GetKeyPolicy", "kms:DescribeKey"], Resource = "*", Principal = { AWS = "arn:aws:iam::111122223333:role/ci-plan" } },
    ])
    error_message = output.key_policy_json
  }
}

run "notifier_reads_its_secret_and_keeps_incidents" {
  command = plan

  assert {
    condition = jsonencode(jsondecode(data.aws_iam_policy_document.notify["this"].json).Statement) == jsonencode([
      { Sid = "Queue", Effect = "Allow", Action = "sqs:SendMessage", Resource = "arn:aws:sqs:ap-northeast-1:111122223333:prod-alerts-notifier" },
      { Sid = "KeepIncidents", Effect = "Allow", Action = ["dynamodb:UpdateItem", "dynamodb:GetItem"], Resource = "arn:aws:dynamodb:ap-northeast-1:111122223333:table/prod-alerts-incidents" },
      { Sid = "LookAtAlarms", Effect = "Allow", Action = "cloudwatch:DescribeAlarms", Resource = "*" },
      { Sid = "ReadTheParameter", Effect = "Allow", Action = "ssm:GetParameter", Resource = "arn:aws:ssm:ap-northeast-1:111122223333:parameter/prod/slack" },
      { Sid = "SecretKey", Effect = "Allow", Action = "kms:Decrypt", Resource = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d", Condition = { StringEquals = { "kms:ViaService" = ["secretsmanager.ap-northeast-1.amazonaws.com", "ssm.ap-northeast-1.amazonaws.com"] } } },
    ])
    error_message = data.aws_iam_policy_document.notify["this"].json
  }
}

run "settings_reach_topics_and_key" {
  command = plan

  assert {
    condition     = aws_sns_topic.this["critical"].tags == tomap({ team = "billing" })
    error_message = "aws_sns_topic.this['critical'] carries the tags."
  }

  assert {
    condition     = aws_kms_key.this[0].tags == tomap({ team = "billing" })
    error_message = "aws_kms_key.this[0] carries the tags."
  }
}

run "notifier_reads_a_secret_and_uses_the_key_that_was_given" {
  command = plan

  variables {
    key = { arn = "arn:aws:kms:ap-northeast-1:111122223333:key/4e5f6a7b" }
    slack = {
      package     = "../testing/package.zip"
      credentials = { secrets_manager_secret_arn = "arn:aws:secretsmanager:ap-northeast-1:111122223333:secret:prod/slack-AbCdEf" }
    }
  }

  assert {
    condition = jsonencode([for statement in jsondecode(data.aws_iam_policy_document.notify["this"].json).Statement : statement if contains(["ReadTheParameter", "ReadTheSecret", "SecretKey", "TableKey"], statement.Sid)]) == jsonencode([
      { Action = "secretsmanager:GetSecretValue", Effect = "Allow", Resource = "arn:aws:secretsmanager:ap-northeast-1:111122223333:secret:prod/slack-AbCdEf", Sid = "ReadTheSecret" },
      { Action = "kms:Decrypt", Condition = { StringEquals = { "kms:ViaService" = "dynamodb.ap-northeast-1.amazonaws.com" } }, Effect = "Allow", Resource = "arn:aws:kms:ap-northeast-1:111122223333:key/4e5f6a7b", Sid = "TableKey" },
    ])
    error_message = data.aws_iam_policy_document.notify["this"].json
  }
}
