locals {
  queue_targets = { for key, queue in var.queues : key => {
    sources = { queue = { namespace = "AWS/SQS", dimensions = { QueueName = queue.queue_name } } }
    limits = {
      retention_seconds     = queue.retention_seconds
      maximum_message_bytes = queue.maximum_message_bytes
      in_flight             = 120000 # SQS's own, FIFO too.
    }
  } }

  queue_alarms = {
    queue-oldest-message-age = {
      service    = "queue"
      text       = "The oldest message has waited longer than it should. See whether the consumer keeps up or stands still."
      severity   = "warning"
      slows      = true
      metrics    = { age = { source = "queue", name = "ApproximateAgeOfOldestMessage", stat = "Maximum" } }
      expression = null
      comparison = "GreaterThanThreshold"
      threshold  = 3600
      share      = null
      limit      = "retention_seconds"
      period     = 60
      periods    = 1
      datapoints = null
      targets    = local.queue_targets
    }
    queue-retention-risk = {
      service    = "queue"
      text       = "Messages have used up much of the time after which SQS deletes them unread. Get the consumer going, or raise the retention, before that."
      severity   = "critical"
      slows      = false
      metrics    = { age = { source = "queue", name = "ApproximateAgeOfOldestMessage", stat = "Maximum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = null
      share      = 0.5
      limit      = "retention_seconds"
      period     = 60
      periods    = 1
      datapoints = null
      targets    = local.queue_targets
    }
    queue-depth = {
      service    = "queue"
      text       = "More messages wait than a run should leave waiting. See whether the consumer's concurrency suits the volume."
      severity   = "warning"
      slows      = true
      metrics    = { visible = { source = "queue", name = "ApproximateNumberOfMessagesVisible", stat = "Maximum" } }
      expression = null
      comparison = "GreaterThanThreshold"
      threshold  = 100000
      share      = null
      limit      = null
      period     = 60
      periods    = 5
      datapoints = null
      targets    = local.queue_targets
    }
    queue-in-flight = {
      service    = "queue"
      text       = "So many messages are in hand that SQS will soon hand out none. See whether consumers hang, and what holds messages without deleting them."
      severity   = "warning"
      slows      = false
      metrics    = { in_flight = { source = "queue", name = "ApproximateNumberOfMessagesNotVisible", stat = "Maximum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = null
      share      = 0.8
      limit      = "in_flight"
      period     = 60
      periods    = 1
      datapoints = null
      targets    = local.queue_targets
    }
    queue-stalled = {
      service  = "queue"
      text     = "Messages wait and none is finished. The consumer is off, throttled, or fails at every message: look at its mapping and its log."
      severity = "critical"
      slows    = false
      metrics = {
        visible = { source = "queue", name = "ApproximateNumberOfMessagesVisible", stat = "Maximum" }
        deleted = { source = "queue", name = "NumberOfMessagesDeleted", stat = "Sum" }
      }
      expression = "IF(visible > 0 AND FILL(deleted, 0) == 0, 1, 0)"
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 15
      datapoints = null
      targets    = local.queue_targets
    }
    queue-duplicate-sends = {
      service    = "queue"
      text       = "SQS dropped sends of keys that it had within five minutes. Harmless: a run was fired twice, or a sender repeated itself."
      severity   = "info"
      slows      = false
      metrics    = { duplicates = { source = "queue", name = "NumberOfDeduplicatedSentMessages", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 300
      periods    = 1
      datapoints = null
      targets    = { for key, target in local.queue_targets : key => target if var.queues[key].fifo }
    }
    queue-message-size = {
      service    = "queue"
      text       = "A message is almost as large as the queue takes; the next may be refused. Send large payloads by reference."
      severity   = "warning"
      slows      = false
      metrics    = { size = { source = "queue", name = "SentMessageSize", stat = "Maximum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = null
      share      = 0.8
      limit      = "maximum_message_bytes"
      period     = 300
      periods    = 1
      datapoints = null
      targets    = local.queue_targets
    }
    queue-empty-receives = {
      service    = "queue"
      text       = "Something polls the empty queue often, and each call costs. Look for a poller without long polling."
      severity   = "info"
      slows      = false
      metrics    = { empty = { source = "queue", name = "NumberOfEmptyReceives", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanThreshold"
      threshold  = 10000
      share      = null
      limit      = null
      period     = 3600
      periods    = 1
      datapoints = null
      targets    = local.queue_targets
    }
  }
}
