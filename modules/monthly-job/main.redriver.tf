module "redriver" {
  source = "../python-function"
  count  = var.redriver == null ? 0 : 1

  name            = "${var.name}-redriver"
  description     = "Puts back what failed in the job ${var.job} and is known to pass."
  package         = { path = var.redriver.package, handler = var.redriver.handler }
  memory_mb       = var.redriver.memory_mb
  timeout_seconds = var.redriver.timeout_seconds
  log             = local.log
  tags            = var.tags

  environment_kms_key_arn  = var.kms_key_arn
  permissions_boundary_arn = var.permissions_boundary_arn
  policies                 = { redrive = data.aws_iam_policy_document.redriver[0].json }

  asynchronous = local.asynchronous
  environment = {
    JOB_NAME                     = var.job
    QUEUE_URL                    = module.queue.queue.url
    DLQ_URL                      = module.queue.dead_letter_queue.url
    ON_QUARANTINE                = var.consumer.on_quarantine
    REDRIVE_CLASSES              = join(",", sort(var.redriver.classes))
    MAX_REDRIVES                 = tostring(var.redriver.maximum_redrives)
    PAUSE_SECONDS                = tostring(var.redriver.pause_seconds)
    REDRIVE_LIMIT                = tostring(var.redriver.limit)
    REDRIVE_RATE                 = tostring(var.redriver.messages_per_second)
    ALARM_NAMES                  = join(",", sort(var.redriver.alarm_names))
    POWERTOOLS_SERVICE_NAME      = var.job
    POWERTOOLS_METRICS_NAMESPACE = var.observability.metrics_namespace
    POWERTOOLS_LOG_LEVEL         = var.observability.log_level
  }
}

locals {
  redrive_schedules = var.redriver == null ? {} : {
    redrive = {
      function_arn            = one(module.redriver[*].function.arn)
      description             = "Redrives what passes of the job ${var.job}."
      expression              = var.redriver.expression
      timezone                = var.schedule.timezone
      flexible_window_minutes = null
      enabled                 = var.redriver.enabled
      input                   = { job = var.job }
    }
  }
}

data "aws_iam_policy_document" "redriver" {
  count = var.redriver == null ? 0 : 1

  source_policy_documents = [module.queue.redriver_policy_json]

  # CloudWatch knows no narrower resource for this action.
  statement {
    sid       = "LookAtAlarms"
    actions   = ["cloudwatch:DescribeAlarms"]
    resources = ["*"]
  }
}
