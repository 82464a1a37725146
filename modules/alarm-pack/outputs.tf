output "alarms" {
  description = "The metric alarms by `<alarm id>/<key>`: `name`, `arn`, `id`, `severity`, `member_of` (`broken`, `slow`, null)."
  value = { for key, alarm in aws_cloudwatch_metric_alarm.this : key => {
    name      = alarm.alarm_name
    arn       = alarm.arn
    id        = local.alarms[key].id
    severity  = local.alarms[key].severity
    member_of = local.alarms[key].member_of
  } }
}

output "composites" {
  description = "The composite alarms, `broken` and `slow` where they have members: `name`, `arn`, `severity`."
  value = { for id, alarm in aws_cloudwatch_composite_alarm.this : id => {
    name     = alarm.alarm_name
    arn      = alarm.arn
    severity = local.composites[id].severity
  } }
}

output "maintenance_alarm" {
  description = "The alarm that is on while a maintenance window is declared: `name`, `arn`; null without composites."
  value       = one([for alarm in aws_cloudwatch_metric_alarm.maintenance : { name = alarm.alarm_name, arn = alarm.arn }])
}

output "maintenance_policy_json" {
  description = "IAM policy for whoever declares maintenance windows (`make maintenance`); null without composites."
  value       = one(data.aws_iam_policy_document.maintenance[*].json)
}

output "dashboard" {
  description = "The dashboard: `name`, `url`; null without jobs."
  value       = one([for dashboard in aws_cloudwatch_dashboard.this : { name = dashboard.dashboard_name, url = local.dashboard_url }])
}

output "ids" {
  description = "Every alarm id of the catalogue, watched here or not."
  value       = sort(keys(local.catalogue))
}
