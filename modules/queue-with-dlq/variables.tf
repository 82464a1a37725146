variable "name" {
  description = "Name of the queue, with or without `.fifo`; the dead-letter queue is `<name>-dlq`, each with `.fifo` where FIFO."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9_-]+$", trimsuffix(var.name, ".fifo")))
    error_message = "name is \"${var.name}\"; a queue name holds letters, digits, - and _ only, and .fifo at its end at most. Write a name such as \"charges\"."
  }

  validation {
    condition     = length(trimsuffix(var.name, ".fifo")) <= 71
    error_message = "name is ${length(trimsuffix(var.name, ".fifo"))} characters long without .fifo; 71 are allowed, so that \"-dlq.fifo\" still fits into the 80 of SQS. Write a shorter name."
  }

  validation {
    condition     = var.fifo != null || !endswith(var.name, ".fifo")
    error_message = "name is \"${var.name}\" on a standard queue; only FIFO queues end in .fifo. Write the name without it, or use fifo-queue-with-dlq."
  }
}

variable "fifo" {
  description = "Null for standard queues; for FIFO ones, whether deduplication and throughput are counted per message group (high-throughput mode)."
  type        = object({ high_throughput = bool })
  default     = null
}

variable "consumer_timeout_seconds" {
  description = "Longest work on one receive: the function's timeout, or a poller's longest batch. The visibility timeout follows from it. Apart from `consumer`, so that the function may know the queue's URL without a cycle."
  type        = number
  nullable    = false

  validation {
    condition     = var.consumer_timeout_seconds >= 1 && var.consumer_timeout_seconds <= 7200 && floor(var.consumer_timeout_seconds) == var.consumer_timeout_seconds
    error_message = "consumer_timeout_seconds is ${var.consumer_timeout_seconds}; a whole number from 1 to 7200 is allowed (6 times it must fit into the 12 h of a visibility timeout). Write the function's timeout; split longer work, or extend visibility with a heartbeat."
  }
}

variable "consumer" {
  description = "The Lambda function that reads the queue, and how; null where something else polls it. `maximum_concurrency` is 10 unless set; `provisioned_pollers` excludes it. The role gets the queue's consumer policy before the mapping is made."
  type = object({
    function = object({
      arn                  = string
      name                 = string
      role_name            = string
      timeout_seconds      = number
      reserved_concurrency = optional(number)
    })
    batch_size              = optional(number, 10)
    batching_window_seconds = optional(number, 0)
    maximum_concurrency     = optional(number)
    provisioned_pollers     = optional(object({ minimum = number, maximum = number }))
    enabled                 = optional(bool, true)
  })
  default = null

  validation {
    condition     = var.consumer == null ? true : can(regex("^arn:aws(-[a-z]+)*:lambda:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:function:[A-Za-z0-9_-]{1,64}(:[A-Za-z0-9_$-]{1,128})?$", var.consumer.function.arn))
    error_message = "consumer.function.arn is ${jsonencode(one(var.consumer[*].function.arn))}, which is not the ARN of a Lambda function (arn:aws:lambda:REGION:ACCOUNT:function:NAME). Write the function output of a python-function."
  }

  validation {
    condition     = var.consumer == null ? true : alltrue([for number in [var.consumer.function.timeout_seconds, var.consumer.function.reserved_concurrency] : number == null ? true : number >= 1 && floor(number) == number])
    error_message = "consumer.function has timeout_seconds = ${jsonencode(one(var.consumer[*].function.timeout_seconds))} and reserved_concurrency = ${jsonencode(one(var.consumer[*].function.reserved_concurrency))}; both are whole numbers of 1 or more. Write the function output of a python-function."
  }

  validation {
    condition     = var.consumer == null ? true : var.consumer.function.timeout_seconds <= var.consumer_timeout_seconds
    error_message = "consumer.function.timeout_seconds is above consumer_timeout_seconds (${var.consumer_timeout_seconds}), from which the visibility timeout follows. Write the function's own timeout there."
  }

  validation {
    condition     = var.consumer == null ? true : floor(var.consumer.batch_size) == var.consumer.batch_size && var.consumer.batch_size >= 1 && var.consumer.batch_size <= (var.fifo == null ? 10000 : 10)
    error_message = "consumer.batch_size is ${jsonencode(one(var.consumer[*].batch_size))}; whole numbers are allowed, from 1 to 10 on a FIFO queue, from 1 to 10000 on a standard one. Write 10."
  }

  validation {
    condition     = var.consumer == null ? true : floor(var.consumer.batching_window_seconds) == var.consumer.batching_window_seconds && var.consumer.batching_window_seconds >= 0 && var.consumer.batching_window_seconds <= (var.fifo == null ? 300 : 0)
    error_message = "consumer.batching_window_seconds is ${jsonencode(one(var.consumer[*].batching_window_seconds))}; 0 is allowed on a FIFO queue, which has no batching window, a whole number from 0 to 300 on a standard one. Write 0."
  }

  validation {
    condition     = var.consumer == null ? true : var.consumer.batch_size <= 10 || var.consumer.batching_window_seconds >= 1
    error_message = "consumer.batch_size is above 10 without a batching window; Lambda wants one of 1 s at least for such batches. Set batching_window_seconds to 1 or more, or batch_size to 10."
  }

  validation {
    condition = var.consumer == null ? true : (
      var.consumer.maximum_concurrency == null ? true : var.consumer.maximum_concurrency >= 2 && floor(var.consumer.maximum_concurrency) == var.consumer.maximum_concurrency
    )
    error_message = "consumer.maximum_concurrency is ${jsonencode(one(var.consumer[*].maximum_concurrency))}; a whole number of 2 or more is allowed (above 1000 after AWS has raised the account's quota). Write 2 for the least."
  }

  validation {
    condition = var.consumer == null ? true : (
      var.consumer.function.reserved_concurrency == null || var.consumer.provisioned_pollers != null ? true :
      coalesce(var.consumer.maximum_concurrency, 10) <= var.consumer.function.reserved_concurrency
    )
    error_message = "consumer.maximum_concurrency (10 unless set) is above the function's reserved concurrency: throttled receives would use up maximum_receive_count. Lower it, or leave reserved_concurrency out."
  }

  validation {
    condition     = var.consumer == null ? true : var.consumer.provisioned_pollers == null || var.consumer.maximum_concurrency == null
    error_message = "consumer has both maximum_concurrency and provisioned_pollers; Lambda takes one of them. Leave one out."
  }

  validation {
    condition = var.consumer == null ? true : (
      var.consumer.provisioned_pollers == null ? true :
      alltrue([for number in values(var.consumer.provisioned_pollers) : floor(number) == number]) && var.consumer.provisioned_pollers.minimum >= 2 && var.consumer.provisioned_pollers.minimum <= 200 &&
      var.consumer.provisioned_pollers.maximum <= 2000 && var.consumer.provisioned_pollers.minimum <= var.consumer.provisioned_pollers.maximum
    )
    error_message = "consumer.provisioned_pollers is ${jsonencode(one(var.consumer[*].provisioned_pollers))}; whole numbers are allowed, minimum from 2 to 200, maximum from 2 to 2000 and not below the minimum. Write { minimum = 2, maximum = 10 }."
  }
}

