variable "settings" {
  description = "What differs from the catalogue, most specific first: `resources` by `<alarm id>/<key>`, `alarms` by alarm id, `services` by what is watched, `all`. Field by field: `enabled`; `severity` (critical, warning, info); `threshold`, or `share` of the limit where there is one; `period_seconds`, `evaluation_periods`, `datapoints_to_alarm`; `notify`, by which a member of a composite tells its topic itself, too."
  type = object({
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
  })
  nullable = false
  default  = {}

  validation {
    condition = alltrue(flatten([for setting in concat(var.settings.all[*], values(var.settings.services), values(var.settings.alarms), values(var.settings.resources)) : [
      for number in [setting.period_seconds, setting.evaluation_periods, setting.datapoints_to_alarm] : number == null ? true : number >= 1 && floor(number) == number
    ]]))
    error_message = "settings holds a period_seconds, evaluation_periods or datapoints_to_alarm that is not a whole number of 1 or more: ${join(", ", flatten([for setting in concat(var.settings.all[*], values(var.settings.services), values(var.settings.alarms), values(var.settings.resources)) : [
      for name in ["period_seconds", "evaluation_periods", "datapoints_to_alarm"] : "${name} = ${setting[name]}" if setting[name] == null ? false : setting[name] < 1 || floor(setting[name]) != setting[name]
    ]]))}. Write 60 for a period, and 1 for the others."
  }

  validation {
    condition     = length(setsubtract(keys(var.settings.services), local.services)) == 0
    error_message = "settings.services has ${join(", ", setsubtract(keys(var.settings.services), local.services))}; ${join(", ", local.services)} are known. Write one of these."
  }

  validation {
    condition     = length(setsubtract(keys(var.settings.alarms), keys(local.catalogue))) == 0
    error_message = "settings.alarms has ${join(", ", setsubtract(keys(var.settings.alarms), keys(local.catalogue)))}; ${join(", ", keys(local.catalogue))} are known. Write one of these."
  }

  validation {
    condition     = length(setsubtract(keys(var.settings.resources), keys(local.watched))) == 0
    error_message = "settings.resources has ${join(", ", setsubtract(keys(var.settings.resources), keys(local.watched)))}; this pack watches ${join(", ", keys(local.watched))}. Write one of these."
  }

  validation {
    condition     = alltrue([for setting in concat([var.settings.all], values(var.settings.services)) : setting == null ? true : setting.threshold == null && setting.share == null])
    error_message = "settings.all or settings.services has a threshold or a share; those of different alarms have different units. Write it under settings.alarms, or settings.resources."
  }
}
