plugin "terraform" {
  enabled = true
  preset  = "all"
}

plugin "aws" {
  enabled = true
  version = "0.44.0"
  source  = "github.com/terraform-linters/tflint-ruleset-aws"
}

# One concern a file (main.<feature>.tf): the standard-structure rule wants everything in three files.
rule "terraform_standard_module_structure" {
  enabled = false
}