variable "queue" {
  description = "Settings of the queue. `visibility_timeout_seconds` is 6 times the consumer's timeout unless set."
  type = object({
    visibility_timeout_seconds = optional(number)
    retention_seconds          = optional(number, 345600)
    delay_seconds              = optional(number, 0)
    receive_wait_seconds       = optional(number, 20)
    maximum_message_bytes      = optional(number, 1048576)
  })
  nullable = false
  default  = {}

  validation {
    condition     = var.queue.visibility_timeout_seconds == null ? true : var.queue.visibility_timeout_seconds >= 6 * var.consumer_timeout_seconds
    error_message = "queue.visibility_timeout_seconds is below 6 times the consumer's timeout (${var.consumer_timeout_seconds} s): a slow message would run beside its own redelivery. Write ${6 * var.consumer_timeout_seconds} or more, or leave it out."
  }

  validation {
    condition     = var.queue.visibility_timeout_seconds == null ? true : var.queue.visibility_timeout_seconds <= 43200 && floor(var.queue.visibility_timeout_seconds) == var.queue.visibility_timeout_seconds
    error_message = "queue.visibility_timeout_seconds is ${jsonencode(var.queue.visibility_timeout_seconds)}; SQS allows whole numbers up to 43200 (12 h). Write 43200 or less."
  }

  validation {
    condition     = var.queue.retention_seconds >= 60 && var.queue.retention_seconds <= 1209600 && floor(var.queue.retention_seconds) == var.queue.retention_seconds
    error_message = "queue.retention_seconds is ${var.queue.retention_seconds}; SQS allows whole numbers from 60 to 1209600 (14 days). Write 345600 (4 days), say."
  }

  validation {
    condition     = var.queue.delay_seconds >= 0 && var.queue.delay_seconds <= 900 && floor(var.queue.delay_seconds) == var.queue.delay_seconds
    error_message = "queue.delay_seconds is ${var.queue.delay_seconds}; SQS allows whole numbers from 0 to 900. Write 0."
  }

  validation {
    condition     = var.queue.receive_wait_seconds >= 1 && var.queue.receive_wait_seconds <= 20 && floor(var.queue.receive_wait_seconds) == var.queue.receive_wait_seconds
    error_message = "queue.receive_wait_seconds is ${var.queue.receive_wait_seconds}; whole numbers from 1 to 20 are allowed here (0 is short polling, which costs requests and misses messages). Write 20."
  }

  validation {
    condition     = var.queue.maximum_message_bytes >= 1024 && var.queue.maximum_message_bytes <= 1048576 && floor(var.queue.maximum_message_bytes) == var.queue.maximum_message_bytes
    error_message = "queue.maximum_message_bytes is ${var.queue.maximum_message_bytes}; SQS allows whole numbers from 1024 to 1048576 (1 MiB). Write 1048576, and send larger payloads by reference."
  }
}

