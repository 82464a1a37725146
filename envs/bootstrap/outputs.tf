output "state_bucket" {
  description = "Bucket for the environments' states: write it into the environment's versions.tf."
  value       = aws_s3_bucket.state.bucket
}

output "data_key_arn" {
  description = "Key for the environment's data: write it into the environment's terraform.tfvars."
  value       = aws_kms_key.this["data"].arn
}

output "ci_role_arns" {
  description = "Roles for the workflow: `plan` for pull requests and main, `apply` for the protected environment."
  value       = { for name, role in aws_iam_role.ci : name => role.arn }
}

output "permissions_boundary_arn" {
  description = "Boundary of every role that CI makes."
  value       = aws_iam_policy.boundary.arn
}
