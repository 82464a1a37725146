data "aws_caller_identity" "current" {}

data "aws_iam_policy_document" "trust" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["scheduler.amazonaws.com"]
    }
  }
}

resource "aws_iam_role" "this" {
  name               = "cycle-scheduler"
  assume_role_policy = data.aws_iam_policy_document.trust.json
}

resource "aws_sqs_queue" "this" {
  name = "cycle-scheduler-dlq"
}

resource "aws_scheduler_schedule_group" "this" {
  name = "cycle"
  tags = { job = var.changed ? "co2" : "charge" }
}

resource "aws_scheduler_schedule" "this" {
  name                         = "monthly"
  group_name                   = aws_scheduler_schedule_group.this.name
  description                  = "The 1st of each month"
  schedule_expression          = var.changed ? "cron(0 4 1 * ? *)" : "cron(0 3 1 * ? *)"
  schedule_expression_timezone = "Asia/Tokyo"

  flexible_time_window {
    mode                      = "FLEXIBLE"
    maximum_window_in_minutes = 15
  }

  target {
    arn      = "arn:aws:lambda:ap-northeast-1:${data.aws_caller_identity.current.account_id}:function:cycle"
    role_arn = aws_iam_role.this.arn
    input    = "{\"scheduled_time\":\"<aws.scheduler.scheduled-time>\"}"

    dead_letter_config {
      arn = aws_sqs_queue.this.arn
    }

    retry_policy {
      maximum_event_age_in_seconds = 3600
      maximum_retry_attempts       = var.changed ? 0 : 3
    }
  }
}

resource "aws_scheduler_schedule" "once" {
  name                = "once"
  group_name          = aws_scheduler_schedule_group.this.name
  schedule_expression = "at(2099-01-01T00:00:00)"
  state               = var.changed ? "DISABLED" : "ENABLED"

  flexible_time_window {
    mode = "OFF"
  }

  target {
    arn      = aws_sqs_queue.this.arn
    role_arn = aws_iam_role.this.arn
  }
}
