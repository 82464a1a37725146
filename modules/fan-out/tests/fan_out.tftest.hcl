mock_provider "aws" {
  source = "../testing"
}

variables {
  name  = "prod-orders"
  topic = { arn = "arn:aws:sns:ap-northeast-1:111122223333:prod-orders" }
  subscriptions = {
    billing = { queue_arn = "arn:aws:sqs:ap-northeast-1:111122223333:prod-billing" }
  }
}

run "topic_delivers_raw_with_a_failure_queue_each" {
  command = plan

  variables {
    subscriptions = {
      billing  = var.subscriptions.billing
      shipping = { queue_arn = "arn:aws:sqs:ap-northeast-1:111122223333:prod-shipping", filter = "{\"kind\":[\"paid\"]}" }
    }
  }

  assert {
    condition     = alltrue([for s in aws_sns_topic_subscription.this : s.protocol == "sqs" && s.raw_message_delivery]) && length(aws_sns_topic_subscription.this) == 2
    error_message = "Both queues get the message as it was published."
  }

  assert {
    condition     = jsondecode(aws_sns_topic_subscription.this["shipping"].redrive_policy).deadLetterTargetArn == "arn:aws:sqs:ap-northeast-1:111122223333:prod-orders-shipping-failures"
    error_message = "Got ${aws_sns_topic_subscription.this["shipping"].redrive_policy}."
  }

  assert {
    condition     = aws_sns_topic_subscription.this["shipping"].filter_policy_scope == "MessageAttributes" && aws_sns_topic_subscription.this["billing"].filter_policy == null
    error_message = "One looks at the attributes, the other takes everything."
  }

  assert {
    condition     = length(aws_cloudwatch_event_rule.this) == 0
    error_message = "No rules on a topic."
  }
}

run "queues_are_told_whom_to_let_in" {
  command = plan

  assert {
    condition     = jsonencode(output.service_senders) == jsonencode({ billing = { prod-orders = { service = "sns.amazonaws.com", source_arns = ["arn:aws:sns:ap-northeast-1:111122223333:prod-orders"] } } })
    error_message = jsonencode(output.service_senders)
  }
}

run "filter_on_the_body" {
  command = plan

  variables {
    subscriptions = { billing = { queue_arn = "arn:aws:sqs:ap-northeast-1:111122223333:prod-billing", filter = "{\"kind\":[\"paid\"]}", filter_on_body = true } }
  }

  assert {
    condition     = aws_sns_topic_subscription.this["billing"].filter_policy_scope == "MessageBody"
    error_message = "The filter looks at the body."
  }
}

run "bus_has_a_rule_each_and_names_it_to_the_queue" {
  command = plan

  variables {
    topic         = null
    bus           = { name = "orders" }
    subscriptions = { billing = { queue_arn = "arn:aws:sqs:ap-northeast-1:111122223333:prod-billing", filter = "{\"source\":[\"orders\"]}" } }
  }

  assert {
    condition     = aws_cloudwatch_event_rule.this["billing"].name == "prod-orders-billing" && aws_cloudwatch_event_target.this["billing"].arn == "arn:aws:sqs:ap-northeast-1:111122223333:prod-billing"
    error_message = "A rule for the queue."
  }

  assert {
    condition     = output.service_senders.billing.prod-orders.source_arns[0] == "arn:aws:events:ap-northeast-1:111122223333:rule/orders/prod-orders-billing"
    error_message = jsonencode(output.service_senders)
  }

  assert {
    condition     = aws_cloudwatch_event_target.this["billing"].dead_letter_config[0].arn == "arn:aws:sqs:ap-northeast-1:111122223333:prod-orders-billing-failures"
    error_message = "What cannot be delivered has somewhere to go."
  }
}

run "default_bus_is_not_part_of_a_rule_s_arn" {
  command = plan

  variables {
    topic         = null
    bus           = { name = "default" }
    subscriptions = { billing = { queue_arn = "arn:aws:sqs:ap-northeast-1:111122223333:prod-billing", filter = "{\"source\":[\"orders\"]}" } }
  }

  assert {
    condition     = output.service_senders.billing.prod-orders.source_arns[0] == "arn:aws:events:ap-northeast-1:111122223333:rule/prod-orders-billing"
    error_message = jsonencode(output.service_senders)
  }
}

