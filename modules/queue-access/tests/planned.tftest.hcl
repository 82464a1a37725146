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

variables {
  queue_arn            = "arn:aws:sqs:ap-northeast-1:111122223333:charges.fifo"
  vpc_endpoint_ids     = ["vpce-0a1b2c3d"]
  vpc_exempt_role_arns = ["arn:aws:iam::111122223333:role/dispatcher"]
  service_senders = {
    orders  = { service = "sns.amazonaws.com", source_arns = ["arn:aws:sns:ap-northeast-1:111122223333:orders"] }
    uploads = { service = "s3.amazonaws.com", source_arns = ["arn:aws:s3:::uploads"], source_account = "111122223333" }
  }
}

run "services_from_their_sources_and_everyone_else_through_the_endpoints" {
  command = plan

  assert {
    condition = jsonencode(jsondecode(output.policy_json).Statement) == jsonencode([
      { Sid = "DenyInsecureTransport", Effect = "Deny", Action = "sqs:*", Resource = "arn:aws:sqs:ap-northeast-1:111122223333:charges.fifo", Principal = "*", Condition = { Bool = { "aws:SecureTransport" = "false" } } },
      { Sid = "DenySendOutsideVpcEndpoints", Effect = "Deny", Action = "sqs:SendMessage", Resource = "arn:aws:sqs:ap-northeast-1:111122223333:charges.fifo", Principal = "*", Condition = { ArnNotEquals = { "aws:PrincipalArn" = "arn:aws:iam::111122223333:role/dispatcher" }, Bool = { "aws:PrincipalIsAWSService" = "false" }, StringNotEquals = { "aws:SourceVpce" = "vpce-0a1b2c3d" } } },
      { Sid = "AllowSendOrders", Effect = "Allow", Action = "sqs:SendMessage", Resource = "arn:aws:sqs:ap-northeast-1:111122223333:charges.fifo", Principal = { Service = "sns.amazonaws.com" }, Condition = { ArnLike = { "aws:SourceArn" = "arn:aws:sns:ap-northeast-1:111122223333:orders" } } },
      { Sid = "AllowSendUploads", Effect = "Allow", Action = "sqs:SendMessage", Resource = "arn:aws:sqs:ap-northeast-1:111122223333:charges.fifo", Principal = { Service = "s3.amazonaws.com" }, Condition = { ArnLike = { "aws:SourceArn" = "arn:aws:s3:::uploads" }, StringEquals = { "aws:SourceAccount" = "111122223333" } } },
    ])
    error_message = output.policy_json
  }
}
