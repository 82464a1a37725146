provider "aws" {
  region              = "ap-northeast-1"
  allowed_account_ids = [var.account_id]

  default_tags {
    tags = {
      project     = "fanout-once"
      environment = "stg"
    }
  }
}

module "platform" {
  source = "../../modules/platform"

  name                     = "fanout-stg"
  dist                     = var.dist
  timezone                 = "Asia/Tokyo"
  permissions_boundary_arn = "arn:aws:iam::${var.account_id}:policy/fanout-boundary"

  log_retention_days = 30

  jobs = {
    charge = { maximum_concurrency = 10 }
    co2    = { maximum_concurrency = 10, on_quarantine = "halt-group" }
  }
}
