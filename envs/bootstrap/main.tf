provider "aws" {
  region              = "ap-northeast-1"
  allowed_account_ids = [var.account_id]

  default_tags {
    tags = {
      project     = "fanout-once"
      environment = var.environment
    }
  }
}

data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
data "aws_region" "current" {}

locals {
  prefix     = "fanout"
  account_id = data.aws_caller_identity.current.account_id
  partition  = data.aws_partition.current.partition
  region     = data.aws_region.current.region

  # Every name that the environments give begins so; roles of CI and of functions reach nothing else.
  arns = {
    dynamodb  = "arn:${local.partition}:dynamodb:${local.region}:${local.account_id}:table/${local.prefix}-*"
    alarm     = "arn:${local.partition}:cloudwatch:${local.region}:${local.account_id}:alarm:${local.prefix}-*"
    dashboard = "arn:${local.partition}:cloudwatch::${local.account_id}:dashboard/${local.prefix}-*"
    key       = "arn:${local.partition}:kms:${local.region}:${local.account_id}:key/*"
    lambda    = "arn:${local.partition}:lambda:${local.region}:${local.account_id}:function:${local.prefix}-*"
    logs      = "arn:${local.partition}:logs:${local.region}:${local.account_id}:log-group:/aws/lambda/${local.prefix}-*"
    mapping   = "arn:${local.partition}:lambda:${local.region}:${local.account_id}:event-source-mapping:*"
    role      = "arn:${local.partition}:iam::${local.account_id}:role/${local.prefix}-*"
    scheduler = "arn:${local.partition}:scheduler:${local.region}:${local.account_id}:*/${local.prefix}-*"
    secret    = "arn:${local.partition}:secretsmanager:${local.region}:${local.account_id}:secret:${local.prefix}-*"
    parameter = "arn:${local.partition}:ssm:${local.region}:${local.account_id}:parameter/${local.prefix}-*"
    sns       = "arn:${local.partition}:sns:${local.region}:${local.account_id}:${local.prefix}-*"
    sqs       = "arn:${local.partition}:sqs:${local.region}:${local.account_id}:${local.prefix}-*"
  }
}
