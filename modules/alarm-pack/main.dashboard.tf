locals {
  region = data.aws_region.current.region

  console_domains = { aws = "aws.amazon.com", aws-cn = "amazonaws.cn", aws-us-gov = "amazonaws-us-gov.com" }
  console         = "https://${local.region}.console.${lookup(local.console_domains, data.aws_partition.current.partition, "aws.amazon.com")}"
  dashboard_url   = length(var.jobs) > 0 ? "${local.console}/cloudwatch/home?region=${local.region}#dashboards/dashboard/${var.name}" : null

  # Good is green and blue, bad is red; the same thing has the same colour in every row.
  colours = { done = "#2ca02c", sent = "#1f77b4", waiting = "#9467bd", retried = "#ff7f0e", failed = "#d62728", neutral = "#7f7f7f" }

  # Built from names, so that the body is known at plan.
  alarm_arn_prefix = "arn:${data.aws_partition.current.partition}:cloudwatch:${local.region}:${data.aws_caller_identity.current.account_id}:alarm"
  composite_arns   = [for id in keys(local.composites) : "${local.alarm_arn_prefix}:${var.name}-${id}"]
  alarm_arns = flatten([for severity in ["critical", "warning", "info"] : [
    for alarm in values(local.alarms) : "${local.alarm_arn_prefix}:${alarm.name}" if alarm.severity == severity
  ]])

  # Where each alarm rings, drawn into the widget that shows its metric.
  rings_at = { for id in keys(local.catalogue) : id => distinct([for alarm in values(local.alarms) : alarm.value if alarm.id == id]) }

  shown_tables = merge(var.tables, var.dashboard.tables)

  # Top to bottom: whether anything is wrong, how far the run is, each part that it passes through, every alarm. Widths of a row
  # add up to 24.
  rows = [for row in concat(
    [{
      shown  = true
      height = 3
      widgets = concat(
        [{ type = "text", width = length(local.composites) > 0 ? 12 : 24, properties = {
          markdown = "# ${local.service}\n[Runbook](${var.runbook_url}) · The run, then what it passes through. A level line is where an alarm rings."
        } }],
        [for arns in [local.composite_arns] : { type = "alarm", width = 12, properties = { title = "Is anything wrong?", alarms = arns } } if length(arns) > 0],
      )
    }],
    local.run_rows,
    [local.queue_row, local.dead_letter_row, local.function_row, local.function_limit_row, local.table_row, local.schedule_row],
    # An alarm widget holds 100 alarms.
    [for arns in chunklist(local.alarm_arns, 100) : {
      shown   = true
      height  = 2 + ceil(length(arns) / 8)
      widgets = [{ type = "alarm", width = 24, properties = { title = "Every alarm", alarms = arns } }]
    }],
  ) : row if row.shown]

  widgets = flatten([for number, row in local.rows : [for column, widget in row.widgets : {
    type       = widget.type
    x          = sum(concat([0], [for before in slice(row.widgets, 0, column) : before.width]))
    y          = sum(concat([0], [for before in slice(local.rows, 0, number) : before.height]))
    width      = widget.width
    height     = row.height
    properties = merge(widget.properties, widget.type == "metric" ? { region = local.region } : {})
  }]])
}

resource "aws_cloudwatch_dashboard" "this" {
  count = length(var.jobs) > 0 ? 1 : 0

  dashboard_name = var.name
  dashboard_body = jsonencode({
    start          = "-PT12H"
    periodOverride = "inherit"
    widgets        = local.widgets
  })
}
