locals {
  # By subscriber and severity, both written by the caller: known at plan.
  mails = merge([for name, mail in var.email : {
    for severity in mail.severities : "${name}-${severity}" => { severity = severity, address = mail.address }
  }]...)
  hooks = merge([for name, hook in var.https : {
    for severity in hook.severities : "${name}-${severity}" => { severity = severity, url = hook.url, subscriber = name }
  }]...)
}

resource "aws_sns_topic_subscription" "email" {
  for_each = local.mails

  topic_arn = aws_sns_topic.this[each.value.severity].arn
  protocol  = "email"
  endpoint  = each.value.address
}

# What an address that answers no more was to be told.
module "https_failures" {
  source   = "../failure-queue"
  for_each = var.https

  name            = "${var.name}-${each.key}-failures"
  kms_key_arn     = one(var.key[*].arn)
  service_senders = { topics = { service = "sns.amazonaws.com", source_arns = [for severity in each.value.severities : local.topic_arns[severity]] } }
  tags            = var.tags
}

resource "aws_sns_topic_subscription" "https" {
  for_each = local.hooks

  topic_arn      = aws_sns_topic.this[each.value.severity].arn
  protocol       = "https"
  endpoint       = each.value.url
  redrive_policy = jsonencode({ deadLetterTargetArn = module.https_failures[each.value.subscriber].queue.arn })
}
