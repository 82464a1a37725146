variable "queue_arn" {
  description = "ARN of the queue that the policy is for."
  type        = string
  nullable    = false
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
    condition     = alltrue([for s in values(var.service_senders) : can(regex("^[a-z0-9.-]+[.]amazonaws[.]com$", s.service))])
    error_message = "service_senders holds a service that is no service principal. Write one such as events.amazonaws.com."
  }

  validation {
    condition     = alltrue([for s in values(var.service_senders) : length(s.source_arns) > 0 && alltrue([for a in s.source_arns : startswith(a, "arn:")])])
    error_message = "service_senders holds a service without source ARNs: any account could use that service to send here. Write the ARNs of the rules, topics or buckets that send."
  }

  validation {
    condition = alltrue([for s in values(var.service_senders) : s.source_account == null ? alltrue([
      for a in s.source_arns : can(regex("^arn:[^:]*:[^:]*:[^:]*:[0-9]{12}:", a))
    ]) : can(regex("^[0-9]{12}$", s.source_account))])
    error_message = "service_senders holds a source ARN without an account id (as a bucket's is) and no source_account of 12 digits. Set source_account to the account that owns the source."
  }
}

variable "vpc_endpoint_ids" {
  description = "Endpoints through which everyone but an AWS service has to send; none for no such limit."
  type        = list(string)
  nullable    = false
  default     = []

  validation {
    condition     = alltrue([for id in var.vpc_endpoint_ids : can(regex("^vpce-[0-9a-f]+$", id))])
    error_message = "vpc_endpoint_ids holds something other than an endpoint id. Write ids such as vpce-0a1b2c3d."
  }
}
