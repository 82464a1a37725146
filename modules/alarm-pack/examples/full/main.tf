terraform {
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.28, < 7.0"
    }
  }
}

variable "dist" {
  description = "Folder with the functions' zips."
  type        = string
}

resource "aws_sns_topic" "alerts" {
  for_each = toset(["critical", "warning", "info"])

  name = "prod-alerts-${each.key}"
}

module "consumer" {
  source = "../../../python-function"

  name                 = "prod-charge-consumer"
  package              = { path = "${var.dist}/charge_consumer.zip", handler = "charge_consumer.handler.handler" }
  timeout_seconds      = 60
  reserved_concurrency = 20
}

module "queue" {
  source = "../../../fifo-queue-with-dlq"

  name                     = "prod-charge"
  consumer_timeout_seconds = 60
  consumer                 = { function = module.consumer.function }
}

module "failures" {
  source = "../../../failure-queue"

  name = "prod-charge-failures"
}

module "jobs" {
  source = "../../../job-table"

  name = "prod-jobs"
}

module "directory" {
  source = "../../../job-table"

  name          = "prod-directory"
  ttl_attribute = null
}

module "dispatcher" {
  source = "../../../python-function"

  name            = "prod-charge-dispatcher"
  package         = { path = "${var.dist}/monthly_dispatcher.zip", handler = "monthly_dispatcher.handler.handler" }
  timeout_seconds = 900
  asynchronous = {
    failure_queue_arn         = module.failures.queue.arn
    failure_queue_policy_json = module.failures.send_policy_json
    invokes_itself            = true
  }
}

module "schedule" {
  source = "../../../scheduler-fanout"

  name = "prod-charge"
  schedules = {
    dispatch = {
      function_arn = module.dispatcher.function.arn
      expression   = "cron(0 3 1 * ? *)"
      timezone     = "Asia/Tokyo"
      input        = { job = "charge" }
    }
  }
}

module "alarms" {
  source = "../.."

  name              = "prod-charge"
  service           = "charge"
  topics            = { for severity, topic in aws_sns_topic.alerts : severity => topic.arn }
  runbook_url       = "https://git.example.com/platform/fanout-once/docs/runbook.md"
  metrics_namespace = "FanoutOnce"
  account           = true
  tags              = { team = "billing" }

  queues         = { main = module.queue.monitoring }
  failure_queues = { events = module.failures.monitoring, schedule = module.schedule.monitoring.failure_queue }
  functions      = { consumer = module.consumer.monitoring, dispatcher = module.dispatcher.monitoring }
  tables         = { jobs = module.jobs.monitoring }
  schedules      = { main = module.schedule.monitoring }
  topics_watched = { for severity, topic in aws_sns_topic.alerts : severity => { topic_name = topic.name } }
  jobs           = { main = { name = "charge", metrics_namespace = "FanoutOnce", queue = "main", redriver = true, done_metric = "Charged" } }
  dashboard      = { tables = { directory = module.directory.monitoring } }

  settings = {
    services = {
      topic = { severity = "critical" }
    }
    alarms = {
      queue-duplicate-sends    = { enabled = false }
      queue-oldest-message-age = { share = 0.1 }
      function-duration        = { share = 0.9, period_seconds = 60, evaluation_periods = 5, datapoints_to_alarm = 3 }
    }
    resources = {
      "dlq-visible/main" = { notify = true }
    }
  }
}
