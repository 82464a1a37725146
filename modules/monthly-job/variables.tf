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

  validation {
    condition     = alltrue([for table in values(var.tables) : table == null ? true : can(regex("^arn:aws(-[a-z]+)*:dynamodb:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:table/[A-Za-z0-9_.-]{3,255}$", table.arn)) && endswith(table.arn, "/${table.name}")])
    error_message = "tables holds an arn that is not that of the table it names (arn:aws:dynamodb:REGION:ACCOUNT:table/NAME): ${jsonencode({ for key, table in var.tables : key => [table.name, table.arn] if table != null })}. Write the table outputs of job-table."
  }

  validation {
    condition     = alltrue([for table in values(var.tables) : table == null ? true : table.kms_key_arn == null ? true : can(regex("^arn:aws(-[a-z]+)*:kms:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:key/.+$", table.kms_key_arn))])
    error_message = "tables holds a kms_key_arn that is not the ARN of a key (arn:aws:kms:REGION:ACCOUNT:key/ID). Write the table outputs of job-table."
  }
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

  validation {
    condition     = var.schedule.flexible_window_minutes == null ? true : floor(var.schedule.flexible_window_minutes) == var.schedule.flexible_window_minutes && var.schedule.flexible_window_minutes >= 1 && var.schedule.flexible_window_minutes <= 1440
    error_message = "schedule.flexible_window_minutes is ${jsonencode(var.schedule.flexible_window_minutes)}; Scheduler allows whole numbers from 1 to 1440. Write 15, or leave it out for none."
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
    condition = alltrue([for name, range in local.ranges.dispatcher :
      var.dispatcher[name] == null ? true : floor(var.dispatcher[name]) == var.dispatcher[name] && var.dispatcher[name] >= range[0] && var.dispatcher[name] <= coalesce(range[1], var.dispatcher[name])
    ])
    error_message = "dispatcher has ${jsonencode({ for name in keys(local.ranges.dispatcher) : name => var.dispatcher[name] })}; whole numbers in these ranges are allowed: ${jsonencode(local.ranges.dispatcher)}. Write the defaults: 512, 900, 4 and 500."
  }

  validation {
    condition     = endswith(var.dispatcher.package, ".zip") && fileexists(var.dispatcher.package)
    error_message = "dispatcher.package is ${jsonencode(one(var.dispatcher[*].package))}; no such zip is there. Build the packages first (make package), or write the path of one."
  }

  validation {
    condition     = can(regex("^[A-Za-z_][A-Za-z0-9_]*([.][A-Za-z_][A-Za-z0-9_]*)+$", var.dispatcher.handler)) && length(var.dispatcher.handler) <= 128
    error_message = "dispatcher.handler is ${jsonencode(one(var.dispatcher[*].handler))}; package.module.function is needed, at most 128 characters. Write monthly_dispatcher.handler.handler."
  }
}

