module "platform" {
  source = "../../modules/platform"

  name     = "fanout-local"
  dist     = var.dist
  timezone = "Asia/Tokyo"

  # What is here goes with the run.
  tables             = { point_in_time_recovery = false, deletion_protection = false }
  log_retention_days = 1

  # One channel for all severities: an incident that becomes graver stays where it is.
  alerts = {
    runbook_url = "https://git.example.com/platform/fanout-once/blob/main/docs/runbook.md"
    email       = { nobody = { address = "nobody@example.com" } }
    slack = var.slack_endpoint == null ? null : {
      credentials   = { ssm_parameter_name = "/fanout-local/slack" }
      channels      = { critical = "C0CRITICAL", warning = "C0CRITICAL", info = "C0CRITICAL" }
      api_url       = var.slack_endpoint
      quiet_seconds = 5
    }
  }

  # Short timeouts, so that a killed consumer's messages come back while one watches.
  jobs = {
    charge = {
      expression               = var.schedule_expression
      payment_endpoint         = var.payment_endpoint
      consumer_timeout_seconds = 5
      dispatch_timeout_seconds = 60
    }
    co2 = {
      expression               = var.schedule_expression
      on_quarantine            = "halt-group"
      consumer_timeout_seconds = 5
      dispatch_timeout_seconds = 60
    }
  }
}
