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
    condition     = var.redriver == null ? true : var.redriver.maximum_redrives >= 1 && var.redriver.maximum_redrives <= 20
    error_message = "redriver.maximum_redrives is out of range; 1 to 20 are allowed. Write 3."
  }

  validation {
    condition     = var.redriver == null ? true : var.redriver.pause_seconds >= 0 && var.redriver.pause_seconds <= 86400
    error_message = "redriver.pause_seconds is out of range; 0 to 86400 are allowed. Write 900."
  }

  validation {
    condition     = var.redriver == null ? true : var.redriver.limit >= 1 && var.redriver.limit <= 1000
    error_message = "redriver.limit is out of range; 1 to 1000 messages a run are allowed. Write 1000."
  }

  validation {
    condition     = var.redriver == null ? true : var.redriver.messages_per_second >= 1 && var.redriver.messages_per_second <= 1000
    error_message = "redriver.messages_per_second is out of range; 1 to 1000 are allowed. Write 50."
  }

  validation {
    condition     = var.redriver == null ? true : var.consumer.on_quarantine == "continue"
    error_message = "redriver is set where consumer.on_quarantine is halt-group; a halted group is released by a person, in order. Leave redriver out."
  }
}
