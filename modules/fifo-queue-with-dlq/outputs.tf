output "queue" {
  description = "The queue: `name`, `arn`, `url`, `visibility_timeout_seconds`, `retention_seconds`. ARN and URL are known at plan."
  value       = module.queue.queue
}

output "dead_letter_queue" {
  description = "The dead-letter queue: `name`, `arn`, `url`, `retention_seconds`, `maximum_receive_count`. ARN and URL are known at plan."
  value       = module.queue.dead_letter_queue
}

output "producer_policy_json" {
  description = "IAM policy for whoever sends to the queue."
  value       = module.queue.producer_policy_json
}

output "consumer_policy_json" {
  description = "IAM policy for whoever reads the queue and sends what has failed for good to the dead-letter queue."
  value       = module.queue.consumer_policy_json
}

output "redriver_policy_json" {
  description = "IAM policy for a function that moves messages from the dead-letter queue back by itself."
  value       = module.queue.redriver_policy_json
}

output "operator_policy_json" {
  description = "IAM policy for whoever inspects the dead-letter queue and moves messages back."
  value       = module.queue.operator_policy_json
}

output "key_policy_json" {
  description = "Statements that the customer key's own policy needs for the services that send; null without such a key or such a service."
  value       = module.queue.key_policy_json
}

output "monitoring" {
  description = "What alarms need: names and limits of both queues, and of the mapping (null without a consumer)."
  value       = module.queue.monitoring
}
