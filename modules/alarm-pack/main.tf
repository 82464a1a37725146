data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
data "aws_region" "current" {}

locals {
  service = coalesce(var.service, var.name)

  # Everything that can be watched, by stable id; what this pack watches of it is in each entry's `targets`.
  catalogue = merge(
    local.queue_alarms, local.dead_letter_alarms, local.failure_queue_alarms, local.mapping_alarms, local.function_alarms,
    local.table_alarms, local.account_alarms, local.schedule_alarms, local.topic_alarms, local.job_alarms,
  )
  services = distinct([for alarm in values(local.catalogue) : alarm.service])

  # An alarm on one metric has no expression; an alarm on several has one over their names.
  expanded = merge([for id, alarm in local.catalogue : { for key, target in alarm.targets : "${id}/${key}" => {
    id         = id
    key        = key
    name       = "${var.name}-${key}-${id}"
    service    = alarm.service
    text       = alarm.text
    severity   = alarm.severity
    slows      = alarm.slows
    comparison = alarm.comparison
    threshold  = alarm.threshold
    share      = alarm.share
    limit      = alarm.limit == null ? null : target.limits[alarm.limit]
    period     = alarm.period
    # A metric that comes late by as much as a limit of its resource is waited for.
    periods    = alarm.periods + (contains(keys(alarm), "late") ? ceil(target.limits[alarm.late] / alarm.period) : 0)
    datapoints = alarm.datapoints
    expression = alarm.expression
    metrics = { for name, metric in alarm.metrics : name => {
      namespace  = target.sources[metric.source].namespace
      dimensions = target.sources[metric.source].dimensions
      name       = metric.name
      stat       = metric.stat
    } }
  } }]...)
  watched = { for key, alarm in local.expanded : key => merge(alarm, { single = alarm.expression == null ? one(values(alarm.metrics)) : null }) }

  names = [for alarm in values(local.watched) : alarm.name]

  # People read the first lines; programs read the lines after the blank one.
  footers = { for key, alarm in merge(local.alarms, local.composites) : key => join("\n", concat(
    [
      "alarm: ${alarm.id}",
      "service: ${local.service}",
      "severity: ${alarm.severity}",
      "runbook: ${var.runbook_url}#${alarm.id}",
    ],
    local.dashboard_url == null ? [] : ["dashboard: ${local.dashboard_url}"],
  )) }
  descriptions = { for key, alarm in merge(local.alarms, local.composites) : key => "${alarm.text}\n\n${local.footers[key]}" }
}

resource "aws_cloudwatch_metric_alarm" "this" {
  for_each = local.alarms

  alarm_name        = each.value.name
  alarm_description = local.descriptions[each.key]

  namespace   = one(each.value.single[*].namespace)
  metric_name = one(each.value.single[*].name)
  dimensions  = one(each.value.single[*].dimensions)
  period      = each.value.single == null ? null : each.value.period_seconds
  statistic   = one(each.value.single[*].stat)

  dynamic "metric_query" {
    for_each = each.value.expression == null ? {} : { value = each.value.expression }

    content {
      id          = metric_query.key
      expression  = metric_query.value
      label       = each.value.id
      return_data = true
    }
  }

  dynamic "metric_query" {
    for_each = each.value.expression == null ? {} : each.value.metrics

    content {
      id          = metric_query.key
      return_data = false

      metric {
        namespace   = metric_query.value.namespace
        metric_name = metric_query.value.name
        dimensions  = metric_query.value.dimensions
        period      = each.value.period_seconds
        stat        = metric_query.value.stat
      }
    }
  }

  comparison_operator = each.value.comparison
  threshold           = each.value.value
  evaluation_periods  = each.value.evaluation_periods
  datapoints_to_alarm = each.value.datapoints_to_alarm
  # Metrics of an idle queue and of a job of the month pause; what must not pause has an auditor.
  treat_missing_data = "notBreaching"

  # A composite speaks for its members: one incident, one message.
  alarm_actions = each.value.notify ? [var.topics[each.value.severity]] : []
  ok_actions    = each.value.notify ? [var.topics[each.value.severity]] : []

  tags = var.tags

  lifecycle {
    # A composite lets go of a member before the member is deleted; CloudWatch refuses it the other way round.
    create_before_destroy = true

    precondition {
      condition     = can(regex("^[A-Za-z0-9_-]{1,64}$", each.value.key))
      error_message = "${each.key}: the key of what is watched is part of the alarm's name: 1 to 64 letters, digits, - and _. Write a key such as \"main\"."
    }

    precondition {
      condition     = length([for name in local.names : name if name == each.value.name]) == 1
      error_message = "${each.key} would be called ${each.value.name}, as another alarm. Write another key for one of what they watch."
    }

    precondition {
      condition     = contains(keys(var.topics), each.value.severity)
      error_message = "${each.key}: settings give the severity \"${each.value.severity}\"; critical, warning and info are allowed. Write warning."
    }

    precondition {
      condition     = each.value.threshold == null || each.value.share == null
      error_message = "${each.key}: settings give both a threshold and a share in one place. Write one of them."
    }

    precondition {
      condition     = each.value.share == null ? true : each.value.share > 0 && each.value.share <= 1
      error_message = "${each.key}: settings give a share that is no part of a limit: above 0, and 1 at most. Write 0.8 for 80 %."
    }

    precondition {
      condition     = each.value.share == null || each.value.limit != null
      error_message = "${each.key}: settings give a share, and there is no limit to take it of. Write a threshold."
    }

    precondition {
      condition     = contains([10, 20, 30], each.value.period_seconds) || each.value.period_seconds >= 60 && each.value.period_seconds % 60 == 0
      error_message = "${each.key}: settings give a period of ${each.value.period_seconds} s; CloudWatch knows 10, 20, 30 and multiples of 60. Write 60."
    }

    precondition {
      condition     = each.value.datapoints_to_alarm <= each.value.evaluation_periods
      error_message = "${each.key}: settings ask for ${each.value.datapoints_to_alarm} of ${each.value.evaluation_periods} datapoints. Write datapoints_to_alarm up to evaluation_periods."
    }

    precondition {
      condition     = each.value.period_seconds * each.value.evaluation_periods <= (each.value.period_seconds < 3600 ? 86400 : 604800)
      error_message = "${each.key}: settings let it look back ${each.value.period_seconds * each.value.evaluation_periods} s; CloudWatch allows 86400, and 604800 with periods from 3600. Write fewer evaluation_periods."
    }

    precondition {
      condition     = each.value.notify || each.value.member_of != null
      error_message = "${each.key}: settings take its notification, and no composite speaks for it: nobody would be told. Write enabled = false, or leave notify out."
    }
  }
}
