terraform {
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.28, < 7.0"
    }
  }
}

data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
data "aws_region" "current" {}

module "failures" {
  source = "../.."

  name        = "prod-charge-dispatch-failures"
  kms_key_arn = "arn:${data.aws_partition.current.partition}:kms:${data.aws_region.current.region}:${data.aws_caller_identity.current.account_id}:key/0a1b2c3d"
  tags        = { team = "billing" }

  service_senders = {
    rule = {
      service     = "events.amazonaws.com"
      source_arns = ["arn:${data.aws_partition.current.partition}:events:${data.aws_region.current.region}:${data.aws_caller_identity.current.account_id}:rule/intake"]
    }
  }
}
