variable "alarms" {
  description = "Alarms on every part of the job, and its dashboard; null for none. `topics`: ARNs of standard SNS topics by severity. `runbook_url`: without a fragment. `settings`: what differs from the catalogue of alarm-pack, in its shape; the keys are those of the output `monitoring`."
  type = object({
    topics      = object({ critical = string, warning = string, info = string })
    runbook_url = string
    settings = optional(object({
      all = optional(object({
        enabled             = optional(bool)
        severity            = optional(string)
        threshold           = optional(number)
        share               = optional(number)
        period_seconds      = optional(number)
        evaluation_periods  = optional(number)
        datapoints_to_alarm = optional(number)
        notify              = optional(bool)
      }))
      services = optional(map(object({
        enabled             = optional(bool)
        severity            = optional(string)
        threshold           = optional(number)
        share               = optional(number)
        period_seconds      = optional(number)
        evaluation_periods  = optional(number)
        datapoints_to_alarm = optional(number)
        notify              = optional(bool)
      })), {})
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
      resources = optional(map(object({
        enabled             = optional(bool)
        severity            = optional(string)
        threshold           = optional(number)
        share               = optional(number)
        period_seconds      = optional(number)
        evaluation_periods  = optional(number)
        datapoints_to_alarm = optional(number)
        notify              = optional(bool)
      })), {})
    }), {})
  })
  default = null

  validation {
    condition     = var.alarms == null ? true : alltrue([for arn in values(var.alarms.topics) : can(regex("^arn:aws(-[a-z]+)*:sns:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:[A-Za-z0-9_-]{1,256}$", arn))])
    error_message = "alarms.topics holds what is not the ARN of a standard SNS topic (arn:aws:sns:REGION:ACCOUNT:NAME): ${jsonencode(one(var.alarms[*].topics))}. Write alert-channel's output topics."
  }

  validation {
    condition     = var.alarms == null ? true : can(regex("^https://[^\\s#]+$", var.alarms.runbook_url)) && length(var.alarms.runbook_url) <= 400
    error_message = "alarms.runbook_url is ${jsonencode(one(var.alarms[*].runbook_url))}; an https address without a fragment is needed, of 400 characters at most. Write https://git.example.com/platform/fanout-once/docs/runbook.md."
  }

  validation {
    condition = var.alarms == null ? true : alltrue(flatten([for setting in concat(var.alarms.settings.all[*], values(var.alarms.settings.services), values(var.alarms.settings.alarms), values(var.alarms.settings.resources)) : [
      for number in [setting.period_seconds, setting.evaluation_periods, setting.datapoints_to_alarm] : number == null ? true : number >= 1 && floor(number) == number
    ]]))
    error_message = "alarms.settings holds a period_seconds, evaluation_periods or datapoints_to_alarm that is not a whole number of 1 or more. Write 60 for a period, and 1 for the others."
  }
}
