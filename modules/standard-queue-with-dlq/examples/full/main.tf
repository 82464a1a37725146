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

locals {
  account_id = data.aws_caller_identity.current.account_id
  partition  = data.aws_partition.current.partition
  region     = data.aws_region.current.region
}

variable "package" {
  description = "Path of the consumer's zip."
  type        = string
}

module "consumer" {
  source = "../../../python-function"

  name            = "prod-notice-consumer"
  package         = { path = var.package, handler = "notice_consumer.handler.handler" }
  timeout_seconds = 60
  environment     = { QUEUE_URL = module.notices.queue.url }
}

module "notices" {
  source = "../.."

  name                     = "prod-notices"
  reason                   = "A notice is shown by its newest revision: order and repeats do not show."
  consumer_timeout_seconds = 60

  consumer = {
    function                = module.consumer.function
    batch_size              = 500
    batching_window_seconds = 5
    maximum_concurrency     = 50
    enabled                 = true
  }

  queue = {
    visibility_timeout_seconds = 400
    retention_seconds          = 604800
    delay_seconds              = 0
    receive_wait_seconds       = 20
    maximum_message_bytes      = 262144
  }

  dead_letter_queue = {
    retention_seconds     = 1209600
    maximum_receive_count = 10
  }

  encryption = {
    kms_key_arn            = "arn:${local.partition}:kms:${local.region}:${local.account_id}:key/0a1b2c3d"
    data_key_reuse_seconds = 3600
  }

  access = {
    service_senders = {
      intake = {
        service     = "events.amazonaws.com"
        source_arns = ["arn:${local.partition}:events:${local.region}:${local.account_id}:rule/intake"]
      }
    }
    vpc_endpoint_ids = ["vpce-0a1b2c3d"]
  }

  tags = { team = "billing" }
}