variable "auditor" {
  description = "The function that compares, hours after the run, what had to happen with what the ledger proves; null for none. Its `expression` is read in the schedule's timezone and names the same month. It has a switch of its own, `enabled`: a job whose schedule is switched off is still audited, and its missing run is told."
  type = object({
    package         = string
    handler         = optional(string, "run_auditor.handler.handler")
    memory_mb       = optional(number, 512)
    timeout_seconds = optional(number, 900)
    expression      = optional(string, "cron(0 9 1 * ? *)")
    enabled         = optional(bool, true)
  })
  default = null

  validation {
    condition     = var.auditor == null ? true : var.auditor.expression != var.schedule.expression
    error_message = "auditor.expression is the job's own schedule; an audit at the same time finds nothing done. Write a time some hours later, such as cron(0 9 1 * ? *)."
  }

  validation {
    condition = var.auditor == null ? true : alltrue([for name, range in local.ranges.auditor :
      var.auditor[name] == null ? true : floor(var.auditor[name]) == var.auditor[name] && var.auditor[name] >= range[0] && var.auditor[name] <= coalesce(range[1], var.auditor[name])
    ])
    error_message = "auditor has ${jsonencode(one([for given in var.auditor[*] : { for name in keys(local.ranges.auditor) : name => given[name] }]))}; whole numbers in these ranges are allowed: ${jsonencode(local.ranges.auditor)}. Write the defaults: 512 and 900."
  }

  validation {
    condition     = var.auditor == null ? true : endswith(var.auditor.package, ".zip") && fileexists(var.auditor.package)
    error_message = "auditor.package is ${jsonencode(one(var.auditor[*].package))}; no such zip is there. Build the packages first (make package), or write the path of one."
  }

  validation {
    condition     = var.auditor == null ? true : can(regex("^[A-Za-z_][A-Za-z0-9_]*([.][A-Za-z_][A-Za-z0-9_]*)+$", var.auditor.handler)) && length(var.auditor.handler) <= 128
    error_message = "auditor.handler is ${jsonencode(one(var.auditor[*].handler))}; package.module.function is needed, at most 128 characters. Write run_auditor.handler.handler."
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
    condition     = contains(["continue", "halt-group"], var.consumer.on_quarantine)
    error_message = "consumer.on_quarantine is \"${var.consumer.on_quarantine}\"; continue and halt-group are allowed. Write halt-group where a later message must not overtake a failed one."
  }

  validation {
    condition     = var.consumer.payment_endpoint == null ? true : can(regex("^https?://[^/?#]+[^?#]*$", var.consumer.payment_endpoint))
    error_message = "consumer.payment_endpoint is not an absolute URL without query and fragment. Write one such as https://payments.example.com/v1, or leave it out."
  }

  validation {
    condition = alltrue([for name, range in local.ranges.consumer :
      var.consumer[name] == null ? true : floor(var.consumer[name]) == var.consumer[name] && var.consumer[name] >= range[0] && var.consumer[name] <= coalesce(range[1], var.consumer[name])
    ])
    error_message = "consumer has ${jsonencode({ for name in keys(local.ranges.consumer) : name => var.consumer[name] })}; whole numbers in these ranges are allowed: ${jsonencode(local.ranges.consumer)}. Write whole numbers in these ranges, or leave them out for the defaults."
  }

  validation {
    condition     = endswith(var.consumer.package, ".zip") && fileexists(var.consumer.package)
    error_message = "consumer.package is ${jsonencode(one(var.consumer[*].package))}; no such zip is there. Build the packages first (make package), or write the path of one."
  }

  validation {
    condition     = can(regex("^[A-Za-z_][A-Za-z0-9_]*([.][A-Za-z_][A-Za-z0-9_]*)+$", var.consumer.handler)) && length(var.consumer.handler) <= 128
    error_message = "consumer.handler is ${jsonencode(one(var.consumer[*].handler))}; package.module.function is needed, at most 128 characters. Write charge_consumer.handler.handler."
  }

  validation {
    condition     = length(coalesce(var.consumer.payment_endpoint, "-")) <= 1024
    error_message = "consumer.payment_endpoint has ${length(coalesce(var.consumer.payment_endpoint, "-"))} characters; 1024 are allowed, so that the function's environment fits into the 4096 of Lambda. Write a shorter URL."
  }

  validation {
    condition     = var.consumer.done_metric == null ? true : can(regex("^[A-Za-z0-9_.-]{1,255}$", var.consumer.done_metric))
    error_message = "consumer.done_metric is ${jsonencode(var.consumer.done_metric)}; a metric's name of 1 to 255 letters, digits and _.- is needed. Write one such as Charged, or leave it out."
  }

  validation {
    condition     = var.consumer.max_attempts <= var.consumer.max_deliveries + 3
    error_message = "consumer.max_attempts is ${var.consumer.max_attempts}, consumer.max_deliveries ${var.consumer.max_deliveries}; deliveries are counted from the fourth on, so at most max_deliveries + 3 attempts come before a message ends as exhausted, without the reason of its failure. Write fewer attempts or more deliveries."
  }

  # Before it is begun, a message may be received with each of the others of a batch as often as these fail.
  validation {
    condition     = var.queue.maximum_receive_count > var.consumer.batch_size * (var.consumer.max_deliveries + 3)
    error_message = "queue.maximum_receive_count is ${var.queue.maximum_receive_count}; more than consumer.batch_size (${var.consumer.batch_size}) x (consumer.max_deliveries (${var.consumer.max_deliveries}) + 3) is needed: a message is received with each failing one before it, and SQS would move it, untried and without a reason, before the consumer has counted. Write more receives, fewer deliveries or a smaller batch."
  }

  validation {
    condition     = var.queue.retention_seconds >= var.queue.maximum_receive_count * 6 * var.consumer.timeout_seconds
    error_message = "consumer.timeout_seconds is ${var.consumer.timeout_seconds}; queue.maximum_receive_count (${var.queue.maximum_receive_count}) receives, each hidden for 6 times that long, last longer than queue.retention_seconds (${var.queue.retention_seconds}): a failing message would expire before it gets to the dead-letter queue. Write a shorter timeout, fewer receives or a longer retention."
  }
}

