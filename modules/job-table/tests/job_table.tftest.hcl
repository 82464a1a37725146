mock_provider "aws" {
  source = "../testing"
}

variables {
  name = "prod-jobs"
}

run "defaults_are_right_for_production" {
  command = plan

  assert {
    condition     = aws_dynamodb_table.this.hash_key == "pk" && aws_dynamodb_table.this.range_key == "sk"
    error_message = "The keys are pk and sk."
  }

  assert {
    condition     = aws_dynamodb_table.this.billing_mode == "PAY_PER_REQUEST"
    error_message = "A job that runs once a month pays per request."
  }

  assert {
    condition     = aws_dynamodb_table.this.deletion_protection_enabled
    error_message = "Deletion protection is on."
  }

  assert {
    condition     = aws_dynamodb_table.this.point_in_time_recovery[0].enabled && aws_dynamodb_table.this.point_in_time_recovery[0].recovery_period_in_days == 35
    error_message = "The table can be restored to any time of the last 35 days."
  }

  assert {
    condition     = aws_dynamodb_table.this.ttl[0].attribute_name == "ttl" && aws_dynamodb_table.this.ttl[0].enabled
    error_message = "Rows with a ttl expire."
  }

  assert {
    condition     = length(aws_dynamodb_table.this.server_side_encryption) == 0
    error_message = "Without a customer key the table is left to DynamoDB's own."
  }
}

run "arn_is_known_at_plan" {
  command = plan

  assert {
    condition     = output.table.arn == "arn:aws:dynamodb:ap-northeast-1:111122223333:table/prod-jobs"
    error_message = "A policy that names the table has to be readable in a plan; got ${output.table.arn}."
  }
}

run "powertools_records_have_no_sort_key" {
  command = plan

  variables {
    name          = "prod-idempotency"
    partition_key = "id"
    sort_key      = null
    ttl_attribute = "expiration"
  }

  assert {
    condition     = aws_dynamodb_table.this.hash_key == "id" && aws_dynamodb_table.this.range_key == null && length(aws_dynamodb_table.this.attribute) == 1
    error_message = "The only key is id."
  }

  assert {
    condition     = aws_dynamodb_table.this.ttl[0].attribute_name == "expiration"
    error_message = "Powertools writes its expiry to expiration."
  }
}

run "nothing_expires_without_a_ttl_attribute" {
  command = plan

  variables {
    ttl_attribute = null
  }

  assert {
    condition     = length(aws_dynamodb_table.this.ttl) == 0
    error_message = "No TTL is declared."
  }
}

run "customer_key_is_used_and_handed_on" {
  command = plan

  variables {
    kms_key_arn = "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d"
  }

  assert {
    condition     = aws_dynamodb_table.this.server_side_encryption[0].kms_key_arn == "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d"
    error_message = "The table is encrypted with the customer's key."
  }

  assert {
    condition     = output.table.kms_key_arn == "arn:aws:kms:ap-northeast-1:111122223333:key/0a1b2c3d"
    error_message = "Whoever grants the table needs the key."
  }
}

run "throwaway_table" {
  command = plan

  variables {
    recovery_days       = null
    deletion_protection = false
  }

  assert {
    condition     = !aws_dynamodb_table.this.point_in_time_recovery[0].enabled && !aws_dynamodb_table.this.deletion_protection_enabled
    error_message = "Recovery and protection are off."
  }
}

run "name_of_two_characters_is_refused" {
  command = plan

  variables {
    name = "jb"
  }

  expect_failures = [var.name]
}

run "empty_partition_key_is_refused" {
  command = plan

  variables {
    partition_key = ""
  }

  expect_failures = [var.partition_key]
}

run "sort_key_equal_to_the_partition_key_is_refused" {
  command = plan

  variables {
    sort_key = "pk"
  }

  expect_failures = [var.sort_key]
}

run "ttl_on_a_key_is_refused" {
  command = plan

  variables {
    ttl_attribute = "sk"
  }

  expect_failures = [var.ttl_attribute]
}

run "recovery_beyond_35_days_is_refused" {
  command = plan

  variables {
    recovery_days = 36
  }

  expect_failures = [var.recovery_days]
}

run "alias_instead_of_a_key_is_refused" {
  command = plan

  variables {
    kms_key_arn = "alias/aws/dynamodb"
  }

  expect_failures = [var.kms_key_arn]
}
