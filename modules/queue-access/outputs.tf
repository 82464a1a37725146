output "policy_json" {
  description = "The queue's policy: TLS only, services from their sources only, sends through the endpoints only."
  value       = data.aws_iam_policy_document.this.json
}
