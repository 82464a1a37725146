output "table" {
  description = "The table: `name`, `arn`, `kms_key_arn` (null without a customer key). The ARN is known at plan."
  value = {
    name        = aws_dynamodb_table.this.name
    arn         = local.arn
    kms_key_arn = var.kms_key_arn
  }
}

output "monitoring" {
  description = "What alarms need: `table_name`."
  value       = { table_name = aws_dynamodb_table.this.name }
}
