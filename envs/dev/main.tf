provider "aws" {
  region              = "ap-northeast-1"
  allowed_account_ids = [var.account_id]

  default_tags {
    tags = {
      project     = "fanout-once"
      environment = "dev"
    }
  }
}

module "platform" {
  source = "../../modules/platform"

  name                     = "fanout-dev"
  dist                     = var.dist
  timezone                 = "Asia/Tokyo"
  permissions_boundary_arn = "arn:aws:iam::${var.account_id}:policy/fanout-boundary"

  key_access = {
    administrator_arns = ["arn:aws:iam::${var.account_id}:role/ci-fanout-apply"]
    reader_arns        = ["arn:aws:iam::${var.account_id}:role/ci-fanout-plan"]
  }

  alerts = {
    runbook_url = "https://git.example.com/platform/fanout-once/blob/main/docs/runbook.md"
    email       = { on-call = { address = "on-call@example.com", severities = ["critical"] } }
    slack = {
      credentials = { ssm_parameter_name = "/fanout-dev/slack" }
      channels    = { critical = "C0CRITICAL", warning = "C0WARNING", info = "C0INFO" }
    }
  }

  tables             = { point_in_time_recovery = false, deletion_protection = false }
  log_retention_days = 14

  jobs = {
    charge = { enabled = false, audit_enabled = false, maximum_concurrency = 2 }
    co2    = { enabled = false, audit_enabled = false, maximum_concurrency = 2, on_quarantine = "halt-group" }
  }
}
