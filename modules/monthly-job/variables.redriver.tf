variable "redriver" {
  description = "The function that puts back, by itself, what is known to pass; null for none. `classes`: of `transient`, `exhausted` (crashes, timeouts) and `unknown`. `maximum_redrives`: how often a message at most. `pause_seconds`: how long a message has to have been dead, doubled by each redrive, and how long ago the last of `alarm_names` has to have ended. `limit`: messages a run."
  type = object({
    package             = string
    handler             = optional(string, "dlq_redriver.handler.handler")
    memory_mb           = optional(number, 256)
    timeout_seconds     = optional(number, 300)
    expression          = optional(string, "rate(15 minutes)")
    enabled             = optional(bool, true)
    classes             = optional(set(string), ["exhausted", "transient"])
    maximum_redrives    = optional(number, 3)
    pause_seconds       = optional(number, 900)
    limit               = optional(number, 1000)
    messages_per_second = optional(number, 50)
    alarm_names         = set(string)
  })
  default = null

  validation {
    condition     = var.redriver == null ? true : length(var.redriver.classes) > 0 && length(setsubtract(var.redriver.classes, ["exhausted", "transient", "unknown"])) == 0
    error_message = "redriver.classes is empty or holds another class than exhausted, transient and unknown; rejected and malformed messages fail again, and wait for a person. Write [\"exhausted\", \"transient\"]."
  }

  validation {
    condition     = var.redriver == null ? true : length(var.redriver.alarm_names) > 0 && alltrue([for name in var.redriver.alarm_names : can(regex("^[^,]{1,255}$", name))])
    error_message = "redriver.alarm_names is empty or holds a name with a comma; without an alarm nothing is put back in peace. Write the names of the consumer's alarms."
  }

  validation {
    condition     = var.redriver == null ? true : var.consumer.on_quarantine == "continue"
    error_message = "redriver is set where consumer.on_quarantine is halt-group; a halted group is released by a person, in order. Leave redriver out."
  }

  validation {
    condition = var.redriver == null ? true : alltrue([for name, range in local.ranges.redriver :
      var.redriver[name] == null ? true : floor(var.redriver[name]) == var.redriver[name] && var.redriver[name] >= range[0] && var.redriver[name] <= coalesce(range[1], var.redriver[name])
    ])
    error_message = "redriver has ${jsonencode(one([for given in var.redriver[*] : { for name in keys(local.ranges.redriver) : name => given[name] }]))}; whole numbers in these ranges are allowed: ${jsonencode(local.ranges.redriver)}. Write the defaults: 256, 300, 3, 900, 1000 and 50."
  }

  validation {
    condition     = var.redriver == null ? true : endswith(var.redriver.package, ".zip") && fileexists(var.redriver.package)
    error_message = "redriver.package is ${jsonencode(one(var.redriver[*].package))}; no such zip is there. Build the packages first (make package), or write the path of one."
  }

  validation {
    condition     = var.redriver == null ? true : can(regex("^[A-Za-z_][A-Za-z0-9_]*([.][A-Za-z_][A-Za-z0-9_]*)+$", var.redriver.handler)) && length(var.redriver.handler) <= 128
    error_message = "redriver.handler is ${jsonencode(one(var.redriver[*].handler))}; package.module.function is needed, at most 128 characters. Write dlq_redriver.handler.handler."
  }

  validation {
    condition     = var.redriver == null ? true : length(join(",", var.redriver.alarm_names)) <= 2048
    error_message = "redriver.alarm_names has ${jsonencode(one([for redriver in var.redriver[*] : length(join(",", redriver.alarm_names))]))} characters in all; 2048 are allowed, so that the function's environment fits into the 4096 of Lambda. Write the consumer's alarms only."
  }
}
