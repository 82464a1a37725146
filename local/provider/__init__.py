"""A stand-in for the Terraform provider hashicorp/aws: its real schema, CRUD by boto3 against a loopback endpoint."""
