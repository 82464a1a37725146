terraform {
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.28, < 7.0"
    }
  }

  # What this makes is where every other state lives, so its own stays with whoever applies it: once an account.
  backend "local" {}
}
