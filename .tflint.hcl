plugin "terraform" {
  enabled = true
  preset  = "all"
}

plugin "aws" {
  enabled = true
  version = "0.44.0"
  source  = "github.com/terraform-linters/tflint-ruleset-aws"
}

# A module that only combines others still says which provider they need.
rule "terraform_unused_required_providers" {
  enabled = false
}

# One concern a file (main.<feature>.tf): the standard-structure rule wants everything in three files.
rule "terraform_standard_module_structure" {
  enabled = false
}
