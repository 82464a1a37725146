output "topics" {
  description = "ARNs of the topics by severity, `critical`, `warning` and `info`: what alarms act on. Known at plan, and handed out once the topics' policies are there."
  value       = { for severity in local.severities : severity => local.topic_arns[severity] }

  # An alarm may fire as soon as it is made: the topic has to take it by then.
  depends_on = [aws_sns_topic_policy.this]
}

output "topic_names" {
  description = "Names of the topics by severity."
  value       = { for severity, topic in aws_sns_topic.this : severity => topic.name }
}

output "kms_key_arn" {
  description = "The key of the topics: yours, or the one made here."
  value       = var.key == null ? one(aws_kms_key.this[*].arn) : var.key.arn
}

output "key_policy_json" {
  description = "Statements that the policy of a key of yours needs: CloudWatch's alarms and the topics may use it, the roles of `key_access` keep and read it. The key made here has them."
  value       = data.aws_iam_policy_document.key_users.json
}

output "notifier" {
  description = "The notifier to Slack: `function`, `queue`, `dead_letter_queue`, `failure_queue`, `table`, `operator_policy_json` for the dead-letter queue; null without slack."
  value = one([for key, function in module.notifier : {
    function             = function.function
    queue                = module.queue[key].queue
    dead_letter_queue    = module.queue[key].dead_letter_queue
    failure_queue        = module.log_failures[key].queue
    table                = module.incidents[key].table
    operator_policy_json = module.queue[key].operator_policy_json
  }])
}

output "monitoring" {
  description = "What alarms need, by key and shaped for alarm-pack: `queues`, `functions`, `failure_queues`, `tables`, `topics`."
  value = {
    queues    = { for key, queue in module.queue : "notifier" => queue.monitoring }
    functions = { for key, function in module.notifier : "notifier" => function.monitoring }
    tables    = { for key, table in module.incidents : "incidents" => table.monitoring }
    failure_queues = merge(
      { for key, queue in module.log_failures : "notifier-logs" => queue.monitoring },
      { for severity, fan_out in module.fan_out : "notifier-${severity}" => fan_out.monitoring.failure_queues["notifier"] },
      { for name, queue in module.https_failures : "https-${name}" => queue.monitoring },
    )
    topics = { for severity, topic in aws_sns_topic.this : severity => { topic_name = topic.name } }
  }
}
