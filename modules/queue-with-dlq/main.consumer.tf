resource "aws_iam_role_policy" "consumer" {
  count = var.consumer == null ? 0 : 1

  name   = "consume-${local.base_name}"
  role   = var.consumer.function.role_name
  policy = data.aws_iam_policy_document.grant["consumer"].json
}

resource "aws_lambda_event_source_mapping" "this" {
  count = var.consumer == null ? 0 : 1

  event_source_arn = local.arns.queue
  function_name    = var.consumer.function.arn
  enabled          = var.consumer.enabled

  batch_size                         = var.consumer.batch_size
  maximum_batching_window_in_seconds = var.fifo == null ? var.consumer.batching_window_seconds : null
  function_response_types            = ["ReportBatchItemFailures"]

  dynamic "scaling_config" {
    for_each = var.consumer.provisioned_pollers == null ? { this = coalesce(var.consumer.maximum_concurrency, 10) } : {}

    content {
      maximum_concurrency = scaling_config.value
    }
  }

  dynamic "provisioned_poller_config" {
    for_each = var.consumer.provisioned_pollers == null ? {} : { this = var.consumer.provisioned_pollers }

    content {
      minimum_pollers = provisioned_poller_config.value.minimum
      maximum_pollers = provisioned_poller_config.value.maximum
    }
  }

  # Without these a failing or silent mapping has no metric of its own.
  metrics_config {
    metrics = ["EventCount"]
  }

  tags = var.tags

  # Lambda checks the role's rights on the queue when the mapping is made, and the backstop has to be there before the first receive.
  depends_on = [aws_iam_role_policy.consumer, aws_sqs_queue_redrive_policy.this]
}
