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
  name       = "${local.prefix}-${var.environment}"
  account_id = data.aws_caller_identity.current.account_id
  partition  = data.aws_partition.current.partition
  region     = data.aws_region.current.region

  # Every name that the environment gives begins so: roles of CI and of functions reach nothing else. Whoever makes
  # something by hand gives it another name, or it belongs to the environment.
  arns = {
    dynamodb  = "arn:${local.partition}:dynamodb:${local.region}:${local.account_id}:table/${local.name}-*"
    alarm     = "arn:${local.partition}:cloudwatch:${local.region}:${local.account_id}:alarm:${local.name}-*"
    alias     = "arn:${local.partition}:kms:${local.region}:${local.account_id}:alias/${local.name}-*"
    bucket    = "arn:${local.partition}:s3:::${local.name}-*"
    dashboard = "arn:${local.partition}:cloudwatch::${local.account_id}:dashboard/${local.name}-*"
    key       = "arn:${local.partition}:kms:${local.region}:${local.account_id}:key/*"
    lambda    = "arn:${local.partition}:lambda:${local.region}:${local.account_id}:function:${local.name}-*"
    logs      = "arn:${local.partition}:logs:${local.region}:${local.account_id}:log-group:/aws/lambda/${local.name}-*"
    mapping   = "arn:${local.partition}:lambda:${local.region}:${local.account_id}:event-source-mapping:*"
    parameter = "arn:${local.partition}:ssm:${local.region}:${local.account_id}:parameter/${local.name}/*"
    role      = "arn:${local.partition}:iam::${local.account_id}:role/${local.name}-*"
    schedule  = "arn:${local.partition}:scheduler:${local.region}:${local.account_id}:schedule/${local.name}-*/*"
    scheduler = "arn:${local.partition}:scheduler:${local.region}:${local.account_id}:*/${local.name}-*"
    secret    = "arn:${local.partition}:secretsmanager:${local.region}:${local.account_id}:secret:${local.name}/*"
    sns       = "arn:${local.partition}:sns:${local.region}:${local.account_id}:${local.name}-*"
    sqs       = "arn:${local.partition}:sqs:${local.region}:${local.account_id}:${local.name}-*"
  }
}
