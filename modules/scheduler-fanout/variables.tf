variable "name" {
  description = "Name of the schedule group; role and failure queue are named after it."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9_-]{1,64}$", var.name))
    error_message = "name is \"${var.name}\"; a schedule group's name has 1 to 64 letters, digits, - and _ here. Write a name such as \"prod-charge\"."
  }

  validation {
    condition     = var.failure_queue != null || length(var.name) <= 62
    error_message = "name is ${length(var.name)} characters long; 62 are allowed where the failure queue is made here, so that \"-schedule-failures\" still fits into the 80 of SQS. Write a shorter name, or a failure_queue."
  }
}

variable "schedules" {
  description = "The schedules by name: the function each invokes; `expression` as cron(), rate() or at(); its IANA `timezone`, which has no default; further members of the input (the module adds scheduled_time, schedule_arn, execution_id and attempt_number); a flexible window in minutes; first and last instant in UTC."
  type = map(object({
    function_arn            = string
    expression              = string
    timezone                = string
    description             = optional(string, "")
    input                   = optional(map(string), {})
    flexible_window_minutes = optional(number)
    start_date              = optional(string)
    end_date                = optional(string)
    enabled                 = optional(bool, true)
  }))
  nullable = false

  validation {
    condition     = length(var.schedules) > 0 && alltrue([for name in keys(var.schedules) : can(regex("^[A-Za-z0-9_.-]{1,64}$", name))])
    error_message = "schedules is empty or holds a name that Scheduler refuses; 1 to 64 letters, digits, _, . and - are allowed. Write one such as \"monthly\"."
  }

  validation {
    condition     = alltrue([for s in values(var.schedules) : can(regex("^arn:aws(-[a-z]+)*:lambda:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:function:[A-Za-z0-9_-]+(:[A-Za-z0-9_-]+)?$", s.function_arn))])
    error_message = "schedules holds a function_arn that is not the ARN of a Lambda function (arn:aws:lambda:REGION:ACCOUNT:function:NAME). Found: ${join(", ", [for s in values(var.schedules) : s.function_arn])}. Write the arn of a python-function's output."
  }

  validation {
    condition = alltrue([for s in values(var.schedules) : anytrue([
      can(regex("^cron\\([^ ()]+ [^ ()]+ [^ ()]+ [^ ()]+ [^ ()]+ [^ ()]+\\)$", s.expression)),
      can(regex("^rate\\((1 (minute|hour|day)|([2-9]|[1-9][0-9]+) (minutes|hours|days))\\)$", s.expression)),
      can(regex("^at\\([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\)$", s.expression)),
    ])])
    error_message = "schedules holds an expression that is no cron() of six fields, no rate() and no at(). Found: ${join(", ", [for s in values(var.schedules) : s.expression])}. Write cron(0 3 1 * ? *), rate(15 minutes) or at(2026-12-01T03:00:00)."
  }

  validation {
    condition = alltrue([for s in values(var.schedules) :
      can(regex("^cron\\([^ ]+ [^ ]+ ([^ ]+) [^ ]+ ([^ ]+) [^ ]+\\)$", s.expression)) ?
      length([for field in regex("^cron\\([^ ]+ [^ ]+ ([^ ]+) [^ ]+ ([^ ]+) [^ ]+\\)$", s.expression) : field if field == "?"]) == 1 : true
    ])
    error_message = "schedules holds a cron expression whose day of month and day of week are both given, or both \"?\"; exactly one of them is \"?\". Write cron(0 3 1 * ? *) for the first of each month at 03:00."
  }

  validation {
    condition     = alltrue([for s in values(var.schedules) : contains(keys(local.changed_hours), s.timezone)])
    error_message = "schedules holds a timezone that is not in the IANA list: ${join(", ", [for s in values(var.schedules) : s.timezone if !contains(keys(local.changed_hours), s.timezone)])}. Write a name such as Asia/Tokyo or UTC; abbreviations such as JST are none."
  }

  validation {
    condition = alltrue([for s in values(var.schedules) :
      s.flexible_window_minutes == null ? true : s.flexible_window_minutes >= 1 && s.flexible_window_minutes <= 1440 && floor(s.flexible_window_minutes) == s.flexible_window_minutes
    ])
    error_message = "schedules holds a flexible_window_minutes that Scheduler refuses; whole numbers from 1 to 1440 are allowed. Found: ${join(", ", [for s in values(var.schedules) : s.flexible_window_minutes if s.flexible_window_minutes != null])}. Write 15, or leave it out for none."
  }

  validation {
    condition     = alltrue([for s in values(var.schedules) : length(s.description) <= 512])
    error_message = "schedules.${join(", schedules.", [for name, s in var.schedules : "${name} has a description of ${length(s.description)} characters" if length(s.description) > 512])}; Scheduler allows 512. Write a line, and the rest into a document."
  }

  validation {
    condition = alltrue(flatten([for s in values(var.schedules) : [for date in [s.start_date, s.end_date] :
      date == null ? true : can(formatdate("YYYY", date)) && can(regex("Z$", date))
    ]]))
    error_message = "schedules holds a start_date or end_date that is no instant in UTC. Write one such as 2026-12-01T00:00:00Z."
  }

  validation {
    condition = alltrue([for s in values(var.schedules) :
      length(setintersection(keys(s.input), ["scheduled_time", "schedule_arn", "execution_id", "attempt_number"])) == 0
    ])
    error_message = "schedules holds an input member that the module sets itself: scheduled_time, schedule_arn, execution_id and attempt_number. Leave it out, or name yours otherwise."
  }
}

