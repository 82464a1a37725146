data "aws_caller_identity" "current" {}

data "aws_iam_policy_document" "publish" {
  statement {
    sid       = "Alarms"
    actions   = ["sns:Publish"]
    resources = [aws_sns_topic.this.arn]

    principals {
      type        = "Service"
      identifiers = var.changed ? ["cloudwatch.amazonaws.com", "events.amazonaws.com"] : ["cloudwatch.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [data.aws_caller_identity.current.account_id]
    }
  }
}

data "aws_iam_policy_document" "trust" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["pipes.amazonaws.com"]
    }
  }
}

resource "aws_iam_role" "this" {
  name               = "cycle-pipe"
  assume_role_policy = data.aws_iam_policy_document.trust.json
}

resource "aws_sqs_queue" "source" {
  name = "cycle-events-source"
}

resource "aws_sqs_queue" "target" {
  name       = "cycle-events-target.fifo"
  fifo_queue = true
}

resource "aws_sqs_queue" "plain" {
  name = "cycle-events-plain"
}

resource "aws_sns_topic" "this" {
  name         = "cycle-alerts"
  display_name = var.changed ? "Second" : "First"
  tags         = { severity = var.changed ? "critical" : "warning" }
}

resource "aws_sns_topic_policy" "this" {
  arn    = aws_sns_topic.this.arn
  policy = data.aws_iam_policy_document.publish.json
}

resource "aws_sns_topic_subscription" "this" {
  topic_arn            = aws_sns_topic.this.arn
  protocol             = "sqs"
  endpoint             = aws_sqs_queue.plain.arn
  raw_message_delivery = var.changed
  filter_policy        = jsonencode({ severity = var.changed ? ["critical"] : ["critical", "warning"] })
}

resource "aws_cloudwatch_event_bus" "this" {
  name = "cycle"
  tags = { job = var.changed ? "co2" : "charge" }
}

resource "aws_cloudwatch_event_rule" "this" {
  name           = "cycle-orders"
  event_bus_name = aws_cloudwatch_event_bus.this.name
  description    = var.changed ? "second" : "first"
  state          = "ENABLED"
  event_pattern  = jsonencode({ source = ["fanout-once"], detail-type = ["Charged"] })
  tags           = { job = var.changed ? "co2" : "charge" }
}

resource "aws_cloudwatch_event_rule" "default" {
  name                = "cycle-clock"
  schedule_expression = var.changed ? "rate(2 days)" : "rate(1 day)"
  state               = "DISABLED"
}

resource "aws_cloudwatch_event_target" "this" {
  rule           = aws_cloudwatch_event_rule.this.name
  event_bus_name = aws_cloudwatch_event_bus.this.name
  target_id      = "queue"
  arn            = aws_sqs_queue.target.arn

  sqs_target {
    message_group_id = var.changed ? "second" : "first"
  }

  dead_letter_config {
    arn = aws_sqs_queue.plain.arn
  }

  retry_policy {
    maximum_event_age_in_seconds = 3600
    maximum_retry_attempts       = 10
  }

  input_transformer {
    input_paths    = { tenant = "$.detail.tenant" }
    input_template = "{\"tenant_id\": <tenant>}"
  }
}

resource "aws_pipes_pipe" "this" {
  name          = "cycle"
  role_arn      = aws_iam_role.this.arn
  source        = aws_sqs_queue.source.arn
  target        = aws_sqs_queue.target.arn
  description   = var.changed ? "second" : "first"
  desired_state = "STOPPED"
  tags          = { job = var.changed ? "co2" : "charge" }

  source_parameters {
    filter_criteria {
      filter {
        pattern = jsonencode({ body = { kind = ["charge"] } })
      }
    }
  }

  target_parameters {
    sqs_queue_parameters {
      message_group_id         = "$.body.tenant"
      message_deduplication_id = "$.body.key"
    }
  }
}