run "name_of_33_characters_is_refused" {
  command = plan

  variables {
    name = join("", [for i in range(33) : "n"])
  }

  expect_failures = [var.name]
}

run "topic_and_bus_at_once_are_refused" {
  command = plan

  variables {
    bus           = { name = "orders" }
    subscriptions = { billing = { queue_arn = "arn:aws:sqs:ap-northeast-1:111122223333:prod-billing", filter = "{\"source\":[\"orders\"]}" } }
  }

  expect_failures = [var.topic]
}

run "fifo_topic_is_refused" {
  command = plan

  variables {
    topic = { arn = "arn:aws:sns:ap-northeast-1:111122223333:orders.fifo" }
  }

  expect_failures = [var.topic]
}

run "bus_by_its_arn_is_refused" {
  command = plan

  variables {
    topic         = null
    bus           = { name = "arn:aws:events:ap-northeast-1:111122223333:event-bus/orders" }
    subscriptions = { billing = { queue_arn = "arn:aws:sqs:ap-northeast-1:111122223333:prod-billing", filter = "{\"source\":[\"orders\"]}" } }
  }

  expect_failures = [var.bus]
}

run "no_subscription_is_refused" {
  command = plan

  variables {
    subscriptions = {}
  }

  expect_failures = [var.subscriptions]
}

run "fifo_queue_is_refused" {
  command = plan

  variables {
    subscriptions = { billing = { queue_arn = "arn:aws:sqs:ap-northeast-1:111122223333:billing.fifo" } }
  }

  expect_failures = [var.subscriptions]
}

run "filter_that_is_no_object_is_refused" {
  command = plan

  variables {
    subscriptions = { billing = { queue_arn = "arn:aws:sqs:ap-northeast-1:111122223333:prod-billing", filter = "paid" } }
  }

  expect_failures = [var.subscriptions]
}

run "bus_without_a_pattern_is_refused" {
  command = plan

  variables {
    topic         = null
    bus           = { name = "orders" }
    subscriptions = { billing = { queue_arn = "arn:aws:sqs:ap-northeast-1:111122223333:prod-billing" } }
  }

  expect_failures = [var.subscriptions]
}

run "body_filter_on_a_bus_is_refused" {
  command = plan

  variables {
    topic         = null
    bus           = { name = "orders" }
    subscriptions = { billing = { queue_arn = "arn:aws:sqs:ap-northeast-1:111122223333:prod-billing", filter = "{\"source\":[\"orders\"]}", filter_on_body = true } }
  }

  expect_failures = [var.subscriptions]
}

run "topic_of_another_service_is_refused" {
  command = plan

  variables {
    topic = { arn = "arn:aws:sqs:ap-northeast-1:111122223333:prod-orders" }
  }

  expect_failures = [var.topic]
}

run "queue_in_no_region_is_refused" {
  command = plan

  variables {
    subscriptions = { billing = { queue_arn = "arn:aws:sqs:tokyo:111122223333:prod-billing" } }
  }

  expect_failures = [var.subscriptions]
}

run "pattern_of_4097_characters_is_refused" {
  command = plan

  variables {
    topic         = null
    bus           = { name = "orders" }
    subscriptions = { billing = { queue_arn = "arn:aws:sqs:ap-northeast-1:111122223333:prod-billing", filter = jsonencode({ source = [format("%04082d", 0)] }) } }
  }

  expect_failures = [var.subscriptions]
}

run "pattern_of_4096_characters_is_accepted" {
  command = plan

  variables {
    topic         = null
    bus           = { name = "orders" }
    subscriptions = { billing = { queue_arn = "arn:aws:sqs:ap-northeast-1:111122223333:prod-billing", filter = jsonencode({ source = [format("%04081d", 0)] }) } }
  }

  assert {
    condition     = length(aws_cloudwatch_event_rule.this["billing"].event_pattern) == 4096
    error_message = "The longest pattern that EventBridge takes."
  }
}

run "alias_instead_of_a_key_is_refused" {
  command = plan

  variables {
    kms_key_arn = "alias/prod"
  }

  expect_failures = [var.kms_key_arn]
}