variable "retry" {
  description = "How often and for how long Scheduler tries to hand an event to Lambda. What the function then makes of it is the function's own asynchronous configuration."
  type = object({
    maximum_attempts    = optional(number, 185)
    maximum_age_seconds = optional(number, 86400)
  })
  nullable = false
  default  = {}

  validation {
    condition     = var.retry.maximum_attempts >= 0 && var.retry.maximum_attempts <= 185 && floor(var.retry.maximum_attempts) == var.retry.maximum_attempts
    error_message = "retry.maximum_attempts is ${var.retry.maximum_attempts}; Scheduler allows whole numbers from 0 to 185. Write 185."
  }

  validation {
    condition     = var.retry.maximum_age_seconds >= 60 && var.retry.maximum_age_seconds <= 86400 && floor(var.retry.maximum_age_seconds) == var.retry.maximum_age_seconds
    error_message = "retry.maximum_age_seconds is ${var.retry.maximum_age_seconds}; Scheduler allows whole numbers from 60 to 86400 (24 h). Write 86400."
  }
}

variable "failure_queue" {
  description = "Standard queue for what Scheduler could not hand over, with the policy that lets a role send there; null to make one here."
  type = object({
    arn              = string
    send_policy_json = string
  })
  default = null

  validation {
    condition     = var.failure_queue == null ? true : can(regex("^arn:aws(-[a-z]+)*:sqs:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:[A-Za-z0-9_-]+$", var.failure_queue.arn))
    error_message = "failure_queue.arn is not the ARN of a standard SQS queue; Scheduler refuses a FIFO queue (.fifo) for its failures. Write a failure-queue's, or leave it out."
  }
}

variable "kms_key_arn" {
  description = "Customer key for the schedules and the failure queue made here; null for the services' own. The key's policy must let the role use it."
  type        = string
  default     = null

  validation {
    condition     = var.kms_key_arn == null ? true : can(regex("^arn:aws(-[a-z]+)*:kms:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:key/.+$", var.kms_key_arn))
    error_message = "kms_key_arn is not the ARN of a key (arn:aws:kms:REGION:ACCOUNT:key/ID). Leave it out for the services' own keys."
  }
}

variable "permissions_boundary_arn" {
  description = "Permissions boundary of the role; null for none."
  type        = string
  default     = null

  validation {
    condition     = var.permissions_boundary_arn == null ? true : can(regex("^arn:aws(-[a-z]+)*:iam::([0-9]{12}|aws):policy/.+$", var.permissions_boundary_arn))
    error_message = "permissions_boundary_arn is not the ARN of an IAM policy (arn:aws:iam::ACCOUNT:policy/NAME). Leave it out for none."
  }
}

variable "tags" {
  description = "Tags of group, role and queue, beside the provider's default tags. Schedules themselves take none."
  type        = map(string)
  nullable    = false
  default     = {}
}
