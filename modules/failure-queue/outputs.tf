output "queue" {
  description = "The queue: `name`, `arn`, `url`. ARN and URL are known at plan."
  value = {
    name = aws_sqs_queue.this.name
    arn  = local.arn
    url  = local.url
  }

  # A built URL carries no order: whoever is told it may send at once.
  depends_on = [aws_sqs_queue.this]
}

output "send_policy_json" {
  description = "IAM policy for the role on whose behalf failures are sent here: a function's, or a schedule's."
  value       = data.aws_iam_policy_document.send.json
}

output "monitoring" {
  description = "What alarms need: `queue_name`, `retention_seconds`."
  value = {
    queue_name        = aws_sqs_queue.this.name
    retention_seconds = 1209600
  }
}
