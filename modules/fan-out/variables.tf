variable "name" {
  description = "Prefix of the rules and failure queues made here."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9_-]{1,32}$", var.name))
    error_message = "name is \"${var.name}\"; 1 to 32 letters, digits, - and _ are allowed. Write a name such as \"prod-orders\"."
  }
}

variable "topic" {
  description = "The SNS topic whose messages go to the queues; null for a bus. An object, so that a topic of the same plan will do."
  type        = object({ arn = string })
  default     = null

  validation {
    condition     = (var.topic == null) != (var.bus == null)
    error_message = "topic and bus: exactly one of them is the source. Write one and leave the other out."
  }

  validation {
    condition     = var.topic == null ? true : can(regex("^arn:aws(-[a-z]+)*:sns:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:[A-Za-z0-9_-]{1,256}$", var.topic.arn))
    error_message = "topic.arn is ${jsonencode(one(var.topic[*].arn))}, which is not the ARN of a standard SNS topic (arn:aws:sns:REGION:ACCOUNT:NAME). A FIFO topic (.fifo) wants FIFO failure queues, which are not made here. Write the arn of an aws_sns_topic."
  }
}

variable "bus" {
  description = "The EventBridge bus whose events go to the queues; null for a topic. An object, so that a bus of the same plan will do."
  type        = object({ name = string })
  default     = null

  validation {
    condition     = var.bus == null ? true : can(regex("^[A-Za-z0-9._-]{1,256}$", var.bus.name))
    error_message = "bus.name is ${jsonencode(one(var.bus[*].name))}; 1 to 256 letters, digits and ._- are allowed. Write the name of an aws_cloudwatch_event_bus, or \"default\" for the account's own bus."
  }
}

variable "subscriptions" {
  description = "The queues by name. `filter`: on a topic an SNS filter policy as JSON, or null for everything; on a bus an event pattern as JSON. `filter_on_body`, topics only: the filter looks at the body instead of the attributes."
  type = map(object({
    queue_arn      = string
    filter         = optional(string)
    filter_on_body = optional(bool, false)
  }))
  nullable = false

  validation {
    condition     = length(var.subscriptions) > 0 && alltrue([for name in keys(var.subscriptions) : can(regex("^[A-Za-z0-9_-]{1,24}$", name))])
    error_message = "subscriptions is empty or holds a name that is none; 1 to 24 letters, digits, - and _ are allowed. Write one such as \"billing\"."
  }

  validation {
    condition     = alltrue([for s in values(var.subscriptions) : can(regex("^arn:aws(-[a-z]+)*:sqs:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:[A-Za-z0-9_-]{1,80}$", s.queue_arn))])
    error_message = "subscriptions holds a queue_arn that is no standard SQS queue's: neither a standard topic nor a bus gives a FIFO queue (.fifo) the ids that it needs. Write the arn of a standard-queue-with-dlq's queue output."
  }

  validation {
    condition     = alltrue([for s in values(var.subscriptions) : s.filter == null ? true : can(keys(jsondecode(s.filter)))])
    error_message = "subscriptions.${join(", subscriptions.", [for name, s in var.subscriptions : name if s.filter == null ? false : !can(keys(jsondecode(s.filter)))])} has a filter that is not a JSON object. Write it with jsonencode, such as jsonencode({ source = [\"orders\"] })."
  }

  validation {
    condition     = var.bus == null ? true : alltrue([for s in values(var.subscriptions) : s.filter == null ? true : length(s.filter) <= 4096])
    error_message = "subscriptions.${join(", subscriptions.", [for name, s in var.subscriptions : "${name} has a filter of ${length(coalesce(s.filter, "-"))} characters" if length(coalesce(s.filter, "-")) > 4096])}; EventBridge allows 4096 in a pattern. Write fewer or shorter conditions, or divide them between two subscriptions."
  }

  validation {
    condition     = var.bus == null ? true : alltrue([for s in values(var.subscriptions) : s.filter != null])
    error_message = "subscriptions holds one without a filter; a rule on a bus needs an event pattern, or it would take AWS's own events too. Write filter = jsonencode({ source = [\"orders\"] }), say."
  }

  validation {
    condition     = var.bus == null ? true : alltrue([for s in values(var.subscriptions) : !s.filter_on_body])
    error_message = "subscriptions sets filter_on_body; an event pattern always looks at the whole event. Leave it out on a bus."
  }
}

variable "kms_key_arn" {
  description = "Customer key for the failure queues; null for SSE-SQS. Its policy must admit the service that sends."
  type        = string
  default     = null

  validation {
    condition     = var.kms_key_arn == null ? true : can(regex("^arn:aws(-[a-z]+)*:kms:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:key/.+$", var.kms_key_arn))
    error_message = "kms_key_arn is not the ARN of a key (arn:aws:kms:REGION:ACCOUNT:key/ID). Leave it out for SSE-SQS."
  }
}

variable "tags" {
  description = "Tags of rules and failure queues, beside the provider's default tags."
  type        = map(string)
  nullable    = false
  default     = {}
}
