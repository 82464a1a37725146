variable "name" {
  description = "Name of the queue."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9_-]{1,80}$", var.name))
    error_message = "name is \"${var.name}\"; a standard queue's name has 1 to 80 letters, digits, - and _, without .fifo: Scheduler and Lambda refuse FIFO queues for their failures. Write a name such as \"charge-schedule-failures\"."
  }
}

variable "kms_key_arn" {
  description = "Customer key for the queue; null for SSE-SQS."
  type        = string
  default     = null

  validation {
    condition     = var.kms_key_arn == null ? true : can(regex("^arn:aws(-[a-z]+)*:kms:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:key/.+$", var.kms_key_arn))
    error_message = "kms_key_arn is not the ARN of a key (arn:aws:kms:REGION:ACCOUNT:key/ID). Leave it out for SSE-SQS."
  }
}

variable "service_senders" {
  description = "AWS services that send here by the queue's policy, each from named sources only: SNS for a subscription, EventBridge for a rule. Scheduler and Lambda send with a role instead."
  type = map(object({
    service        = string
    source_arns    = list(string)
    source_account = optional(string)
  }))
  nullable = false
  default  = {}
}

variable "tags" {
  description = "Tags of the queue, beside the provider's default tags."
  type        = map(string)
  nullable    = false
  default     = {}
}
