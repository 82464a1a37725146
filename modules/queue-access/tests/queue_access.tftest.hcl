mock_provider "aws" {
  source = "../testing"
}

variables {
  queue_arn = "arn:aws:sqs:ap-northeast-1:111122223333:charges.fifo"
}

run "bucket_with_its_account_is_accepted" {
  command = plan

  variables {
    service_senders = { uploads = { service = "s3.amazonaws.com", source_arns = ["arn:aws:s3:::uploads"], source_account = "111122223333" } }
  }

  assert {
    condition     = output.policy_json != null
    error_message = "A policy."
  }
}

run "service_without_source_arns_is_refused" {
  command = plan

  variables {
    service_senders = { events = { service = "events.amazonaws.com", source_arns = [] } }
  }

  expect_failures = [var.service_senders]
}

run "any_source_is_refused" {
  command = plan

  variables {
    service_senders = { sns = { service = "sns.amazonaws.com", source_arns = ["*"], source_account = "111122223333" } }
  }

  expect_failures = [var.service_senders]
}

run "bucket_as_a_source_without_its_account_is_refused" {
  command = plan

  variables {
    service_senders = { uploads = { service = "s3.amazonaws.com", source_arns = ["arn:aws:s3:::uploads"] } }
  }

  expect_failures = [var.service_senders]
}

run "sender_that_is_no_service_is_refused" {
  command = plan

  variables {
    service_senders = { everyone = { service = "*", source_arns = ["arn:aws:sns:ap-northeast-1:111122223333:topic"] } }
  }

  expect_failures = [var.service_senders]
}

run "vpc_instead_of_an_endpoint_is_refused" {
  command = plan

  variables {
    vpc_endpoint_ids = ["vpc-0a1b2c3d"]
  }

  expect_failures = [var.vpc_endpoint_ids]
}

run "queue_by_its_url_is_refused" {
  command = plan

  variables {
    queue_arn = "https://sqs.ap-northeast-1.amazonaws.com/111122223333/charges.fifo"
  }

  expect_failures = [var.queue_arn]
}

run "source_of_any_region_is_refused" {
  command = plan

  variables {
    service_senders = { sns = { service = "sns.amazonaws.com", source_arns = ["arn:aws:sns:*:111122223333:orders"] } }
  }

  expect_failures = [var.service_senders]
}

run "keys_that_make_one_statement_id_are_refused" {
  command = plan

  variables {
    service_senders = { for key in ["a-b", "a.b"] : key => { service = "sns.amazonaws.com", source_arns = ["arn:aws:sns:ap-northeast-1:111122223333:orders"] } }
  }

  expect_failures = [var.service_senders]
}

run "exemption_of_every_role_is_refused" {
  command = plan

  variables {
    vpc_endpoint_ids     = ["vpce-0a1b2c3d"]
    vpc_exempt_role_arns = ["arn:aws:iam::111122223333:role/*"]
  }

  expect_failures = [var.vpc_exempt_role_arns]
}
