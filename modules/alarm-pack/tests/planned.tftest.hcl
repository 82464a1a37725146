# The provider itself plans here: policies are the module's own, and every setting is seen as it reaches its resource.
provider "aws" {
  region                      = "ap-northeast-1"
  access_key                  = "none"
  secret_key                  = "none"
  skip_credentials_validation = true
  skip_requesting_account_id  = true

  endpoints {
    sts = "http://127.0.0.1:1"
  }
}

override_data {
  target = data.aws_caller_identity.current
  values = { account_id = "111122223333" }
}

variables {
  tags        = { team = "billing" }
  name        = "prod-charge"
  service     = "charge"
  runbook_url = "https://git.example.com/runbook.md"
  topics      = { for severity in ["critical", "warning", "info"] : severity => "arn:aws:sns:ap-northeast-1:111122223333:${severity}" }
  schedules   = { main = { schedule_group_name = "prod-charge" } }
}

run "maintenance_is_all_that_may_be_declared" {
  command = plan

  assert {
    condition = jsonencode(jsondecode(output.maintenance_policy_json).Statement) == jsonencode([
      { Sid = "SeeWindows", Effect = "Allow", Action = ["cloudwatch:GetMetricData", "cloudwatch:DescribeAlarms"], Resource = "*" },
      { Sid = "DeclareWindows", Effect = "Allow", Action = "cloudwatch:PutMetricData", Resource = "*", Condition = { StringEquals = { "cloudwatch:namespace" = "FanoutOnce" } } },
      { Sid = "TurnMaintenanceOnAndOff", Effect = "Allow", Action = "cloudwatch:SetAlarmState", Resource = "arn:aws:cloudwatch:ap-northeast-1:111122223333:alarm:prod-charge-maintenance" },
    ])
    error_message = output.maintenance_policy_json
  }
}

run "settings_reach_the_alarms" {
  command = plan

  assert {
    condition     = aws_cloudwatch_metric_alarm.this["schedule-dropped/main"].tags == tomap({ team = "billing" })
    error_message = "aws_cloudwatch_metric_alarm.this['schedule-dropped/main'] carries the tags."
  }

  assert {
    condition     = aws_cloudwatch_metric_alarm.maintenance[0].tags == tomap({ team = "billing" })
    error_message = "aws_cloudwatch_metric_alarm.maintenance[0] carries the tags."
  }

  assert {
    condition     = aws_cloudwatch_composite_alarm.this["broken"].tags == tomap({ team = "billing" })
    error_message = "aws_cloudwatch_composite_alarm.this['broken'] carries the tags."
  }
}

run "dashboard_shows_the_job" {
  command = plan

  variables {
    jobs = { main = { name = "charge", metrics_namespace = "FanoutOnce" } }
  }

  assert {
    condition     = aws_cloudwatch_dashboard.this[0].dashboard_name == "prod-charge" && length(jsondecode(aws_cloudwatch_dashboard.this[0].dashboard_body).widgets) >= 5
    error_message = "The run, the schedules, and every alarm."
  }
}
