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
}