variable "queue" {
  description = "What differs from the defaults of fifo-queue-with-dlq. With `vpc_endpoint_ids`, sends to the queue must come through one of these endpoints; AWS services and the functions made here, which run outside of any VPC, need not."
  type = object({
    high_throughput       = optional(bool, false)
    retention_seconds     = optional(number, 345600)
    maximum_receive_count = optional(number, 200)
    vpc_endpoint_ids      = optional(list(string), [])
  })
  nullable = false
  default  = {}

  validation {
    condition = alltrue([for name, range in local.ranges.queue :
      var.queue[name] == null ? true : floor(var.queue[name]) == var.queue[name] && var.queue[name] >= range[0] && var.queue[name] <= coalesce(range[1], var.queue[name])
    ])
    error_message = "queue has ${jsonencode({ for name in keys(local.ranges.queue) : name => var.queue[name] })}; whole numbers in these ranges are allowed: ${jsonencode(local.ranges.queue)}. maximum_receive_count counts receives, also those in which a message only waits behind another of its group, and SQS then moves the message without a reason. The consumer counts on its own. Write 345600 and 200, or leave both out."
  }

  validation {
    condition     = alltrue([for id in var.queue.vpc_endpoint_ids : can(regex("^vpce-[0-9a-f]{8,17}$", id))])
    error_message = "queue.vpc_endpoint_ids holds ${join(", ", var.queue.vpc_endpoint_ids)}; ids of endpoints are needed. Write ids such as vpce-0a1b2c3d."
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
    condition     = var.payloads == null ? true : floor(var.payloads.threshold_bytes) == var.payloads.threshold_bytes && var.payloads.threshold_bytes >= 1024 && var.payloads.threshold_bytes <= 1000000
    error_message = "payloads.threshold_bytes is ${jsonencode(one(var.payloads[*].threshold_bytes))}; whole numbers from 1024 to 1000000 are allowed (a message has 1 MiB at most). Write 131072."
  }

  validation {
    condition     = var.payloads == null ? true : can(regex("^arn:aws(-[a-z]+)*:s3:::[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$", var.payloads.bucket_arn)) && endswith(var.payloads.bucket_arn, ":${var.payloads.bucket_name}")
    error_message = "payloads.bucket_arn is ${jsonencode(one(var.payloads[*].bucket_arn))}, which is not the ARN of the bucket that bucket_name names (arn:aws:s3:::NAME). Write the arn and the bucket of one aws_s3_bucket."
  }

  validation {
    condition     = var.payloads == null ? true : var.payloads.kms_key_arn == null ? true : can(regex("^arn:aws(-[a-z]+)*:kms:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:key/.+$", var.payloads.kms_key_arn))
    error_message = "payloads.kms_key_arn is not the ARN of a key (arn:aws:kms:REGION:ACCOUNT:key/ID). Leave it out for a bucket without one."
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

  validation {
    condition     = contains(local.retention_days, var.observability.log_retention_days)
    error_message = "observability.log_retention_days is ${var.observability.log_retention_days}; CloudWatch Logs allows these whole numbers: ${join(", ", local.retention_days)}. Write 90."
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

  validation {
    condition     = var.permissions_boundary_arn == null ? true : can(regex("^arn:aws(-[a-z]+)*:iam::([0-9]{12}|aws):policy/.+$", var.permissions_boundary_arn))
    error_message = "permissions_boundary_arn is not the ARN of an IAM policy (arn:aws:iam::ACCOUNT:policy/NAME). Leave it out for none."
  }
}

variable "tags" {
  description = "Tags of everything, beside the provider's default tags."
  type        = map(string)
  nullable    = false
  default     = {}
}
