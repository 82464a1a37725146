terraform {
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.28, < 7.0"
    }
  }
}

variable "package" {
  description = "Path of the notifier's zip."
  type        = string
}

data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
data "aws_region" "current" {}

locals {
  account_id = data.aws_caller_identity.current.account_id
  partition  = data.aws_partition.current.partition
  region     = data.aws_region.current.region
}

# The services that bring alerts, the account by its own policies, and CloudWatch Logs for the notifier's log.
data "aws_iam_policy_document" "key" {
  source_policy_documents = [module.alerts.key_policy_json]

  statement {
    sid       = "Account"
    actions   = ["kms:*"]
    resources = ["*"]

    principals {
      type        = "AWS"
      identifiers = ["arn:${local.partition}:iam::${local.account_id}:root"]
    }
  }

  statement {
    sid       = "Logs"
    actions   = ["kms:Decrypt", "kms:Encrypt", "kms:GenerateDataKey*", "kms:ReEncrypt*"]
    resources = ["*"]

    principals {
      type        = "Service"
      identifiers = ["logs.${local.region}.amazonaws.com"]
    }

    condition {
      test     = "ArnLike"
      variable = "kms:EncryptionContext:aws:logs:arn"
      values   = ["arn:${local.partition}:logs:${local.region}:${local.account_id}:log-group:/aws/lambda/prod-alerts-*"]
    }
  }
}

resource "aws_kms_key" "alerts" {
  description             = "Encrypts alerts and the secret of their bot."
  policy                  = data.aws_iam_policy_document.key.json
  enable_key_rotation     = true
  deletion_window_in_days = 30
}

resource "aws_cloudwatch_log_group" "consumer" {
  name              = "/aws/lambda/prod-charge-consumer"
  retention_in_days = 90
}

module "alerts" {
  source = "../.."

  name        = "prod-alerts"
  environment = "prod"
  key         = { arn = aws_kms_key.alerts.arn }

  email = { on-call = { address = "on-call@example.com", severities = ["critical"] } }
  https = { pager = { url = "https://pager.example.com/hooks/prod", severities = ["critical", "warning"] } }

  slack = {
    package       = var.package
    credentials   = { ssm_parameter_name = "/prod/slack", kms_key_arn = aws_kms_key.alerts.arn }
    channels      = { critical = "C0CRITICAL", warning = "C0WARNING", info = "C0INFO" }
    quiet_seconds = 600
  }

  log_groups               = { charge-consumer = aws_cloudwatch_log_group.consumer.name }
  personal_keys            = ["employee_id", "holder", "tenant_id"]
  metrics_namespace        = "FanoutOnce"
  log_retention_days       = 365
  permissions_boundary_arn = "arn:${local.partition}:iam::${local.account_id}:policy/boundary"

  key_access = {
    administrator_arns = ["arn:${local.partition}:iam::${local.account_id}:role/ci-apply"]
    reader_arns        = ["arn:${local.partition}:iam::${local.account_id}:role/ci-plan"]
  }
  tags = { team = "billing" }
}

# A webhook in Secrets Manager, and the module's own key.
module "webhook" {
  source = "../.."

  name        = "stg-alerts"
  environment = "stg"

  slack = {
    package     = var.package
    credentials = { secrets_manager_secret_arn = "arn:${local.partition}:secretsmanager:${local.region}:${local.account_id}:secret:stg/slack-AbCdEf" }
  }
}
