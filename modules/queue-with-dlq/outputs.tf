output "queue" {
  description = "The queue: `name`, `arn`, `url`, `visibility_timeout_seconds`, `retention_seconds`. ARN and URL are known at plan."
  value = {
    name                       = aws_sqs_queue.this.name
    arn                        = local.arns.queue
    url                        = local.urls.queue
    visibility_timeout_seconds = local.visibility_timeout_seconds
    retention_seconds          = var.queue.retention_seconds
  }

  # A built URL carries no order: whoever is told it may send at once.
  depends_on = [aws_sqs_queue.this]
}

output "dead_letter_queue" {
  description = "The dead-letter queue: `name`, `arn`, `url`, `retention_seconds`, `maximum_receive_count`. ARN and URL are known at plan."
  value = {
    name                  = aws_sqs_queue.dead_letter.name
    arn                   = local.arns.dead_letter_queue
    url                   = local.urls.dead_letter_queue
    retention_seconds     = var.dead_letter_queue.retention_seconds
    maximum_receive_count = var.dead_letter_queue.maximum_receive_count
  }

  # As the queue's.
  depends_on = [aws_sqs_queue.dead_letter]
}

output "producer_policy_json" {
  description = "IAM policy for whoever sends to the queue."
  value       = data.aws_iam_policy_document.grant["producer"].json
}

output "consumer_policy_json" {
  description = "IAM policy for whoever reads the queue and sends what has failed for good to the dead-letter queue."
  value       = data.aws_iam_policy_document.grant["consumer"].json
}

output "redriver_policy_json" {
  description = "IAM policy for a function that moves messages from the dead-letter queue back by itself."
  value       = data.aws_iam_policy_document.grant["redriver"].json
}

output "operator_policy_json" {
  description = "IAM policy for whoever inspects the dead-letter queue and moves messages back."
  value       = data.aws_iam_policy_document.grant["operator"].json
}

output "key_policy_json" {
  description = "Statements that the customer key's own policy needs for the services that send; null without such a key or such a service."
  value       = local.uses_kms ? one(data.aws_iam_policy_document.key[*].json) : null
}

output "monitoring" {
  description = "What alarms need: names and limits of both queues, and of the mapping (null without a consumer)."
  value = {
    queue_name                    = aws_sqs_queue.this.name
    dead_letter_queue_name        = aws_sqs_queue.dead_letter.name
    retention_seconds             = var.queue.retention_seconds
    dead_letter_retention_seconds = var.dead_letter_queue.retention_seconds
    maximum_message_bytes         = var.queue.maximum_message_bytes
    fifo                          = var.fifo != null
    mapping = one([for mapping in aws_lambda_event_source_mapping.this : {
      uuid                = mapping.uuid
      function_name       = var.consumer.function.name
      maximum_concurrency = var.consumer.provisioned_pollers == null ? coalesce(var.consumer.maximum_concurrency, 10) : null
    }])
  }
}
