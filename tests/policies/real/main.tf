# What Terraform really writes into a plan: for_each over resources and modules, count, outputs, policy documents.
terraform {
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.28, < 7.0"
    }
  }
}

provider "aws" {
  region                      = "ap-northeast-1"
  access_key                  = "test"
  secret_key                  = "test"
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_requesting_account_id  = true

  # Nothing is asked of these: the plan is made on an empty state.
  endpoints {
    iam    = "http://127.0.0.1:9"
    lambda = "http://127.0.0.1:9"
    sqs    = "http://127.0.0.1:9"
    sts    = "http://127.0.0.1:9"
  }
}

locals {
  jobs = { good = 360, bad = 60 }
}

module "queue" {
  source   = "./modules/queue"
  for_each = local.jobs

  name               = each.key
  visibility_seconds = each.value
}

module "consumer" {
  source   = "./modules/consumer"
  for_each = local.jobs

  name  = each.key
  queue = module.queue[each.key].queue
}

resource "aws_sqs_queue" "shared" {
  count = 2

  name                      = "shared-${count.index}"
  message_retention_seconds = count.index == 0 ? 345600 : 1209600
  receive_wait_time_seconds = 20
}

resource "aws_sqs_queue_redrive_policy" "shared" {
  queue_url      = aws_sqs_queue.shared[0].id
  redrive_policy = jsonencode({ deadLetterTargetArn = aws_sqs_queue.shared[1].arn, maxReceiveCount = 5 })
}
