provider "aws" {
  region = "ap-northeast-1"

  # The local AWS knows neither the instance metadata nor an account to check; its keys come from the environment.
  skip_metadata_api_check     = true
  skip_credentials_validation = true
  s3_use_path_style           = true

  endpoints {
    cloudwatch = var.endpoint
    dynamodb   = var.endpoint
    events     = var.endpoint
    iam        = var.endpoint
    kms        = var.endpoint
    lambda     = var.endpoint
    logs       = var.endpoint
    s3         = var.endpoint
    scheduler  = var.endpoint
    sns        = var.endpoint
    sqs        = var.endpoint
    sts        = var.endpoint
  }

  default_tags {
    tags = {
      project     = "fanout-once"
      environment = "local"
    }
  }
}
