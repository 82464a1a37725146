locals {
  composite_texts = {
    broken = { severity = "critical", text = "${local.service} is broken: work is failing, stopped, or about to be lost. Open the dashboard, then the runbook entry of each alarm that is on." }
    slow   = { severity = "warning", text = "${local.service} is slow: work is done, later than it should be. Look whether it still keeps up, and at the runbook entry of each alarm that is on." }
  }

  members = { for id in keys(local.composite_texts) : id => [for key, alarm in local.alarms : key if alarm.member_of == id] }

  composites = { for id, told in local.composite_texts : id => merge(told, { id = id }) if length(local.members[id]) > 0 }
}

locals {
  # Built, not read from the alarm: policies are then known at plan, where a gate can read them.
  maintenance_alarm_name = "${var.name}-maintenance"
  maintenance_alarm_arn  = "arn:${data.aws_partition.current.partition}:cloudwatch:${data.aws_region.current.region}:${data.aws_caller_identity.current.account_id}:alarm:${local.maintenance_alarm_name}"
}

# Declared ahead by an operator, as a point a minute; it tells nobody, and keeps the composites quiet.
resource "aws_cloudwatch_metric_alarm" "maintenance" {
  count = length(local.composites) > 0 ? 1 : 0

  alarm_name        = local.maintenance_alarm_name
  alarm_description = "A declared maintenance window of ${local.service}; while it lasts, the composite alarms tell nobody."

  namespace   = var.metrics_namespace
  metric_name = "Maintenance"
  dimensions  = { service = local.service }
  # Declarations of a minute add up: one that is undone, with -1, counts no more.
  statistic           = "Sum"
  period              = 60
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 1
  evaluation_periods  = 1
  datapoints_to_alarm = 1
  treat_missing_data  = "notBreaching"

  tags = var.tags

  lifecycle {
    create_before_destroy = true
  }
}

# Declares a window and ends it, and does nothing else to alarms. Metrics have no ARN: the namespace bounds what is put.
data "aws_iam_policy_document" "maintenance" {
  count = length(local.composites) > 0 ? 1 : 0

  statement {
    sid       = "SeeWindows"
    actions   = ["cloudwatch:DescribeAlarms", "cloudwatch:GetMetricData"]
    resources = ["*"]
  }

  statement {
    sid       = "DeclareWindows"
    actions   = ["cloudwatch:PutMetricData"]
    resources = ["*"]

    condition {
      test     = "StringEquals"
      variable = "cloudwatch:namespace"
      values   = [var.metrics_namespace]
    }
  }

  statement {
    sid       = "TurnMaintenanceOnAndOff"
    actions   = ["cloudwatch:SetAlarmState"]
    resources = [local.maintenance_alarm_arn]
  }
}

resource "aws_cloudwatch_composite_alarm" "this" {
  for_each = local.composites

  alarm_name        = "${var.name}-${each.key}"
  alarm_description = local.descriptions[each.key]

  alarm_rule    = join(" OR ", [for key in local.members[each.key] : "ALARM(\"${aws_cloudwatch_metric_alarm.this[key].alarm_name}\")"])
  alarm_actions = [var.topics[each.value.severity]]
  ok_actions    = [var.topics[each.value.severity]]

  actions_suppressor {
    alarm = aws_cloudwatch_metric_alarm.maintenance[0].alarm_name
    # A window is declared before the work begins: an incident outside one waits no longer than this.
    wait_period = 10
    # What the work has shaken may settle before anyone is told.
    extension_period = 120
  }

  tags = var.tags

  lifecycle {
    precondition {
      condition     = length(local.members[each.key]) <= 100
      error_message = "${var.name}-${each.key} would have ${length(local.members[each.key])} members; a composite alarm has 100 at most. Split the pack, or turn some off in settings."
    }

    precondition {
      condition     = length(join(" OR ", [for key in local.members[each.key] : "ALARM(\"${local.alarms[key].name}\")"])) <= 10240
      error_message = "The rule of ${var.name}-${each.key} would have ${length(join(" OR ", [for key in local.members[each.key] : "ALARM(\"${local.alarms[key].name}\")"]))} characters; 10240 are allowed. Write shorter keys, or split the pack."
    }
  }
}
