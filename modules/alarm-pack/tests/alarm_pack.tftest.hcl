mock_provider "aws" {
  source = "../testing"
}

variables {
  name        = "prod-charge"
  runbook_url = "https://git.example.com/runbook.md"
  topics = {
    critical = "arn:aws:sns:ap-northeast-1:111122223333:critical"
    warning  = "arn:aws:sns:ap-northeast-1:111122223333:warning"
    info     = "arn:aws:sns:ap-northeast-1:111122223333:info"
  }
  queues = { main = {
    queue_name                    = "prod-charge.fifo", dead_letter_queue_name = "prod-charge-dlq.fifo", retention_seconds = 345600
    dead_letter_retention_seconds = 1209600, maximum_message_bytes = 1048576, fifo = true, mapping = { uuid = "u" }
  } }
  functions      = { consumer = { function_name = "prod-charge-consumer", timeout_seconds = 60, reserved_concurrency = 10, asynchronous = true } }
  tables         = { jobs = { table_name = "prod-jobs" } }
  schedules      = { main = { schedule_group_name = "prod-charge" } }
  failure_queues = { dispatch = { queue_name = "prod-charge-dispatch-failures", retention_seconds = 1209600 } }
  topics_watched = { critical = { topic_name = "critical" } }
  jobs           = { main = { name = "charge", metrics_namespace = "FanoutOnce", queue = "main", redriver = true } }
  account        = true
}

run "every_id_of_the_catalogue_has_an_alarm" {
  command = plan

  assert {
    condition     = length(output.ids) == 49 && toset(output.ids) == toset([for alarm in values(output.alarms) : alarm.id])
    error_message = "${join(", ", setsubtract(output.ids, [for alarm in values(output.alarms) : alarm.id]))} watch nothing here."
  }
}
