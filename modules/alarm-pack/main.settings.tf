locals {
  # Every setting that was given, by its place.
  settings = merge(
    var.settings.all == null ? {} : { all = var.settings.all },
    { for key, setting in var.settings.services : "services.${key}" => setting },
    { for key, setting in var.settings.alarms : "alarms.${key}" => setting },
    { for key, setting in var.settings.resources : "resources.${key}" => setting },
  )

  # For each alarm, the settings that reach it, the most specific first.
  reaching = { for key, alarm in local.watched : key => [
    for place in ["resources.${key}", "alarms.${alarm.id}", "services.${alarm.service}", "all"] :
    local.settings[place] if contains(keys(local.settings), place)
  ] }

  enabled = { for key, alarm in local.watched : key => alarm
    if concat([for setting in local.reaching[key] : setting.enabled if setting.enabled != null], [true])[0]
  }

  # Field by field; a threshold and a share are one field, since they say the same.
  chosen = { for key, alarm in local.enabled : key => merge(
    concat([for setting in local.reaching[key] : { threshold = setting.threshold, share = setting.share } if setting.threshold != null || setting.share != null], [{ threshold = alarm.threshold, share = alarm.share }])[0],
    {
      severity            = concat([for setting in local.reaching[key] : setting.severity if setting.severity != null], [alarm.severity])[0]
      period_seconds      = concat([for setting in local.reaching[key] : setting.period_seconds if setting.period_seconds != null], [alarm.period])[0]
      evaluation_periods  = concat([for setting in local.reaching[key] : setting.evaluation_periods if setting.evaluation_periods != null], [alarm.periods])[0]
      datapoints_to_alarm = concat([for setting in local.reaching[key] : setting.datapoints_to_alarm if setting.datapoints_to_alarm != null], [null])[0]
      notify              = concat([for setting in local.reaching[key] : setting.notify if setting.notify != null], [null])[0]
    },
  ) }

  # What is critical breaks the service; what is slow by its nature and a warning slows it.
  composite_of = { for key, alarm in local.chosen : key =>
    alarm.severity == "critical" ? "broken" : (alarm.severity == "warning" && local.enabled[key].slows ? "slow" : null)
  }

  alarms = { for key, alarm in local.enabled : key => merge(alarm, local.chosen[key], {
    member_of           = local.composite_of[key]
    notify              = local.chosen[key].notify == null ? local.composite_of[key] == null : local.chosen[key].notify
    datapoints_to_alarm = local.chosen[key].datapoints_to_alarm == null ? min(coalesce(alarm.datapoints, local.chosen[key].evaluation_periods), local.chosen[key].evaluation_periods) : local.chosen[key].datapoints_to_alarm
    # Without a limit a share is refused.
    value = local.chosen[key].share == null ? local.chosen[key].threshold : local.chosen[key].share * coalesce(alarm.limit, 1)
  }) }
}
