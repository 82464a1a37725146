locals {
  # A message that SQS moves is not counted as sent; what lies there is.
  dead_letter_targets = { for key, queue in var.queues : key => {
    sources = { queue = { namespace = "AWS/SQS", dimensions = { QueueName = queue.dead_letter_queue_name } } }
    # A message that a standard queue moves keeps the time at which it was sent, and its age here begins anew: it may have used up
    # the queue's retention before.
    limits = { retention_seconds = queue.dead_letter_retention_seconds - (queue.fifo ? 0 : queue.retention_seconds) }
  } }
  failure_queue_targets = { for key, queue in var.failure_queues : key => {
    sources = { queue = { namespace = "AWS/SQS", dimensions = { QueueName = queue.queue_name } } }
    limits  = { retention_seconds = queue.retention_seconds }
  } }

  # Whoever looks at messages hides them for a while, which is not the end of them: both alarms on their number look back.
  dead_letter_alarms = {
    dlq-visible = {
      service    = "dlq"
      text       = "Messages are in the dead-letter queue: their effect has not happened. Look at their reasons, then redrive them or write them off."
      severity   = "critical"
      slows      = false
      metrics    = { visible = { source = "queue", name = "ApproximateNumberOfMessagesVisible", stat = "Maximum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 5
      datapoints = 1
      targets    = local.dead_letter_targets
    }
    dlq-in-flight = {
      service    = "dlq"
      text       = "Somebody or something has held dead letters for long, which hides them from every other look. Find out who receives from the queue."
      severity   = "warning"
      slows      = false
      metrics    = { in_flight = { source = "queue", name = "ApproximateNumberOfMessagesNotVisible", stat = "Maximum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 15
      datapoints = null
      targets    = local.dead_letter_targets
    }
    dlq-oldest-message-age = {
      service    = "dlq"
      text       = "A dead letter has waited for more than a day. Decide: redrive it, or write it off."
      severity   = "warning"
      slows      = false
      metrics    = { age = { source = "queue", name = "ApproximateAgeOfOldestMessage", stat = "Maximum" } }
      expression = null
      comparison = "GreaterThanThreshold"
      threshold  = 86400
      share      = null
      limit      = "retention_seconds"
      period     = 300
      periods    = 1
      datapoints = null
      targets    = local.dead_letter_targets
    }
    dlq-retention-risk = {
      service    = "dlq"
      text       = "Dead letters will soon be deleted by SQS, and with them the only trace of what has not happened. Redrive or archive them now."
      severity   = "critical"
      slows      = false
      metrics    = { age = { source = "queue", name = "ApproximateAgeOfOldestMessage", stat = "Maximum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = null
      share      = 0.8
      limit      = "retention_seconds"
      period     = 300
      periods    = 1
      datapoints = null
      targets    = local.dead_letter_targets
    }
  }

  failure_queue_alarms = {
    failure-queue-visible = {
      service    = "failure-queue"
      text       = "An event was given up: its function never ran, or failed for good. The queue says which and why; start the run again by hand."
      severity   = "critical"
      slows      = false
      metrics    = { visible = { source = "queue", name = "ApproximateNumberOfMessagesVisible", stat = "Maximum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 5
      datapoints = 1
      targets    = local.failure_queue_targets
    }
    failure-queue-retention-risk = {
      service    = "failure-queue"
      text       = "Failed events will soon be deleted by SQS. Read them and act on them now."
      severity   = "critical"
      slows      = false
      metrics    = { age = { source = "queue", name = "ApproximateAgeOfOldestMessage", stat = "Maximum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = null
      share      = 0.8
      limit      = "retention_seconds"
      period     = 300
      periods    = 1
      datapoints = null
      targets    = local.failure_queue_targets
    }
  }
}
