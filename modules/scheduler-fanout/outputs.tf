output "schedules" {
  description = "The schedules by name: `name`, `group_name`, `arn`, `timezone`, `enabled`, and `input` as handed to the function before Scheduler fills it in."
  value = { for name, schedule in aws_scheduler_schedule.this : name => {
    name       = schedule.name
    group_name = schedule.group_name
    arn        = schedule.arn
    timezone   = schedule.schedule_expression_timezone
    enabled    = schedule.state == "ENABLED"
    input      = local.rendered_inputs[name]
  } }
}

output "role_arn" {
  description = "ARN of the role that the schedules take."
  value       = aws_iam_role.this.arn
}

output "failure_queue" {
  description = "Queue made here for what could not be handed over: `name`, `arn`, `url`; null where one was given."
  value       = one(module.failures[*].queue)
}

output "monitoring" {
  description = "What alarms need: `schedule_group_name`, and `failure_queue` as failure-queue's `monitoring` (null where the queue was given)."
  value = {
    schedule_group_name = aws_scheduler_schedule_group.this.name
    failure_queue       = one(module.failures[*].monitoring)
  }
}
