variable "name" {
  description = "First part of the name of every alarm, and the dashboard's name; usually environment and job."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9_-]{1,100}$", var.name))
    error_message = "name is \"${var.name}\"; 1 to 100 letters, digits, - and _ are allowed, so that the alarms' names fit into 255. Write a name such as \"prod-charge\"."
  }
}

variable "service" {
  description = "What the alarms are about, in the composites' words and in every description: alarms of one service that ring together are one incident. The name unless set."
  type        = string
  default     = null

  validation {
    condition     = var.service == null ? true : can(regex("^[A-Za-z0-9_.-]{1,64}$", var.service))
    error_message = "service is not 1 to 64 letters, digits, -, _ and dots. Write the job's name, such as \"charge\", or leave it out."
  }
}

variable "topics" {
  description = "ARNs of the standard SNS topics that are told, by severity."
  type = object({
    critical = string
    warning  = string
    info     = string
  })
  nullable = false

  validation {
    condition     = alltrue([for arn in values(var.topics) : can(regex("^arn:aws(-[a-z]+)*:sns:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:[A-Za-z0-9_-]{1,256}$", arn))])
    error_message = "topics.${join(", topics.", [for severity, arn in var.topics : severity if !can(regex("^arn:aws(-[a-z]+)*:sns:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:[A-Za-z0-9_-]{1,256}$", arn))])} is not the ARN of a standard SNS topic (arn:aws:sns:REGION:ACCOUNT:NAME, without .fifo). Write alert-channel's output topics."
  }
}

variable "runbook_url" {
  description = "Where the runbook is, without a fragment: each alarm's id is the anchor of its entry."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^https://[^\\s#]+$", var.runbook_url))
    error_message = "runbook_url is \"${var.runbook_url}\"; an https address without a fragment is needed, since each alarm adds its own. Write https://git.example.com/platform/fanout-once/docs/runbook.md."
  }

  validation {
    condition     = length(var.runbook_url) <= 400
    error_message = "runbook_url has ${length(var.runbook_url)} characters; 400 are allowed, so that a description fits into the 1024 of CloudWatch. Write a shorter address."
  }
}

variable "metrics_namespace" {
  description = "Namespace in which a maintenance window is declared, as the metric Maintenance with the dimension service."
  type        = string
  nullable    = false
  default     = "FanoutOnce"

  validation {
    condition     = can(regex("^[A-Za-z0-9._/#-]{1,255}$", var.metrics_namespace)) && !startswith(var.metrics_namespace, "AWS/")
    error_message = "metrics_namespace is \"${var.metrics_namespace}\"; 1 to 255 letters, digits and ._/#- are allowed, and AWS/ belongs to AWS. Write FanoutOnce."
  }
}

variable "tags" {
  description = "Tags of every alarm, beside the provider's default tags."
  type        = map(string)
  nullable    = false
  default     = {}
}
