data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
data "aws_region" "current" {}

locals {
  suffix    = var.fifo == null ? "" : ".fifo"
  base_name = trimsuffix(var.name, ".fifo")
  names = {
    queue             = "${local.base_name}${local.suffix}"
    dead_letter_queue = "${local.base_name}-dlq${local.suffix}"
  }

  # Built, not read from the queues: policies, and the settings of functions, are then known at plan, where a gate can read them.
  arn_prefix = "arn:${data.aws_partition.current.partition}:sqs:${data.aws_region.current.region}:${data.aws_caller_identity.current.account_id}"
  arns       = { for key, name in local.names : key => "${local.arn_prefix}:${name}" }
  url_prefix = "https://sqs.${data.aws_region.current.region}.${data.aws_partition.current.dns_suffix}/${data.aws_caller_identity.current.account_id}"
  urls       = { for key, name in local.names : key => "${local.url_prefix}/${name}" }

  visibility_timeout_seconds = coalesce(var.queue.visibility_timeout_seconds, 6 * var.consumer_timeout_seconds)

  uses_kms         = var.encryption.kms_key_arn != null
  sse_sqs          = local.uses_kms ? null : true
  data_key_seconds = local.uses_kms ? var.encryption.data_key_reuse_seconds : null

  # Both queues of a FIFO pair run in the same mode: a redrive then has the rate of the queue it goes to.
  high_throughput     = var.fifo == null ? false : var.fifo.high_throughput
  deduplication_scope = var.fifo == null ? null : (local.high_throughput ? "messageGroup" : "queue")
  throughput_limit    = var.fifo == null ? null : (local.high_throughput ? "perMessageGroupId" : "perQueue")
}

resource "aws_sqs_queue" "this" {
  name = local.names.queue

  fifo_queue                  = var.fifo != null
  content_based_deduplication = false
  deduplication_scope         = local.deduplication_scope
  fifo_throughput_limit       = local.throughput_limit

  visibility_timeout_seconds = local.visibility_timeout_seconds
  message_retention_seconds  = var.queue.retention_seconds
  delay_seconds              = var.queue.delay_seconds
  receive_wait_time_seconds  = var.queue.receive_wait_seconds
  max_message_size           = var.queue.maximum_message_bytes

  sqs_managed_sse_enabled           = local.sse_sqs
  kms_master_key_id                 = var.encryption.kms_key_arn
  kms_data_key_reuse_period_seconds = local.data_key_seconds

  tags = var.tags
}

resource "aws_sqs_queue" "dead_letter" {
  name = local.names.dead_letter_queue

  fifo_queue                  = var.fifo != null
  content_based_deduplication = false
  deduplication_scope         = local.deduplication_scope
  fifo_throughput_limit       = local.throughput_limit

  # An operator who looks at messages hides them from the next one for as long as a consumer would.
  visibility_timeout_seconds = local.visibility_timeout_seconds
  message_retention_seconds  = var.dead_letter_queue.retention_seconds
  receive_wait_time_seconds  = 20
  max_message_size           = var.queue.maximum_message_bytes

  sqs_managed_sse_enabled           = local.sse_sqs
  kms_master_key_id                 = var.encryption.kms_key_arn
  kms_data_key_reuse_period_seconds = local.data_key_seconds

  tags = var.tags
}

resource "aws_sqs_queue_redrive_policy" "this" {
  queue_url = aws_sqs_queue.this.url
  redrive_policy = jsonencode({
    deadLetterTargetArn = local.arns.dead_letter_queue
    maxReceiveCount     = var.dead_letter_queue.maximum_receive_count
  })

  # SQS looks the target up; the ARN is built from names, which carries no order. The permission has to be there first, too.
  depends_on = [aws_sqs_queue.dead_letter, aws_sqs_queue_redrive_allow_policy.dead_letter]
}

resource "aws_sqs_queue_redrive_allow_policy" "dead_letter" {
  queue_url = aws_sqs_queue.dead_letter.url
  redrive_allow_policy = jsonencode({
    redrivePermission = "byQueue"
    sourceQueueArns   = [local.arns.queue]
  })
}
