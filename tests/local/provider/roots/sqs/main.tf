resource "aws_sqs_queue" "dead_letters" {
  name                      = "cycle-dlq.fifo"
  fifo_queue                = true
  message_retention_seconds = 1209600
}

resource "aws_sqs_queue" "this" {
  name                       = "cycle.fifo"
  fifo_queue                 = true
  deduplication_scope        = "messageGroup"
  fifo_throughput_limit      = "perMessageGroupId"
  sqs_managed_sse_enabled    = true
  visibility_timeout_seconds = var.changed ? 360 : 180
  tags                       = { job = var.changed ? "co2" : "charge" }
}

resource "aws_sqs_queue" "plain" {
  name_prefix   = "cycle-plain-"
  delay_seconds = var.changed ? 0 : 5

  redrive_policy = jsonencode({ deadLetterTargetArn = aws_sqs_queue.plain_dead_letters.arn, maxReceiveCount = 5 })
}

resource "aws_sqs_queue" "plain_dead_letters" {
  name = "cycle-plain-dlq"
}

resource "aws_sqs_queue_redrive_policy" "this" {
  queue_url = aws_sqs_queue.this.id
  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.dead_letters.arn
    maxReceiveCount     = var.changed ? 9 : 5
  })
}

resource "aws_sqs_queue_redrive_allow_policy" "this" {
  queue_url = aws_sqs_queue.dead_letters.id
  redrive_allow_policy = jsonencode({
    redrivePermission = "byQueue"
    sourceQueueArns   = var.changed ? [aws_sqs_queue.this.arn, aws_sqs_queue.plain.arn] : [aws_sqs_queue.this.arn]
  })
}

data "aws_iam_policy_document" "tls" {
  statement {
    sid       = "TlsOnly"
    effect    = "Deny"
    actions   = var.changed ? ["sqs:*"] : ["sqs:SendMessage", "sqs:ReceiveMessage"]
    resources = [aws_sqs_queue.this.arn]

    principals {
      type        = "*"
      identifiers = ["*"]
    }

    condition {
      test     = "Bool"
      variable = "aws:SecureTransport"
      values   = ["false"]
    }

    # The cycle itself speaks plain HTTP to loopback.
    condition {
      test     = "StringEquals"
      variable = "aws:PrincipalAccount"
      values   = ["999999999999"]
    }
  }
}

resource "aws_sqs_queue_policy" "this" {
  queue_url = aws_sqs_queue.this.id
  policy    = data.aws_iam_policy_document.tls.json
}
