data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
data "aws_region" "current" {}

locals {
  # By what was written, an object or null: an ARN or a name may be known after the apply only.
  on_topic = { for name, subscription in var.subscriptions : name => subscription if var.topic != null }
  on_bus   = { for name, subscription in var.subscriptions : name => subscription if var.bus != null }
  bus_name = one(var.bus[*].name)

  rule_names = { for name in keys(local.on_bus) : name => "${var.name}-${name}" }

  # Built, not read from the rules: the queues' policies name them, and the rules' targets name the queues.
  rule_prefix = "arn:${data.aws_partition.current.partition}:events:${data.aws_region.current.region}:${data.aws_caller_identity.current.account_id}:rule"
  bus_part    = one([for bus in var.bus[*] : bus.name == "default" ? "" : "${bus.name}/"])

  senders = merge(
    { for name in keys(local.on_topic) : name => { service = "sns.amazonaws.com", source_arns = [one(var.topic[*].arn)] } },
    { for name, rule in local.rule_names : name => { service = "events.amazonaws.com", source_arns = ["${local.rule_prefix}/${local.bus_part}${rule}"] } },
  )
}

# One a subscription: whose events are lost says which queue could not be reached.
module "failures" {
  source   = "../failure-queue"
  for_each = var.subscriptions

  name            = "${var.name}-${each.key}-failures"
  kms_key_arn     = var.kms_key_arn
  service_senders = { source = local.senders[each.key] }
  tags            = var.tags
}

resource "aws_sns_topic_subscription" "this" {
  for_each = local.on_topic

  topic_arn            = var.topic.arn
  protocol             = "sqs"
  endpoint             = each.value.queue_arn
  raw_message_delivery = true
  filter_policy        = each.value.filter
  filter_policy_scope  = each.value.filter == null ? null : (each.value.filter_on_body ? "MessageBody" : "MessageAttributes")
  redrive_policy       = jsonencode({ deadLetterTargetArn = module.failures[each.key].queue.arn })
}

resource "aws_cloudwatch_event_rule" "this" {
  for_each = local.on_bus

  name           = local.rule_names[each.key]
  description    = "What goes to ${reverse(split(":", each.value.queue_arn))[0]}."
  event_bus_name = local.bus_name
  event_pattern  = each.value.filter
  tags           = var.tags
}

resource "aws_cloudwatch_event_target" "this" {
  for_each = local.on_bus

  rule           = aws_cloudwatch_event_rule.this[each.key].name
  event_bus_name = local.bus_name
  target_id      = each.key
  arn            = each.value.queue_arn

  dead_letter_config {
    arn = module.failures[each.key].queue.arn
  }
}
