variable "queues" {
  description = "`monitoring` outputs of the queue modules, by key: the queue, its dead-letter queue, and the consumer's mapping where there is one."
  type = map(object({
    queue_name                    = string
    dead_letter_queue_name        = string
    retention_seconds             = number
    dead_letter_retention_seconds = number
    maximum_message_bytes         = number
    fifo                          = bool
    mapping = optional(object({
      uuid                = string
      function_name       = optional(string)
      maximum_concurrency = optional(number)
    }))
  }))
  nullable = false
  default  = {}

  validation {
    condition = alltrue(flatten([for queue in values(var.queues) : [
      for number in [queue.retention_seconds, queue.dead_letter_retention_seconds, queue.maximum_message_bytes, one(queue.mapping[*].maximum_concurrency)] :
      number == null ? true : number >= 1 && floor(number) == number
    ]]))
    error_message = "queues holds a retention_seconds, dead_letter_retention_seconds, maximum_message_bytes or mapping.maximum_concurrency that is not a whole number of 1 or more: ${jsonencode(var.queues)}. Write the monitoring output of a queue module."
  }
}

variable "failure_queues" {
  description = "`monitoring` outputs of failure-queue, by key: queues for events that a service could not deliver."
  type = map(object({
    queue_name        = string
    retention_seconds = number
  }))
  nullable = false
  default  = {}

  validation {
    condition     = alltrue([for queue in values(var.failure_queues) : queue.retention_seconds >= 1 && floor(queue.retention_seconds) == queue.retention_seconds])
    error_message = "failure_queues holds a retention_seconds that is not a whole number of 1 or more: ${jsonencode(var.failure_queues)}. Write the monitoring output of a failure-queue."
  }
}

variable "functions" {
  description = "`monitoring` outputs of python-function, by key. One that `invokes_itself` works until shortly before its timeout and then hands over: its duration says nothing, and has no alarm."
  type = map(object({
    function_name        = string
    timeout_seconds      = number
    reserved_concurrency = optional(number)
    asynchronous         = optional(bool, false)
    invokes_itself       = optional(bool, false)
  }))
  nullable = false
  default  = {}

  validation {
    condition = alltrue(flatten([for function in values(var.functions) : [
      for number in [function.timeout_seconds, function.reserved_concurrency] : number == null ? true : number >= 1 && floor(number) == number
    ]]))
    error_message = "functions holds a timeout_seconds or reserved_concurrency that is not a whole number of 1 or more: ${jsonencode(var.functions)}. Write the monitoring output of a python-function."
  }
}

variable "tables" {
  description = "`monitoring` outputs of job-table, by key."
  type        = map(object({ table_name = string }))
  nullable    = false
  default     = {}
}

variable "schedules" {
  description = "`monitoring` outputs of scheduler-fanout, by key."
  type        = map(object({ schedule_group_name = string }))
  nullable    = false
  default     = {}
}

variable "topics_watched" {
  description = "Topics whose deliveries are watched, by key: usually those of the alert channel."
  type        = map(object({ topic_name = string }))
  nullable    = false
  default     = {}
}

variable "jobs" {
  description = "Jobs by key: the `name` in the dimension service of their metrics, and the namespace. `queue` is the key in queues of the job's own. `auditor`, `redriver` and `outside_effects` (captures at an outside API) say which metrics the job can have; `done_metric` is the one that counts its effects, for the dashboard."
  type = map(object({
    name              = string
    metrics_namespace = string
    queue             = optional(string)
    auditor           = optional(bool, true)
    redriver          = optional(bool, false)
    outside_effects   = optional(bool, true)
    done_metric       = optional(string)
  }))
  nullable = false
  default  = {}

  validation {
    condition     = alltrue([for job in values(var.jobs) : job.queue == null ? true : contains(keys(var.queues), job.queue)])
    error_message = "jobs.${join(", jobs.", [for key, job in var.jobs : key if job.queue == null ? false : !contains(keys(var.queues), job.queue)])} names a queue that is not in queues (${join(", ", keys(var.queues))}). Write the key that the job's queue has there."
  }
}

variable "account" {
  description = "Whether this pack also watches what DynamoDB counts for the account as a whole. One pack an account and region is enough."
  type        = bool
  nullable    = false
  default     = false

  validation {
    condition     = var.account || length(concat(keys(var.queues), keys(var.failure_queues), keys(var.functions), keys(var.tables), keys(var.schedules), keys(var.topics_watched), keys(var.jobs))) > 0
    error_message = "nothing is watched: account is false, and queues, failure_queues, functions, tables, schedules, topics_watched and jobs are empty. Pass monitoring outputs, such as queues = { main = module.queue.monitoring }."
  }
}

variable "dashboard" {
  description = "What the dashboard shows beside what is watched here: `tables` that another pack watches, as `monitoring` outputs of job-table by key."
  type = object({
    tables = optional(map(object({ table_name = string })), {})
  })
  nullable = false
  default  = {}
}
