data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
data "aws_region" "current" {}

locals {
  account_id = data.aws_caller_identity.current.account_id
  region     = data.aws_region.current.region

  # Built, not read from the group: policies that name it are then known at plan, where a gate can read them.
  group_arn     = "arn:${data.aws_partition.current.partition}:scheduler:${local.region}:${local.account_id}:schedule-group/${var.name}"
  schedules_arn = "arn:${data.aws_partition.current.partition}:scheduler:${local.region}:${local.account_id}:schedule/${var.name}/*"

  # Roles are global: the region keeps two deployments of one account apart. Cut to IAM's 64 characters with a hash of the whole.
  full_role_name = "${var.name}-schedule-${local.region}"
  role_name      = length(local.full_role_name) <= 64 ? local.full_role_name : "${substr(local.full_role_name, 0, 55)}-${substr(sha256(local.full_role_name), 0, 8)}"
}

resource "aws_scheduler_schedule_group" "this" {
  name = var.name
  tags = var.tags
}

resource "aws_scheduler_schedule" "this" {
  for_each = var.schedules

  name        = each.key
  group_name  = aws_scheduler_schedule_group.this.name
  description = each.value.description
  state       = each.value.enabled ? "ENABLED" : "DISABLED"
  kms_key_arn = var.kms_key_arn

  schedule_expression          = each.value.expression
  schedule_expression_timezone = each.value.timezone
  start_date                   = each.value.start_date
  end_date                     = each.value.end_date

  flexible_time_window {
    mode                      = each.value.flexible_window_minutes == null ? "OFF" : "FLEXIBLE"
    maximum_window_in_minutes = each.value.flexible_window_minutes
  }

  target {
    arn      = each.value.function_arn
    role_arn = aws_iam_role.this.arn
    input    = local.rendered_inputs[each.key]

    retry_policy {
      maximum_retry_attempts       = var.retry.maximum_attempts
      maximum_event_age_in_seconds = var.retry.maximum_age_seconds
    }

    dead_letter_config {
      arn = local.failure_queue.arn
    }
  }

  lifecycle {
    precondition {
      condition     = local.hour_fields_readable[each.key]
      error_message = "schedules[\"${each.key}\"].expression is ${each.value.expression}, whose hour is none. Write hours from 0 to 23 as *, 3, 3,15, 9-17 or 0/6; a range may not pass midnight."
    }

    precondition {
      condition     = length(local.hours_at_risk[each.key]) == 0
      error_message = "schedules[\"${each.key}\"] is due at local hour ${join(", ", local.hours_at_risk[each.key])}, which a clock change of ${each.value.timezone} skips or repeats; a skipped hour does not fire. Choose another hour, or a timezone without daylight saving such as UTC."
    }

    precondition {
      condition     = can(jsondecode(local.rendered_inputs[each.key])) ? tomap(jsondecode(local.rendered_inputs[each.key])) == local.inputs[each.key] : false
      error_message = "schedules[\"${each.key}\"].input does not survive rendering: it holds a literal \\u003c, \\u003e or \\u0026. Write the character itself."
    }

    precondition {
      condition     = length(base64encode(local.rendered_inputs[each.key])) / 4 * 3 <= 262144
      error_message = "schedules[\"${each.key}\"].input is larger than the 256 KiB that Scheduler allows. Hand over a reference instead."
    }
  }

  # A schedule may be due at once: the role's rights have to be there.
  depends_on = [aws_iam_role_policy.invoke, aws_iam_role_policy.failures]
}
