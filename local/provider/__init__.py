"""A stand-in for the Terraform provider hashicorp/aws: its real schema, boto3 against a loopback endpoint."""
