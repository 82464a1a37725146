# Alarms as this project's modules make them, twice: on topics whose key admits CloudWatch, and on topics whose key does not.
terraform {
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.28, < 7.0"
    }
  }
}

variable "endpoint" {
  description = "Address of the local AWS; asked only whose keys these are."
  type        = string
}

provider "aws" {
  region                      = "ap-northeast-1"
  access_key                  = "test"
  secret_key                  = "test"
  skip_credentials_validation = true
  skip_metadata_api_check     = true

  endpoints {
    cloudwatch = var.endpoint
    kms        = var.endpoint
    lambda     = var.endpoint
    scheduler  = var.endpoint
    sns        = var.endpoint
    sqs        = var.endpoint
    sts        = var.endpoint
  }
}

locals {
  channels = {
    admitted = ["cloudwatch.amazonaws.com"]
    refused  = []
  }
}

data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
data "aws_region" "current" {}

data "aws_iam_policy_document" "key" {
  for_each = local.channels

  statement {
    sid       = "Account"
    actions   = ["kms:*"]
    resources = ["*"]

    principals {
      type        = "AWS"
      identifiers = ["arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}:root"]
    }
  }

  dynamic "statement" {
    for_each = each.value

    content {
      sid       = "Alarms"
      actions   = ["kms:Decrypt", "kms:GenerateDataKey*"]
      resources = ["*"]

      principals {
        type        = "Service"
        identifiers = [statement.value]
      }

      condition {
        test     = "StringEquals"
        variable = "aws:SourceAccount"
        values   = [data.aws_caller_identity.current.account_id]
      }
    }
  }
}

resource "aws_kms_key" "alerts" {
  for_each = local.channels

  description = "Alerts, ${each.key}."
  policy      = data.aws_iam_policy_document.key[each.key].json
}

resource "aws_sns_topic" "critical" {
  for_each = local.channels

  name              = "${each.key}-critical"
  kms_master_key_id = aws_kms_key.alerts[each.key].arn
}

resource "aws_sns_topic" "warning" {
  for_each = local.channels

  name              = "${each.key}-warning"
  kms_master_key_id = aws_kms_key.alerts[each.key].arn
}

locals {
  arn_prefix = "arn:${data.aws_partition.current.partition}:sns:${data.aws_region.current.region}:${data.aws_caller_identity.current.account_id}"
  first      = keys(local.channels)[0]
}

# Which topic it names is not known: the plan shows that both are referred to.
resource "aws_cloudwatch_metric_alarm" "either" {
  alarm_name          = "either"
  namespace           = "FanoutOnce"
  metric_name         = "Quarantined"
  dimensions          = { service = "charge" }
  statistic           = "Sum"
  period              = 60
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 1
  evaluation_periods  = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.critical[local.first].arn]
}

module "queue" {
  source   = "../../../modules/fifo-queue-with-dlq"
  for_each = local.channels

  name                     = "${each.key}-charge"
  consumer_timeout_seconds = 60
}

resource "aws_sqs_queue" "failures" {
  for_each = local.channels

  name                      = "${each.key}-failures"
  message_retention_seconds = 1209600
}

resource "aws_scheduler_schedule_group" "this" {
  for_each = local.channels

  name = "${each.key}-charge"
}

resource "aws_lambda_function_event_invoke_config" "dispatcher" {
  for_each = local.channels

  function_name = "${each.key}-dispatcher"

  destination_config {
    on_failure {
      destination = aws_sqs_queue.failures[each.key].arn
    }
  }
}

resource "aws_lambda_event_source_mapping" "charge" {
  for_each = local.channels

  event_source_arn = module.queue[each.key].queue.arn
  function_name    = "${each.key}-consumer"
}

module "alarms" {
  source   = "../../../modules/alarm-pack"
  for_each = local.channels

  name        = "${each.key}-charge"
  runbook_url = "https://git.example.com/platform/runbook.md"
  # Known before there are topics, as those of alert-channel are.
  topics = {
    critical = "${local.arn_prefix}:${aws_sns_topic.critical[each.key].name}"
    warning  = "${local.arn_prefix}:${aws_sns_topic.warning[each.key].name}"
    info     = "${local.arn_prefix}:${aws_sns_topic.warning[each.key].name}"
  }

  queues = { main = merge(module.queue[each.key].monitoring, {
    mapping = { uuid = aws_lambda_event_source_mapping.charge[each.key].uuid }
  }) }
  failure_queues = { dispatch = { queue_name = aws_sqs_queue.failures[each.key].name, retention_seconds = 1209600 } }
  functions = { dispatcher = {
    function_name        = "${each.key}-dispatcher"
    timeout_seconds      = 300
    reserved_concurrency = 5
    asynchronous         = true
  } }
  tables         = { jobs = { table_name = "${each.key}-jobs" } }
  schedules      = { main = { schedule_group_name = aws_scheduler_schedule_group.this[each.key].name } }
  topics_watched = { critical = { topic_name = aws_sns_topic.critical[each.key].name } }
  jobs           = { main = { name = "charge", metrics_namespace = "FanoutOnce", queue = "main" } }
  account        = each.key == "admitted"
}

# The alerts of this project, whose key and topics admit what has to use them.
module "channel" {
  source = "../../../modules/alert-channel"

  name        = "own-alerts"
  environment = "test"
  email       = { night = { address = "night@example.com", severities = ["critical", "warning", "info"] } }
}

module "channel_alarms" {
  source = "../../../modules/alarm-pack"

  name        = "own-charge"
  runbook_url = "https://git.example.com/platform/runbook.md"
  topics      = module.channel.topics
  jobs        = { main = { name = "charge", metrics_namespace = "FanoutOnce" } }
}
