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

  validation {
    condition     = alltrue([for package in local.packages : fileexists("${var.dist}/${package}.zip")])
    error_message = "dist is \"${var.dist}\", where ${join(", ", [for package in local.packages : "${package}.zip" if !fileexists("${var.dist}/${package}.zip")])} cannot be found. Build the packages first (make package), and write the folder that they are in."
  }
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
  description = "What differs between the jobs and between environments, for `charge` and for `co2`. The audit is in the same timezone as the job, and has a switch of its own, `audit_enabled`. `vpc_endpoint_ids`: only through these may others than the job send to its queue. `redriver`: puts back by itself what is known to pass, while no alarm of the consumer is on; null for none. `alarms`: what differs from the catalogue of alarm-pack, by alarm id, or by `<alarm id>/<key>` for one resource."
  type = map(object({
    expression               = optional(string, "cron(0 3 1 * ? *)")
    audit_expression         = optional(string, "cron(0 9 1 * ? *)")
    enabled                  = optional(bool, true)
    audit_enabled            = optional(bool, true)
    group_scope              = optional(string, "tenant-month")
    high_throughput          = optional(bool, false)
    on_quarantine            = optional(string, "continue")
    payment_endpoint         = optional(string)
    maximum_concurrency      = optional(number, 10)
    dispatch_timeout_seconds = optional(number, 900)
    consumer_timeout_seconds = optional(number, 60)
    vpc_endpoint_ids         = optional(list(string), [])

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

  validation {
    condition = alltrue(flatten([for job in values(var.jobs) : [for name, range in local.ranges.jobs :
      floor(job[name]) == job[name] && job[name] >= range[0] && job[name] <= coalesce(range[1], job[name])
    ]]))
    error_message = "jobs holds ${jsonencode({ for key, job in var.jobs : key => { for name in keys(local.ranges.jobs) : name => job[name] } })}; whole numbers in these ranges are allowed: ${jsonencode(local.ranges.jobs)}. Write the defaults: 10, 900 and 60."
  }

  validation {
    condition = alltrue(flatten([for job in values(var.jobs) : [for redriver in job.redriver[*] : [for name, range in local.ranges.redriver :
      floor(redriver[name]) == redriver[name] && redriver[name] >= range[0] && redriver[name] <= range[1]
    ]]]))
    error_message = "jobs holds a redriver with ${jsonencode({ for key, job in var.jobs : key => one([for redriver in job.redriver[*] : { for name in keys(local.ranges.redriver) : name => redriver[name] }]) })}; whole numbers in these ranges are allowed: ${jsonencode(local.ranges.redriver)}. Write the defaults: 3 and 900."
  }

  validation {
    condition = alltrue(flatten([for job in values(var.jobs) : [for setting in values(job.alarms) : [
      for number in [setting.period_seconds, setting.evaluation_periods, setting.datapoints_to_alarm] : number == null ? true : number >= 1 && floor(number) == number
    ]]]))
    error_message = "jobs holds alarms whose period_seconds, evaluation_periods or datapoints_to_alarm is not a whole number of 1 or more. Write 60 for a period, and 1 for the others."
  }

  validation {
    condition     = alltrue([for job in values(var.jobs) : contains(["tenant-month", "wallet"], job.group_scope) && contains(["continue", "halt-group"], job.on_quarantine)])
    error_message = "jobs holds group_scope or on_quarantine with other values than tenant-month and wallet, continue and halt-group: ${jsonencode({ for key, job in var.jobs : key => [job.group_scope, job.on_quarantine] })}. Write tenant-month and continue."
  }

  validation {
    condition     = alltrue([for job in values(var.jobs) : job.redriver == null || job.on_quarantine == "continue"])
    error_message = "jobs holds a redriver where on_quarantine is halt-group; a halted group is released by a person, in order. Leave redriver out."
  }

  validation {
    condition     = alltrue(flatten([for job in values(var.jobs) : [for id in job.vpc_endpoint_ids : can(regex("^vpce-[0-9a-f]{8,17}$", id))]]))
    error_message = "jobs holds vpc_endpoint_ids that are none: ${join(", ", flatten([for job in values(var.jobs) : job.vpc_endpoint_ids]))}. Write ids such as vpce-0a1b2c3d."
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

  validation {
    condition     = can(regex("^https://[^\\s#]+$", var.alerts.runbook_url)) && length(var.alerts.runbook_url) <= 400
    error_message = "alerts.runbook_url is \"${var.alerts.runbook_url}\"; an https address without a fragment is needed, of 400 characters at most. Write https://git.example.com/platform/fanout-once/docs/runbook.md."
  }

  validation {
    condition = alltrue(flatten([for setting in values(var.alerts.alarms) : [
      for number in [setting.period_seconds, setting.evaluation_periods, setting.datapoints_to_alarm] : number == null ? true : number >= 1 && floor(number) == number
    ]]))
    error_message = "alerts.alarms holds a period_seconds, evaluation_periods or datapoints_to_alarm that is not a whole number of 1 or more. Write 60 for a period, and 1 for the others."
  }

  validation {
    condition     = var.alerts.slack == null ? true : var.alerts.slack.quiet_seconds == null ? true : floor(var.alerts.slack.quiet_seconds) == var.alerts.slack.quiet_seconds && var.alerts.slack.quiet_seconds >= 1 && var.alerts.slack.quiet_seconds <= 900
    error_message = "alerts.slack.quiet_seconds is ${jsonencode(one(var.alerts.slack[*].quiet_seconds))}; a whole number from 1 to 900 is allowed, since SQS delays a message by 900 s at most. Write 900."
  }
}

variable "log_retention_days" {
  description = "Days that the functions' logs are kept."
  type        = number
  nullable    = false
  default     = 90

  validation {
    condition     = contains(local.retention_days, var.log_retention_days)
    error_message = "log_retention_days is ${var.log_retention_days}; CloudWatch Logs allows these whole numbers: ${join(", ", local.retention_days)}. Write 90."
  }
}

variable "kms_key_arn" {
  description = "Customer key for tables, queues, logs, environments and schedules; null for the services' own. Write the ARN of a key that exists: policies that name it are then known at plan."
  type        = string
  default     = null

  validation {
    condition     = var.kms_key_arn == null ? true : can(regex("^arn:aws(-[a-z]+)*:kms:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:key/.+$", var.kms_key_arn))
    error_message = "kms_key_arn is not the ARN of a key (arn:aws:kms:REGION:ACCOUNT:key/ID). Leave it out for the services' own keys."
  }
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

  validation {
    condition     = var.permissions_boundary_arn == null ? true : can(regex("^arn:aws(-[a-z]+)*:iam::([0-9]{12}|aws):policy/.+$", var.permissions_boundary_arn))
    error_message = "permissions_boundary_arn is not the ARN of an IAM policy (arn:aws:iam::ACCOUNT:policy/NAME). Leave it out for none."
  }
}
