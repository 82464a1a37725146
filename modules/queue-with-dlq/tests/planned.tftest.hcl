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
  name                     = "charges"
  fifo                     = { high_throughput = false }
  consumer_timeout_seconds = 60
  encryption               = { kms_key_arn = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d" }
  queue                    = { delay_seconds = 5, maximum_message_bytes = 2048 }
  access = {
    vpc_endpoint_ids     = ["vpce-0a1b2c3d"]
    vpc_exempt_role_arns = ["arn:aws:iam::111122223333:role/dispatcher"]
    service_senders      = { orders = { service = "sns.amazonaws.com", source_arns = ["arn:aws:sns:ap-northeast-1:111122223333:orders"] } }
  }
  consumer = {
    function = {
      arn             = "arn:aws:lambda:ap-northeast-1:111122223333:function:charge-consumer"
      name            = "charge-consumer"
      role_name       = "charge-consumer-role"
      timeout_seconds = 60
    }
  }
}

run "who_may_do_what_with_the_queues" {
  command = plan

  assert {
    condition = jsonencode(jsondecode(output.producer_policy_json).Statement) == jsonencode([
      { Sid = "Queue", Effect = "Allow", Action = "sqs:SendMessage", Resource = "arn:aws:sqs:ap-northeast-1:111122223333:charges.fifo" },
      { Sid = "QueueKey", Effect = "Allow", Action = ["kms:GenerateDataKey", "kms:Decrypt"], Resource = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d", Condition = { StringEquals = { "kms:ViaService" = "sqs.ap-northeast-1.amazonaws.com" } } },
    ])
    error_message = output.producer_policy_json
  }

  assert {
    condition = jsonencode(jsondecode(aws_iam_role_policy.consumer[0].policy).Statement) == jsonencode([
      { Action = "sqs:SendMessage", Effect = "Allow", Resource = "arn:aws:sqs:ap-northeast-1:111122223333:charges-dlq.fifo", Sid = "DeadLetterQueue" },
      { Action = ["sqs:ReceiveMessage", "sqs:GetQueueAttributes", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility"], Effect = "Allow", Resource = "arn:aws:sqs:ap-northeast-1:111122223333:charges.fifo", Sid = "Queue" },
      { Action = ["kms:GenerateDataKey", "kms:Decrypt"], Condition = { StringEquals = { "kms:ViaService" = "sqs.ap-northeast-1.amazonaws.com" } }, Effect = "Allow", Resource = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d", Sid = "QueueKey" },
    ])
    error_message = aws_iam_role_policy.consumer[0].policy
  }

  assert {
    condition = jsonencode(jsondecode(output.redriver_policy_json).Statement) == jsonencode([
      { Sid = "DeadLetterQueue", Effect = "Allow", Action = ["sqs:SendMessage", "sqs:ReceiveMessage", "sqs:GetQueueAttributes", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility"], Resource = "arn:aws:sqs:ap-northeast-1:111122223333:charges-dlq.fifo" },
      { Sid = "Queue", Effect = "Allow", Action = "sqs:SendMessage", Resource = "arn:aws:sqs:ap-northeast-1:111122223333:charges.fifo" },
      { Sid = "QueueKey", Effect = "Allow", Action = ["kms:GenerateDataKey", "kms:Decrypt"], Resource = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d", Condition = { StringEquals = { "kms:ViaService" = "sqs.ap-northeast-1.amazonaws.com" } } },
    ])
    error_message = output.redriver_policy_json
  }

  assert {
    condition = jsonencode(jsondecode(output.operator_policy_json).Statement) == jsonencode([
      { Sid = "DeadLetterQueue", Effect = "Allow", Action = ["sqs:StartMessageMoveTask", "sqs:SendMessage", "sqs:ReceiveMessage", "sqs:ListMessageMoveTasks", "sqs:GetQueueAttributes", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility", "sqs:CancelMessageMoveTask"], Resource = "arn:aws:sqs:ap-northeast-1:111122223333:charges-dlq.fifo" },
      { Sid = "Queue", Effect = "Allow", Action = ["sqs:SendMessage", "sqs:GetQueueAttributes"], Resource = "arn:aws:sqs:ap-northeast-1:111122223333:charges.fifo" },
      { Sid = "QueueKey", Effect = "Allow", Action = ["kms:GenerateDataKey", "kms:Decrypt"], Resource = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d", Condition = { StringEquals = { "kms:ViaService" = "sqs.ap-northeast-1.amazonaws.com" } } },
    ])
    error_message = output.operator_policy_json
  }
}

run "services_may_use_the_key" {
  command = plan

  assert {
    condition = jsonencode(jsondecode(output.key_policy_json).Statement) == jsonencode([
      { Sid = "AllowQueueSenderOrders", Effect = "Allow", Action = ["kms:GenerateDataKey", "kms:Decrypt"], Resource = "*", Principal = { Service = "sns.amazonaws.com" }, Condition = { ArnLike = { "aws:SourceArn" = "arn:aws:sns:ap-northeast-1:111122223333:orders" } } },
    ])
    error_message = output.key_policy_json
  }
}

run "senders_and_endpoints_are_those_of_the_queue" {
  command = plan

  assert {
    condition = jsonencode(jsondecode(aws_sqs_queue_policy.this.policy).Statement) == jsonencode([
      { Action = "sqs:*", Condition = { Bool = { "aws:SecureTransport" = "false" } }, Effect = "Deny", Principal = "*", Resource = "arn:aws:sqs:ap-northeast-1:111122223333:charges.fifo", Sid = "DenyInsecureTransport" },
      { Action = "sqs:SendMessage", Condition = { ArnNotEquals = { "aws:PrincipalArn" = "arn:aws:iam::111122223333:role/dispatcher" }, Bool = { "aws:PrincipalIsAWSService" = "false" }, StringNotEquals = { "aws:SourceVpce" = "vpce-0a1b2c3d" } }, Effect = "Deny", Principal = "*", Resource = "arn:aws:sqs:ap-northeast-1:111122223333:charges.fifo", Sid = "DenySendOutsideVpcEndpoints" },
      { Action = "sqs:SendMessage", Condition = { ArnLike = { "aws:SourceArn" = "arn:aws:sns:ap-northeast-1:111122223333:orders" } }, Effect = "Allow", Principal = { Service = "sns.amazonaws.com" }, Resource = "arn:aws:sqs:ap-northeast-1:111122223333:charges.fifo", Sid = "AllowSendOrders" },
    ])
    error_message = aws_sqs_queue_policy.this.policy
  }

  assert {
    condition = jsonencode(jsondecode(aws_sqs_queue_policy.dead_letter.policy).Statement) == jsonencode([
      { Action = "sqs:*", Condition = { Bool = { "aws:SecureTransport" = "false" } }, Effect = "Deny", Principal = "*", Resource = "arn:aws:sqs:ap-northeast-1:111122223333:charges-dlq.fifo", Sid = "DenyInsecureTransport" },
    ])
    error_message = aws_sqs_queue_policy.dead_letter.policy
  }
}

run "settings_reach_the_queues" {
  command = plan

  assert {
    condition     = aws_sqs_queue.this.tags == tomap({ team = "billing" })
    error_message = "aws_sqs_queue.this carries the tags."
  }

  assert {
    condition     = aws_sqs_queue.dead_letter.tags == tomap({ team = "billing" })
    error_message = "aws_sqs_queue.dead_letter carries the tags."
  }

  assert {
    condition     = aws_lambda_event_source_mapping.this[0].tags == tomap({ team = "billing" })
    error_message = "aws_lambda_event_source_mapping.this[0] carries the tags."
  }
  assert {
    condition     = aws_sqs_queue.this.delay_seconds == 5 && aws_sqs_queue.this.max_message_size == 2048 && aws_sqs_queue.dead_letter.max_message_size == 2048
    error_message = "What fits into one queue fits into the other."
  }
}
