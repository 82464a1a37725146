variable "name" {
  description = "Name of the queue, at most 71 characters; the dead-letter queue is `<name>-dlq`."
  type        = string
  nullable    = false
}

variable "reason" {
  description = "Why neither the order of messages nor a second delivery does harm here: the condition for a standard queue. Kept as a tag of both queues."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9 _.:/=+@-]{20,256}$", var.reason))
    error_message = "reason is \"${var.reason}\"; write a sentence of 20 to 256 letters, digits, spaces and _.:/=+-@ that says why order and duplicates do no harm, or use fifo-queue-with-dlq."
  }
}

variable "consumer_timeout_seconds" {
  description = "Longest work on one receive: the function's timeout, or a poller's longest batch. The visibility timeout follows from it. Apart from `consumer`, so that the function may know the queue's URL without a cycle."
  type        = number
  nullable    = false
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
}

variable "dead_letter_queue" {
  description = "Settings of the dead-letter queue. `maximum_receive_count` counts receives, not failures: keep it above the attempts that the consumer counts itself."
  type = object({
    retention_seconds     = optional(number, 1209600)
    maximum_receive_count = optional(number, 10)
  })
  nullable = false
  default  = {}
}

variable "encryption" {
  description = "SSE-SQS unless `kms_key_arn` names a customer key; then every producer and consumer needs the grants that the policy outputs hold."
  type = object({
    kms_key_arn            = optional(string)
    data_key_reuse_seconds = optional(number, 300)
  })
  nullable = false
  default  = {}
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
