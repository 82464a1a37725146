variable "name" {
  description = "Name of everything the job has, usually environment and job: queue, functions, schedule group."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9_-]{1,53}$", var.name))
    error_message = "name is \"${var.name}\"; 1 to 53 letters, digits, - and _ are allowed, so that the functions' names fit into 64. Write a name such as \"prod-charge\"."
  }
}

variable "job" {
  description = "The job, as messages, rows and metrics name it."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,31}$", var.job))
    error_message = "job is \"${var.job}\"; 1 to 32 lower-case letters, digits and -, the first a letter. Write \"charge\"."
  }
}

variable "tables" {
  description = "The `table` outputs of job-table: `jobs` holds runs and effects, `directory` the tenants and employees, `idempotency` Powertools' records where the consumer keeps some."
  type = object({
    jobs        = object({ name = string, arn = string, kms_key_arn = optional(string) })
    directory   = object({ name = string, arn = string, kms_key_arn = optional(string) })
    idempotency = optional(object({ name = string, arn = string, kms_key_arn = optional(string) }))
  })
  nullable = false
}

variable "schedule" {
  description = "When the job runs: an expression for EventBridge Scheduler and its IANA timezone, which has no default. The period is taken from the schedule's own time in that zone: `previous-month` or `current-month`."
  type = object({
    expression              = optional(string, "cron(0 3 1 * ? *)")
    timezone                = string
    period_policy           = optional(string, "previous-month")
    flexible_window_minutes = optional(number)
    enabled                 = optional(bool, true)
  })
  nullable = false

  validation {
    condition     = contains(["previous-month", "current-month"], var.schedule.period_policy)
    error_message = "schedule.period_policy is \"${var.schedule.period_policy}\"; previous-month and current-month are allowed. Write previous-month."
  }
}

variable "dispatcher" {
  description = "The function that enumerates and sends. `group_scope`: the order that the queue keeps, `tenant-month` or `wallet`."
  type = object({
    package         = string
    handler         = optional(string, "monthly_dispatcher.handler.handler")
    memory_mb       = optional(number, 512)
    timeout_seconds = optional(number, 900)
    group_scope     = optional(string, "tenant-month")
    sender_threads  = optional(number, 4)
    page_size       = optional(number, 500)
  })
  nullable = false

  validation {
    condition     = contains(["tenant-month", "wallet"], var.dispatcher.group_scope)
    error_message = "dispatcher.group_scope is \"${var.dispatcher.group_scope}\"; tenant-month and wallet are allowed. Write tenant-month, or wallet for more messages side by side."
  }

  validation {
    condition     = var.dispatcher.sender_threads >= 1 && var.dispatcher.sender_threads <= 16
    error_message = "dispatcher.sender_threads is ${var.dispatcher.sender_threads}; 1 to 16 are allowed. Write 4."
  }

  validation {
    condition     = var.dispatcher.page_size >= 1 && var.dispatcher.page_size <= 5000
    error_message = "dispatcher.page_size is ${var.dispatcher.page_size}; 1 to 5000 are allowed. Write 500."
  }
}

variable "auditor" {
  description = "The function that compares, hours after the run, what had to happen with what the ledger proves; null for none. Its `expression` is read in the schedule's timezone and names the same month."
  type = object({
    package         = string
    handler         = optional(string, "run_auditor.handler.handler")
    memory_mb       = optional(number, 512)
    timeout_seconds = optional(number, 900)
    expression      = optional(string, "cron(0 9 1 * ? *)")
  })
  default = null

  validation {
    condition     = var.auditor == null ? true : var.auditor.expression != var.schedule.expression
    error_message = "auditor.expression is the job's own schedule; an audit at the same time finds nothing done. Write a time some hours later, such as cron(0 9 1 * ? *)."
  }
}

