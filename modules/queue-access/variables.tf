variable "queue_arn" {
  description = "ARN of the queue that the policy is for."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^arn:aws(-[a-z]+)*:sqs:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:[A-Za-z0-9_-]{1,80}([.]fifo)?$", var.queue_arn))
    error_message = "queue_arn is \"${var.queue_arn}\", which is not the ARN of an SQS queue (arn:aws:sqs:REGION:ACCOUNT:NAME). Write the queue's arn."
  }
}

variable "service_senders" {
  description = "AWS services that may send, each from named sources only. A source whose ARN has no account id, as a bucket's, needs `source_account`."
  type = map(object({
    service        = string
    source_arns    = list(string)
    source_account = optional(string)
  }))
  nullable = false
  default  = {}

  validation {
    condition     = length(distinct([for key in keys(var.service_senders) : lower(replace(key, "/[^0-9A-Za-z]/", ""))])) == length(var.service_senders)
    error_message = "service_senders holds keys that differ in case or in other characters than letters and digits only, which their statements' ids cannot tell apart: ${join(", ", keys(var.service_senders))}. Write keys such as \"orders\" and \"refunds\"."
  }

  validation {
    condition     = alltrue([for s in values(var.service_senders) : can(regex("^[a-z0-9.-]+[.]amazonaws[.]com$", s.service))])
    error_message = "service_senders holds a service that is no service principal. Write one such as events.amazonaws.com."
  }

  validation {
    condition     = alltrue([for s in values(var.service_senders) : length(s.source_arns) > 0 && alltrue([for a in s.source_arns : can(regex("^arn:aws(-[a-z]+)*:[a-z0-9-]+:([a-z]{2}(-[a-z]+)+-[0-9]{1,2})?:([0-9]{12})?:.+$", a))])])
    error_message = "service_senders holds a service without source ARNs, or with one that is none (arn:aws:SERVICE:REGION:ACCOUNT:RESOURCE, with neither partition, service, region nor account left open): any account could use that service to send here. Found: ${join(", ", flatten([for s in values(var.service_senders) : s.source_arns]))}. Write the ARNs of the rules, topics or buckets that send."
  }

  validation {
    condition = alltrue([for s in values(var.service_senders) : s.source_account == null ? alltrue([
      for a in s.source_arns : can(regex("^arn:aws(-[a-z]+)*:[^:]*:[^:]*:[0-9]{12}:", a))
    ]) : can(regex("^[0-9]{12}$", s.source_account))])
    error_message = "service_senders holds a source ARN without an account id (as a bucket's is) and no source_account of 12 digits. Set source_account to the account that owns the source."
  }
}

variable "vpc_endpoint_ids" {
  description = "Endpoints through which everyone but an AWS service and `vpc_exempt_role_arns` has to send; none for no such limit."
  type        = list(string)
  nullable    = false
  default     = []

  validation {
    condition     = alltrue([for id in var.vpc_endpoint_ids : can(regex("^vpce-[0-9a-f]{8,17}$", id))])
    error_message = "vpc_endpoint_ids holds ${join(", ", var.vpc_endpoint_ids)}; ids of endpoints are needed. Write ids such as vpce-0a1b2c3d."
  }
}

variable "vpc_exempt_role_arns" {
  description = "Roles that may send from outside of the endpoints: of functions that run outside of the VPC."
  type        = list(string)
  nullable    = false
  default     = []

  validation {
    condition     = alltrue([for arn in var.vpc_exempt_role_arns : can(regex("^arn:aws(-[a-z]+)*:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]+$", arn))])
    error_message = "vpc_exempt_role_arns holds ${join(", ", var.vpc_exempt_role_arns)}; ARNs of roles without wildcards are needed. Write role_arn of a python-function's output."
  }
}
