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
  tags            = { team = "billing" }
  name            = "charge-failures"
  kms_key_arn     = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d"
  service_senders = { orders = { service = "sns.amazonaws.com", source_arns = ["arn:aws:sns:ap-northeast-1:111122223333:orders"] } }
}

run "who_may_send" {
  command = plan

  assert {
    condition = jsonencode(jsondecode(output.send_policy_json).Statement) == jsonencode([
      { Sid = "SendFailures", Effect = "Allow", Action = "sqs:SendMessage", Resource = "arn:aws:sqs:ap-northeast-1:111122223333:charge-failures" },
      { Sid = "FailureKey", Effect = "Allow", Action = ["kms:GenerateDataKey", "kms:Decrypt"], Resource = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d", Condition = { StringEquals = { "kms:ViaService" = "sqs.ap-northeast-1.amazonaws.com" } } },
    ])
    error_message = output.send_policy_json
  }

  assert {
    condition = jsonencode(jsondecode(aws_sqs_queue_policy.this.policy).Statement) == jsonencode([
      { Action = "sqs:*", Condition = { Bool = { "aws:SecureTransport" = "false" } }, Effect = "Deny", Principal = "*", Resource = "arn:aws:sqs:ap-northeast-1:111122223333:charge-failures", Sid = "DenyInsecureTransport" },
      { Action = "sqs:SendMessage", Condition = { ArnLike = { "aws:SourceArn" = "arn:aws:sns:ap-northeast-1:111122223333:orders" } }, Effect = "Allow", Principal = { Service = "sns.amazonaws.com" }, Resource = "arn:aws:sqs:ap-northeast-1:111122223333:charge-failures", Sid = "AllowSendOrders" },
    ])
    error_message = aws_sqs_queue_policy.this.policy
  }
}

run "settings_reach_the_queue" {
  command = plan

  assert {
    condition     = aws_sqs_queue.this.tags == tomap({ team = "billing" })
    error_message = "aws_sqs_queue.this carries the tags."
  }
}