variable "dead_letter_queue" {
  description = "Settings of the dead-letter queue. `maximum_receive_count` counts receives, not failures: keep it above the attempts that the consumer counts itself."
  type = object({
    retention_seconds     = optional(number, 1209600)
    maximum_receive_count = optional(number, 10)
  })
  nullable = false
  default  = {}

  validation {
    condition     = var.dead_letter_queue.retention_seconds > var.queue.retention_seconds && var.dead_letter_queue.retention_seconds <= 1209600 && floor(var.dead_letter_queue.retention_seconds) == var.dead_letter_queue.retention_seconds
    error_message = "dead_letter_queue.retention_seconds is ${var.dead_letter_queue.retention_seconds}; it must be a whole number above queue.retention_seconds (${var.queue.retention_seconds}) and at most 1209600 (14 days). Write 1209600 and keep the queue's below."
  }

  validation {
    condition     = var.dead_letter_queue.maximum_receive_count >= 3 && var.dead_letter_queue.maximum_receive_count <= 1000 && floor(var.dead_letter_queue.maximum_receive_count) == var.dead_letter_queue.maximum_receive_count
    error_message = "dead_letter_queue.maximum_receive_count is ${var.dead_letter_queue.maximum_receive_count}; whole numbers from 3 to 1000 are allowed: below 3, throttled receives alone bring messages there. Write 10."
  }

  validation {
    condition     = var.queue.retention_seconds >= var.dead_letter_queue.maximum_receive_count * coalesce(var.queue.visibility_timeout_seconds, 6 * var.consumer_timeout_seconds)
    error_message = "dead_letter_queue.maximum_receive_count is ${var.dead_letter_queue.maximum_receive_count}; that many visibility timeouts last longer than queue.retention_seconds (${var.queue.retention_seconds}): a failing message would expire before it gets there. Write fewer receives or a longer retention."
  }
}

variable "encryption" {
  description = "SSE-SQS unless `kms_key_arn` names a customer key; then every producer and consumer needs the grants that the policy outputs hold."
  type = object({
    kms_key_arn            = optional(string)
    data_key_reuse_seconds = optional(number, 300)
  })
  nullable = false
  default  = {}

  validation {
    condition     = var.encryption.kms_key_arn == null ? true : can(regex("^arn:aws(-[a-z]+)*:kms:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:key/.+$", var.encryption.kms_key_arn))
    error_message = "encryption.kms_key_arn is not the ARN of a key (arn:aws:kms:REGION:ACCOUNT:key/ID); an alias or an id cannot be granted in a policy. Leave it out for SSE-SQS."
  }

  validation {
    condition     = var.encryption.data_key_reuse_seconds >= 60 && var.encryption.data_key_reuse_seconds <= 86400 && floor(var.encryption.data_key_reuse_seconds) == var.encryption.data_key_reuse_seconds
    error_message = "encryption.data_key_reuse_seconds is ${var.encryption.data_key_reuse_seconds}; SQS allows whole numbers from 60 to 86400. Write 300."
  }
}

variable "access" {
  description = "Who may send besides the roles that hold the producer policy: AWS services, each from named sources only. With `vpc_endpoint_ids`, sends by anyone but an AWS service, and the roles in `vpc_exempt_role_arns`, must come through one of these endpoints."
  type = object({
    service_senders = optional(map(object({
      service        = string
      source_arns    = list(string)
      source_account = optional(string)
    })), {})
    vpc_endpoint_ids     = optional(list(string), [])
    vpc_exempt_role_arns = optional(list(string), [])
  })
  nullable = false
  default  = {}
}

variable "tags" {
  description = "Tags of both queues and the mapping, beside the provider's default tags."
  type        = map(string)
  nullable    = false
  default     = {}
}
