resource "aws_cloudwatch_log_group" "this" {
  name              = "/cycle/function"
  retention_in_days = var.changed ? 30 : 14
  tags              = { job = var.changed ? "co2" : "charge" }
}

resource "aws_cloudwatch_log_group" "other" {
  name_prefix = "/cycle/other-"
}
