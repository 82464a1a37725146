variable "name" {
  description = "Prefix of every name, usually product and environment."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,15}$", var.name))
    error_message = "name is \"${var.name}\"; 1 to 16 lower-case letters, digits and -, the first a letter, are allowed. Write a name such as \"fanout-prod\"."
  }
}

variable "dist" {
  description = "Folder with the packages that `make package` writes."
  type        = string
  nullable    = false
}

variable "timezone" {
  description = "IANA timezone of the tenants' calendar: when jobs run, and where a month begins."
  type        = string
  nullable    = false
}

variable "tables" {
  description = "How the tables are kept: restorable to any time of the last 35 days, protected against deletion."
  type = object({
    point_in_time_recovery = optional(bool, true)
    deletion_protection    = optional(bool, true)
  })
  nullable = false
  default  = {}
}

variable "jobs" {
  description = "What differs between the jobs and between environments, for `charge` and for `co2`. The audit is in the same timezone as the job. `redriver`: puts back by itself what is known to pass, while no alarm of the consumer is on; null for none. `alarms`: what differs from the catalogue of alarm-pack, by alarm id, or by `<alarm id>/<key>` for one resource."
  type = map(object({
    expression               = optional(string, "cron(0 3 1 * ? *)")
    audit_expression         = optional(string, "cron(0 9 1 * ? *)")
    enabled                  = optional(bool, true)
    group_scope              = optional(string, "tenant-month")
    high_throughput          = optional(bool, false)
    on_quarantine            = optional(string, "continue")
    payment_endpoint         = optional(string)
    maximum_concurrency      = optional(number, 10)
    dispatch_timeout_seconds = optional(number, 900)
    consumer_timeout_seconds = optional(number, 60)

    redriver = optional(object({
      expression       = optional(string, "rate(15 minutes)")
      enabled          = optional(bool, true)
      classes          = optional(set(string), ["exhausted", "transient"])
      maximum_redrives = optional(number, 3)
      pause_seconds    = optional(number, 900)
    }))

    alarms = optional(map(object({
      enabled             = optional(bool)
      severity            = optional(string)
      threshold           = optional(number)
      share               = optional(number)
      period_seconds      = optional(number)
      evaluation_periods  = optional(number)
      datapoints_to_alarm = optional(number)
      notify              = optional(bool)
    })), {})
  }))
  nullable = false

  validation {
    condition     = toset(keys(var.jobs)) == toset(["charge", "co2"])
    error_message = "jobs holds ${join(", ", keys(var.jobs))}; write charge and co2, each with what differs from its defaults, or {}."
  }

  validation {
    condition     = !contains(keys(var.jobs), "co2") ? true : var.jobs.co2.payment_endpoint == null
    error_message = "jobs.co2.payment_endpoint is set; only charges are captured at a payment API. Leave it out."
  }
}

variable "alerts" {
  description = "Who is told of alarms and errors: by mail and HTTPS, by key, each with the severities it wants (all of them unless set), and in Slack, with alert-channel's `slack` but for the package. `runbook_url`: where the runbook is, without a fragment. `alarms`: as in jobs, for what the jobs share."
  type = object({
    runbook_url = string
    email       = optional(map(object({ address = string, severities = optional(set(string), ["critical", "warning", "info"]) })), {})
    https       = optional(map(object({ url = string, severities = optional(set(string), ["critical", "warning", "info"]) })), {})
    slack = optional(object({
      credentials   = object({ ssm_parameter_name = optional(string), secrets_manager_secret_arn = optional(string) })
      channels      = optional(object({ critical = string, warning = string, info = string }))
      api_url       = optional(string)
      quiet_seconds = optional(number)
    }))
    alarms = optional(map(object({
      enabled             = optional(bool)
      severity            = optional(string)
      threshold           = optional(number)
      share               = optional(number)
      period_seconds      = optional(number)
      evaluation_periods  = optional(number)
      datapoints_to_alarm = optional(number)
      notify              = optional(bool)
    })), {})
  })
  nullable = false
}

variable "log_retention_days" {
  description = "Days that the functions' logs are kept."
  type        = number
  nullable    = false
  default     = 90
}

variable "kms_key_arn" {
  description = "Customer key for tables, queues, logs, environments and schedules; null for the services' own. Write the ARN of a key that exists: policies that name it are then known at plan."
  type        = string
  default     = null
}

variable "key_access" {
  description = "Roles that keep (`administrator_arns`) and plan (`reader_arns`) the alert channel's key, as alert-channel's `key_access`."
  type = object({
    administrator_arns = optional(set(string), [])
    reader_arns        = optional(set(string), [])
  })
  nullable = false
  default  = {}
}

variable "permissions_boundary_arn" {
  description = "Permissions boundary of every role; null for none."
  type        = string
  default     = null
}
