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
  target = module.queue.data.aws_caller_identity.current
  values = { account_id = "111122223333" }
}

variables {
  name                     = "mails"
  reason                   = "Neither the order of mails nor repeats matter."
  consumer_timeout_seconds = 60
  queue                    = { retention_seconds = 86400 }
  dead_letter_queue        = { retention_seconds = 604800, maximum_receive_count = 5 }
  encryption               = { kms_key_arn = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d" }
  access                   = { service_senders = { orders = { service = "sns.amazonaws.com", source_arns = ["arn:aws:sns:ap-northeast-1:111122223333:orders"] } } }
}

run "senders_may_use_the_key" {
  command = plan

  assert {
    condition = jsonencode(jsondecode(output.key_policy_json).Statement) == jsonencode([
      { Sid = "AllowQueueSenderOrders", Effect = "Allow", Action = ["kms:GenerateDataKey", "kms:Decrypt"], Resource = "*", Principal = { Service = "sns.amazonaws.com" }, Condition = { ArnLike = { "aws:SourceArn" = "arn:aws:sns:ap-northeast-1:111122223333:orders" } } },
    ])
    error_message = output.key_policy_json
  }
}

run "settings_reach_the_queues" {
  command = plan

  assert {
    condition     = output.queue.retention_seconds == 86400 && output.dead_letter_queue.retention_seconds == 604800 && output.dead_letter_queue.maximum_receive_count == 5
    error_message = "Both queues have what was written for them."
  }
}