variable "consumer" {
  description = "The function that applies one message's effect. `timeout_seconds` covers a whole batch. `max_attempts` counts failed attempts of a message, `max_deliveries` the deliveries after the third in which work on it began and did not end well; beyond either it goes to the dead-letter queue with its reason. `on_quarantine` says whether the group then goes on (`continue`) or follows into the dead-letter queue (`halt-group`). With `payment_endpoint`, effects are captured there. `done_metric` is the metric by which the function counts effects, such as Charged: the dashboard shows it."
  type = object({
    package              = string
    handler              = string
    memory_mb            = optional(number, 256)
    timeout_seconds      = optional(number, 60)
    batch_size           = optional(number, 10)
    maximum_concurrency  = optional(number)
    reserved_concurrency = optional(number)
    enabled              = optional(bool, true)
    max_attempts         = optional(number, 5)
    max_deliveries       = optional(number, 10)
    on_quarantine        = optional(string, "continue")
    threads              = optional(number, 10)
    payment_endpoint     = optional(string)
    done_metric          = optional(string)
  })
  nullable = false

  validation {
    condition     = var.consumer.max_attempts >= 1 && var.consumer.max_attempts <= 20 && floor(var.consumer.max_attempts) == var.consumer.max_attempts
    error_message = "consumer.max_attempts is ${var.consumer.max_attempts}; a whole number from 1 to 20 is allowed. Write 5."
  }

  validation {
    condition     = var.consumer.max_deliveries >= 1 && var.consumer.max_deliveries <= 50 && floor(var.consumer.max_deliveries) == var.consumer.max_deliveries
    error_message = "consumer.max_deliveries is ${var.consumer.max_deliveries}; a whole number from 1 to 50 is allowed. Write 10."
  }

  validation {
    condition     = contains(["continue", "halt-group"], var.consumer.on_quarantine)
    error_message = "consumer.on_quarantine is \"${var.consumer.on_quarantine}\"; continue and halt-group are allowed. Write halt-group where a later message must not overtake a failed one."
  }

  validation {
    condition     = var.consumer.threads >= 1 && var.consumer.threads <= 10
    error_message = "consumer.threads is ${var.consumer.threads}; 1 to 10 are allowed, since a batch has 10 groups at most. Write 10."
  }

  validation {
    condition     = var.consumer.payment_endpoint == null ? true : can(regex("^https?://[^/?#]+[^?#]*$", var.consumer.payment_endpoint))
    error_message = "consumer.payment_endpoint is not an absolute URL without query and fragment. Write one such as https://payments.example.com/v1, or leave it out."
  }
}

variable "queue" {
  description = "What differs from the defaults of fifo-queue-with-dlq."
  type = object({
    high_throughput       = optional(bool, false)
    retention_seconds     = optional(number, 345600)
    maximum_receive_count = optional(number, 200)
  })
  nullable = false
  default  = {}

  validation {
    condition     = var.queue.maximum_receive_count >= 100 && var.queue.maximum_receive_count <= 1000
    error_message = "queue.maximum_receive_count is ${var.queue.maximum_receive_count}; 100 to 1000 are allowed. It counts receives, also those in which a message only waits behind another of its group, and SQS then moves the message without a reason. The consumer counts on its own. Leave it out for 200."
  }
}

variable "payloads" {
  description = "Bucket for payloads too large to travel in a message, and the size in bytes from which they go there; null to refuse such payloads."
  type = object({
    bucket_name     = string
    bucket_arn      = string
    kms_key_arn     = optional(string)
    threshold_bytes = optional(number, 131072)
  })
  default = null

  validation {
    condition     = var.payloads == null ? true : var.payloads.threshold_bytes >= 1024 && var.payloads.threshold_bytes <= 1000000
    error_message = "payloads.threshold_bytes is out of range; 1024 to 1000000 are allowed (a message has 1 MiB at most). Write 131072."
  }
}

variable "observability" {
  description = "Log level, days that logs are kept, and the namespace of the job's metrics."
  type = object({
    log_level          = optional(string, "INFO")
    log_retention_days = optional(number, 90)
    metrics_namespace  = optional(string, "FanoutOnce")
  })
  nullable = false
  default  = {}

  validation {
    condition     = contains(["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"], var.observability.log_level)
    error_message = "observability.log_level is \"${var.observability.log_level}\"; DEBUG, INFO, WARNING, ERROR and CRITICAL are allowed. Write INFO."
  }

  validation {
    condition     = can(regex("^[A-Za-z0-9._/#-]{1,255}$", var.observability.metrics_namespace)) && !startswith(var.observability.metrics_namespace, "AWS/")
    error_message = "observability.metrics_namespace is \"${var.observability.metrics_namespace}\"; 1 to 255 letters, digits and ._/#- are allowed, and AWS/ belongs to AWS. Write FanoutOnce."
  }
}

variable "kms_key_arn" {
  description = "Customer key for everything the job has: queues, logs, the functions' environment, schedules; null for the services' own. Its policy must admit CloudWatch Logs, and the account's roles by their own policies."
  type        = string
  default     = null

  validation {
    condition     = var.kms_key_arn == null ? true : can(regex("^arn:aws(-[a-z]+)*:kms:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:key/.+$", var.kms_key_arn))
    error_message = "kms_key_arn is not the ARN of a key (arn:aws:kms:REGION:ACCOUNT:key/ID). Leave it out for the services' own keys."
  }
}

variable "permissions_boundary_arn" {
  description = "Permissions boundary of every role; null for none."
  type        = string
  default     = null
}

variable "tags" {
  description = "Tags of everything, beside the provider's default tags."
  type        = map(string)
  nullable    = false
  default     = {}
}
