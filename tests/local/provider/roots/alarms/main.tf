resource "aws_cloudwatch_metric_alarm" "this" {
  alarm_name          = "cycle-dead-letters"
  alarm_description   = "A message was set aside"
  namespace           = "AWS/SQS"
  metric_name         = "ApproximateNumberOfMessagesVisible"
  dimensions          = { QueueName = "cycle-dlq.fifo" }
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = 1
  threshold           = var.changed ? 5 : 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = ["arn:aws:sns:ap-northeast-1:111122223333:critical"]
  tags                = { severity = var.changed ? "warning" : "critical" }
}

resource "aws_cloudwatch_metric_alarm" "math" {
  alarm_name          = "cycle-stuck"
  evaluation_periods  = 3
  threshold           = 0.5
  comparison_operator = "GreaterThanThreshold"
  actions_enabled     = !var.changed

  metric_query {
    id          = "stuck"
    expression  = "IF(visible > 0 AND deleted == 0, 1, 0)"
    label       = "Stuck"
    return_data = true
  }

  metric_query {
    id = "visible"

    metric {
      namespace   = "AWS/SQS"
      metric_name = "ApproximateNumberOfMessagesVisible"
      dimensions  = { QueueName = "cycle.fifo" }
      period      = 300
      stat        = "Maximum"
    }
  }

  metric_query {
    id = "deleted"

    metric {
      namespace   = "AWS/SQS"
      metric_name = "NumberOfMessagesDeleted"
      dimensions  = { QueueName = "cycle.fifo" }
      period      = 300
      stat        = "Sum"
    }
  }
}

resource "aws_cloudwatch_composite_alarm" "this" {
  alarm_name        = "cycle-broken"
  alarm_description = var.changed ? "second" : "first"
  alarm_rule = join(" OR ", [
    "ALARM(${aws_cloudwatch_metric_alarm.this.alarm_name})",
    "ALARM(${aws_cloudwatch_metric_alarm.math.alarm_name})",
  ])
  ok_actions = ["arn:aws:sns:ap-northeast-1:111122223333:warning"]

  actions_suppressor {
    alarm            = aws_cloudwatch_metric_alarm.math.alarm_name
    wait_period      = var.changed ? 60 : 120
    extension_period = 60
  }
}

resource "aws_cloudwatch_dashboard" "this" {
  dashboard_name = "cycle"
  dashboard_body = jsonencode({
    widgets = [{
      type       = "text"
      x          = 0
      y          = 0
      width      = 6
      height     = 3
      properties = { markdown = var.changed ? "second" : "first" }
    }]
  })
}
