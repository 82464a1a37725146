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

  log_retention_days = 365
  kms_key_arn        = var.kms_key_arn

  jobs = {
    charge = { maximum_concurrency = 100, group_scope = "wallet", high_throughput = true }
    co2    = { maximum_concurrency = 50, on_quarantine = "halt-group" }
  }
}
