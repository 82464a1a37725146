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
  target = module.queue.module.queue.data.aws_caller_identity.current
  values = { account_id = "111122223333" }
}

override_data {
  target = module.consumer.data.aws_caller_identity.current
  values = { account_id = "111122223333" }
}

override_data {
  target = module.dispatcher.data.aws_caller_identity.current
  values = { account_id = "111122223333" }
}

override_data {
  target = module.auditor[0].data.aws_caller_identity.current
  values = { account_id = "111122223333" }
}

override_data {
  target = module.redriver[0].data.aws_caller_identity.current
  values = { account_id = "111122223333" }
}

override_data {
  target = module.dispatch_failures.data.aws_caller_identity.current
  values = { account_id = "111122223333" }
}

override_data {
  target = module.schedule.data.aws_caller_identity.current
  values = { account_id = "111122223333" }
}

override_data {
  target = module.schedule.module.failures[0].data.aws_caller_identity.current
  values = { account_id = "111122223333" }
}

variables {
  name = "prod-charge"
  job  = "charge"
  tables = { for key in ["jobs", "directory", "idempotency"] : key => {
    name        = "prod-${key}"
    arn         = "arn:aws:dynamodb:ap-northeast-1:111122223333:table/prod-${key}"
    kms_key_arn = "arn:aws:kms:ap-northeast-1:111122223333:key/${key}"
  } }
  schedule    = { timezone = "Asia/Tokyo" }
  dispatcher  = { package = "../testing/package.zip" }
  auditor     = { package = "../testing/package.zip" }
  redriver    = { package = "../testing/package.zip", alarm_names = ["consumer-errors"] }
  consumer    = { package = "../testing/package.zip", handler = "charge_consumer.handler.handler" }
  payloads    = { bucket_name = "payloads", bucket_arn = "arn:aws:s3:::payloads", kms_key_arn = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d" }
  kms_key_arn = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d"
}

run "dispatcher_sends_and_keeps_the_run" {
  command = plan

  assert {
    condition = jsonencode(jsondecode(data.aws_iam_policy_document.dispatcher.json).Statement) == jsonencode([
      { Sid = "EnumerateDirectory", Effect = "Allow", Action = "dynamodb:Scan", Resource = "arn:aws:dynamodb:ap-northeast-1:111122223333:table/prod-directory" },
      { Sid = "StorePayloads", Effect = "Allow", Action = "s3:PutObject", Resource = "arn:aws:s3:::payloads/charge/*" },
      { Sid = "PayloadKey", Effect = "Allow", Action = ["kms:GenerateDataKey", "kms:Decrypt"], Resource = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d", Condition = { StringEquals = { "kms:ViaService" = "s3.ap-northeast-1.amazonaws.com" } } },
      { Sid = "TableKeys", Effect = "Allow", Action = "kms:Decrypt", Resource = ["arn:aws:kms:ap-northeast-1:111122223333:key/jobs", "arn:aws:kms:ap-northeast-1:111122223333:key/directory"], Condition = { StringEquals = { "kms:ViaService" = "dynamodb.ap-northeast-1.amazonaws.com" } } },
      { Sid = "KeepRunRow", Effect = "Allow", Action = "dynamodb:UpdateItem", Resource = "arn:aws:dynamodb:ap-northeast-1:111122223333:table/prod-jobs", Condition = { "ForAllValues:StringEquals" = { "dynamodb:LeadingKeys" = "run#charge" }, Null = { "dynamodb:LeadingKeys" = "false" } } },
      { Sid = "ContinueItself", Effect = "Allow", Action = "lambda:InvokeFunction", Resource = "arn:aws:lambda:ap-northeast-1:111122223333:function:prod-charge-dispatcher" },
    ])
    error_message = data.aws_iam_policy_document.dispatcher.json
  }
}

run "consumer_applies_effects" {
  command = plan

  assert {
    condition = jsonencode(jsondecode(data.aws_iam_policy_document.consumer.json).Statement) == jsonencode([
      { Sid = "ApplyEffects", Effect = "Allow", Action = ["dynamodb:UpdateItem", "dynamodb:PutItem"], Resource = "arn:aws:dynamodb:ap-northeast-1:111122223333:table/prod-jobs" },
      { Sid = "LeaveRunsAlone", Effect = "Deny", Action = ["dynamodb:UpdateItem", "dynamodb:PutItem", "dynamodb:GetItem", "dynamodb:DeleteItem"], Resource = "arn:aws:dynamodb:ap-northeast-1:111122223333:table/prod-jobs", Condition = { "ForAnyValue:StringLike" = { "dynamodb:LeadingKeys" = ["run#*", "written-off#*"] } } },
      { Sid = "KnowTenants", Effect = "Allow", Action = "dynamodb:GetItem", Resource = "arn:aws:dynamodb:ap-northeast-1:111122223333:table/prod-directory" },
      { Sid = "KeepIdempotencyRecords", Effect = "Allow", Action = ["dynamodb:UpdateItem", "dynamodb:PutItem", "dynamodb:GetItem", "dynamodb:DeleteItem"], Resource = "arn:aws:dynamodb:ap-northeast-1:111122223333:table/prod-idempotency" },
      { Sid = "FetchPayloads", Effect = "Allow", Action = "s3:GetObject", Resource = "arn:aws:s3:::payloads/charge/*" },
      { Sid = "MissMissingPayloads", Effect = "Allow", Action = "s3:ListBucket", Resource = "arn:aws:s3:::payloads", Condition = { StringLike = { "s3:prefix" = "charge/*" } } },
      { Sid = "PayloadKey", Effect = "Allow", Action = "kms:Decrypt", Resource = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d", Condition = { StringEquals = { "kms:ViaService" = "s3.ap-northeast-1.amazonaws.com" } } },
      { Sid = "TableKeys", Effect = "Allow", Action = "kms:Decrypt", Resource = ["arn:aws:kms:ap-northeast-1:111122223333:key/jobs", "arn:aws:kms:ap-northeast-1:111122223333:key/idempotency", "arn:aws:kms:ap-northeast-1:111122223333:key/directory"], Condition = { StringEquals = { "kms:ViaService" = "dynamodb.ap-northeast-1.amazonaws.com" } } },
    ])
    error_message = data.aws_iam_policy_document.consumer.json
  }
}

run "auditor_reads_the_ledger" {
  command = plan

  assert {
    condition = jsonencode(jsondecode(data.aws_iam_policy_document.auditor.json).Statement) == jsonencode([
      { Sid = "EnumerateDirectory", Effect = "Allow", Action = "dynamodb:Scan", Resource = "arn:aws:dynamodb:ap-northeast-1:111122223333:table/prod-directory" },
      { Sid = "StorePayloads", Effect = "Allow", Action = "s3:PutObject", Resource = "arn:aws:s3:::payloads/charge/*" },
      { Sid = "PayloadKey", Effect = "Allow", Action = ["kms:GenerateDataKey", "kms:Decrypt"], Resource = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d", Condition = { StringEquals = { "kms:ViaService" = "s3.ap-northeast-1.amazonaws.com" } } },
      { Sid = "TableKeys", Effect = "Allow", Action = "kms:Decrypt", Resource = ["arn:aws:kms:ap-northeast-1:111122223333:key/jobs", "arn:aws:kms:ap-northeast-1:111122223333:key/directory"], Condition = { StringEquals = { "kms:ViaService" = "dynamodb.ap-northeast-1.amazonaws.com" } } },
      { Sid = "KeepRunRow", Effect = "Allow", Action = ["dynamodb:UpdateItem", "dynamodb:GetItem"], Resource = "arn:aws:dynamodb:ap-northeast-1:111122223333:table/prod-jobs", Condition = { "ForAllValues:StringEquals" = { "dynamodb:LeadingKeys" = "run#charge" }, Null = { "dynamodb:LeadingKeys" = "false" } } },
      { Sid = "ReadLedger", Effect = "Allow", Action = "dynamodb:Query", Resource = "arn:aws:dynamodb:ap-northeast-1:111122223333:table/prod-jobs", Condition = { Null = { "dynamodb:LeadingKeys" = "false" } } },
      { Sid = "ReadTheLedgerOnly", Effect = "Deny", Action = "dynamodb:Query", Resource = "arn:aws:dynamodb:ap-northeast-1:111122223333:table/prod-jobs", Condition = { "ForAnyValue:StringLike" = { "dynamodb:LeadingKeys" = ["halt#*", "run#*"] } } },
    ])
    error_message = data.aws_iam_policy_document.auditor.json
  }
}

run "redriver_moves_messages" {
  command = plan

  assert {
    condition = jsonencode(jsondecode(data.aws_iam_policy_document.redriver[0].json).Statement) == jsonencode([
      { Sid = "DeadLetterQueue", Effect = "Allow", Action = ["sqs:SendMessage", "sqs:ReceiveMessage", "sqs:GetQueueAttributes", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility"], Resource = "arn:aws:sqs:ap-northeast-1:111122223333:prod-charge-dlq.fifo" },
      { Sid = "Queue", Effect = "Allow", Action = "sqs:SendMessage", Resource = "arn:aws:sqs:ap-northeast-1:111122223333:prod-charge.fifo" },
      { Sid = "QueueKey", Effect = "Allow", Action = ["kms:GenerateDataKey", "kms:Decrypt"], Resource = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d", Condition = { StringEquals = { "kms:ViaService" = "sqs.ap-northeast-1.amazonaws.com" } } },
      { Sid = "LookAtAlarms", Effect = "Allow", Action = "cloudwatch:DescribeAlarms", Resource = "*" },
    ])
    error_message = data.aws_iam_policy_document.redriver[0].json
  }
}

run "operator_works_on_dead_letters" {
  command = plan

  assert {
    condition = jsonencode(jsondecode(output.operator_policy_json).Statement) == jsonencode([
      { Sid = "DeadLetterQueue", Effect = "Allow", Action = ["sqs:StartMessageMoveTask", "sqs:SendMessage", "sqs:ReceiveMessage", "sqs:ListMessageMoveTasks", "sqs:GetQueueAttributes", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility", "sqs:CancelMessageMoveTask"], Resource = "arn:aws:sqs:ap-northeast-1:111122223333:prod-charge-dlq.fifo" },
      { Sid = "Queue", Effect = "Allow", Action = ["sqs:SendMessage", "sqs:GetQueueAttributes"], Resource = "arn:aws:sqs:ap-northeast-1:111122223333:prod-charge.fifo" },
      { Sid = "QueueKey", Effect = "Allow", Action = ["kms:GenerateDataKey", "kms:Decrypt"], Resource = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d", Condition = { StringEquals = { "kms:ViaService" = "sqs.ap-northeast-1.amazonaws.com" } } },
      { Sid = "FindQueues", Effect = "Allow", Action = "lambda:GetFunctionConfiguration", Resource = "arn:aws:lambda:ap-northeast-1:111122223333:function:prod-charge-consumer" },
      { Sid = "KnowEffectsAndHalts", Effect = "Allow", Action = "dynamodb:GetItem", Resource = "arn:aws:dynamodb:ap-northeast-1:111122223333:table/prod-jobs" },
      { Sid = "ListHalts", Effect = "Allow", Action = "dynamodb:Query", Resource = "arn:aws:dynamodb:ap-northeast-1:111122223333:table/prod-jobs", Condition = { "ForAllValues:StringEquals" = { "dynamodb:LeadingKeys" = "halt#charge#" }, Null = { "dynamodb:LeadingKeys" = "false" } } },
      { Sid = "ReleaseAndWriteOff", Effect = "Allow", Action = ["dynamodb:UpdateItem", "dynamodb:PutItem", "dynamodb:DeleteItem"], Resource = "arn:aws:dynamodb:ap-northeast-1:111122223333:table/prod-jobs", Condition = { "ForAllValues:StringLike" = { "dynamodb:LeadingKeys" = ["halt#charge#*", "written-off#charge"] }, Null = { "dynamodb:LeadingKeys" = "false" } } },
      { Sid = "TableKey", Effect = "Allow", Action = "kms:Decrypt", Resource = "arn:aws:kms:ap-northeast-1:111122223333:key/jobs", Condition = { StringEquals = { "kms:ViaService" = "dynamodb.ap-northeast-1.amazonaws.com" } } },
      { Sid = "EnvironmentKey", Effect = "Allow", Action = "kms:Decrypt", Resource = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d", Condition = { StringEquals = { "kms:ViaService" = "lambda.ap-northeast-1.amazonaws.com" } } },
    ])
    error_message = output.operator_policy_json
  }
}
