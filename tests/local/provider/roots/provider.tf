terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.0, < 7.0"
    }
  }
}

variable "endpoint" {
  type = string
}

variable "changed" {
  type    = bool
  default = false
}

locals {
  services = [
    "appautoscaling", "cloudwatch", "dynamodb", "events", "iam", "kms", "lambda", "logs", "pipes", "s3",
    "scheduler", "sns", "sqs", "ssm", "sts",
  ]
}

provider "aws" {
  region     = "ap-northeast-1"
  access_key = "test"
  secret_key = "test"

  dynamic "endpoints" {
    for_each = [{ for service in local.services : service => var.endpoint }]

    content {
      appautoscaling = endpoints.value.appautoscaling
      cloudwatch     = endpoints.value.cloudwatch
      dynamodb       = endpoints.value.dynamodb
      events         = endpoints.value.events
      iam            = endpoints.value.iam
      kms            = endpoints.value.kms
      lambda         = endpoints.value.lambda
      logs           = endpoints.value.logs
      pipes          = endpoints.value.pipes
      s3             = endpoints.value.s3
      scheduler      = endpoints.value.scheduler
      sns            = endpoints.value.sns
      sqs            = endpoints.value.sqs
      ssm            = endpoints.value.ssm
      sts            = endpoints.value.sts
    }
  }

  default_tags {
    tags = { project = "cycle" }
  }
}
