"""The policy gate: rules over a Terraform plan, or its source, that see several resources at once."""
