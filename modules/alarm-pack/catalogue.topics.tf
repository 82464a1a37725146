locals {
  topic_targets = { for key, topic in var.topics_watched : key => {
    sources = { topic = { namespace = "AWS/SNS", dimensions = { TopicName = topic.topic_name } } }
    limits  = {}
  } }

  topic_alarms = {
    topic-delivery-failed = {
      service    = "topic"
      text       = "SNS could not deliver a notification to a subscriber. Alarms may reach nobody: see the subscription, its queue's policy and key."
      severity   = "warning"
      slows      = false
      metrics    = { failed = { source = "topic", name = "NumberOfNotificationsFailed", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 1
      datapoints = null
      targets    = local.topic_targets
    }
  }
}
