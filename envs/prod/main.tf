provider "aws" {
  region              = "ap-northeast-1"
  allowed_account_ids = [var.account_id]

  default_tags {
    tags = {
      project     = "fanout-once"
      environment = "prod"
    }
  }
}

module "platform" {
  source = "../../modules/platform"

  name                     = "fanout-prod"
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
      credentials = { ssm_parameter_name = "/fanout-prod/slack" }
      channels    = { critical = "C0CRITICAL", warning = "C0WARNING", info = "C0INFO" }
    }
  }

  log_retention_days = 365
  kms_key_arn        = var.kms_key_arn

  jobs = {
    charge = { maximum_concurrency = 100, group_scope = "wallet", high_throughput = true }
    co2    = { maximum_concurrency = 50, on_quarantine = "halt-group" }
  }
}
