locals {
  context = {
    scheduled_time = "<aws.scheduler.scheduled-time>"
    schedule_arn   = "<aws.scheduler.schedule-arn>"
    execution_id   = "<aws.scheduler.execution-id>"
    attempt_number = "<aws.scheduler.attempt-number>"
  }

  inputs = { for name, schedule in var.schedules : name => tomap(merge(schedule.input, local.context)) }

  # Terraform's jsonencode escapes <, > and &, and Scheduler then substitutes nothing.
  rendered_inputs = {
    for name, input in local.inputs : name =>
    replace(replace(replace(jsonencode(input), "\\u003c", "<"), "\\u003e", ">"), "\\u0026", "&")
  }
}
