locals {
  # Zone to the local hours that its clock changes skip or repeat; made by timezones.py.
  changed_hours = jsondecode(file("${path.module}/timezones.json")).zones

  # The hour field of a cron(), the hour of an at(); a rate() knows no local hour.
  hour_fields = { for name, schedule in var.schedules : name => (
    can(regex("^cron\\([^ ]+ ([^ ]+) ", schedule.expression)) ? regex("^cron\\([^ ]+ ([^ ]+) ", schedule.expression)[0] :
    can(regex("^at\\([^T]+T([0-9]{2}):", schedule.expression)) ? regex("^at\\([^T]+T([0-9]{2}):", schedule.expression)[0] : ""
  ) }

  # Each comma-separated part as [start or *, end, step].
  hour_parts = { for name, field in local.hour_fields : name => [
    for part in split(",", field) : regex("^([*]|[0-9]+)(?:-([0-9]+))?(?:/([0-9]+))?$", part)
    if can(regex("^([*]|[0-9]+)(?:-([0-9]+))?(?:/([0-9]+))?$", part))
  ] }

  # The same with defaults filled in: [first, last, step].
  hour_ranges = { for name, parts in local.hour_parts : name => [
    for part in parts : [
      part[0] == "*" ? 0 : tonumber(part[0]),
      part[1] != null ? tonumber(part[1]) : (part[0] == "*" || part[2] != null ? 23 : tonumber(part[0])),
      part[2] != null ? tonumber(part[2]) : 1,
    ]
  ] }

  hour_fields_readable = { for name, field in local.hour_fields : name => field == "" || alltrue(concat(
    [length(local.hour_parts[name]) == length(split(",", field))],
    [for hours in local.hour_ranges[name] : hours[0] <= hours[1] && hours[1] <= 23 && hours[2] >= 1],
  )) }

  hours = { for name, ranges in local.hour_ranges : name => distinct(flatten([
    for hours in ranges : range(hours[0], max(hours[0], hours[1]) + 1, max(1, hours[2]))
  ])) }

  hours_at_risk = { for name, schedule in var.schedules : name => [
    for hour in local.hours[name] : hour if contains(lookup(local.changed_hours, schedule.timezone, []), hour)
  ] }
}
