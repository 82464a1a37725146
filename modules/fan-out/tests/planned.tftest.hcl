# The provider itself plans here: policies are the module's own, and every setting is seen as it reaches its resource.
provider "aws" {
  region                      = "ap-northeast-1"
  access_key                  = "none"
  secret_key                  = "none"
  skip_credentials_validation = true
  skip_requesting_account_id  = true

  endpoints {
    sts = "http://127.0.0.1:1"
  }
}

override_data {
  target = data.aws_caller_identity.current
  values = { account_id = "111122223333" }
}

override_data {
  target = module.failures["billing"].data.aws_caller_identity.current
  values = { account_id = "111122223333" }
}

variables {
  name          = "prod-orders"
  bus           = { name = "orders" }
  subscriptions = { billing = { queue_arn = "arn:aws:sqs:ap-northeast-1:111122223333:prod-billing", filter = "{\"source\":[\"orders\"]}" } }
  tags          = { team = "billing" }
}

run "settings_reach_the_rule" {
  command = plan

  assert {
    condition     = aws_cloudwatch_event_rule.this["billing"].tags == tomap({ team = "billing" })
    error_message = "aws_cloudwatch_event_rule.this['billing'] carries the tags."
  }

  assert {
    condition     = aws_cloudwatch_event_rule.this["billing"].event_bus_name == "orders" && aws_cloudwatch_event_target.this["billing"].event_bus_name == "orders"
    error_message = "Rule and target are of the bus that was named."
  }
}
