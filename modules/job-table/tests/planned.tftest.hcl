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

variables {
  name = "prod-jobs"
  tags = { team = "billing" }
}

run "settings_reach_the_table" {
  command = plan

  assert {
    condition     = aws_dynamodb_table.this.tags == tomap({ team = "billing" })
    error_message = "aws_dynamodb_table.this carries the tags."
  }
}
