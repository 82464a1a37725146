output "function" {
  description = "The function: `name`, `arn`, `timeout_seconds`, `reserved_concurrency`, `role_name`, `role_arn`, `log_group_name`. Fits `consumer.function` of the queue modules. The ARN is known at plan."
  value = {
    name                 = aws_lambda_function.this.function_name
    arn                  = local.arn
    timeout_seconds      = var.timeout_seconds
    reserved_concurrency = var.reserved_concurrency
    role_name            = aws_iam_role.this.name
    role_arn             = aws_iam_role.this.arn
    log_group_name       = aws_cloudwatch_log_group.this.name
  }
}

output "monitoring" {
  description = "What alarms need: `function_name`, `timeout_seconds`, `reserved_concurrency`, `asynchronous`, `invokes_itself`, `log_group_name`."
  value = {
    function_name        = aws_lambda_function.this.function_name
    timeout_seconds      = var.timeout_seconds
    reserved_concurrency = var.reserved_concurrency
    asynchronous         = var.asynchronous != null
    invokes_itself       = var.asynchronous == null ? false : var.asynchronous.invokes_itself
    log_group_name       = aws_cloudwatch_log_group.this.name
  }
}
