variable "endpoint" {
  description = "Address of the local AWS."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^http://(127[.][0-9]+[.][0-9]+[.][0-9]+|localhost|\\[::1\\]):[0-9]+$", var.endpoint))
    error_message = "endpoint is \"${var.endpoint}\"; this environment speaks to this machine only. Write http://127.0.0.1:PORT."
  }
}

variable "dist" {
  description = "Folder with the packages that `make package` writes."
  type        = string
  nullable    = false
  default     = "../../dist"
}

variable "payment_endpoint" {
  description = "Payment API at which charges are captured, on this machine; null to charge in the ledger alone."
  type        = string
  default     = null

  validation {
    condition     = var.payment_endpoint == null ? true : can(regex("^http://(127[.][0-9]+[.][0-9]+[.][0-9]+|localhost|\\[::1\\]):[0-9]+$", var.payment_endpoint))
    error_message = "payment_endpoint is not on this machine; no money leaves it from here. Write http://127.0.0.1:PORT, or null."
  }
}

variable "slack_endpoint" {
  description = "Slack's API, on this machine; its token is in the parameter /fanout-local/slack. Null to tell nobody but a mailbox that does not exist."
  type        = string
  default     = null

  validation {
    condition     = var.slack_endpoint == null ? true : can(regex("^http://(127[.][0-9]+[.][0-9]+[.][0-9]+|localhost|\\[::1\\]):[0-9]+(/.*)?$", var.slack_endpoint))
    error_message = "slack_endpoint is not on this machine; nothing leaves it from here. Write http://127.0.0.1:PORT/api, or null."
  }
}

variable "schedule_expression" {
  description = "When both jobs run, in Asia/Tokyo: a test run wants it soon."
  type        = string
  nullable    = false
  default     = "cron(0 3 1 * ? *)"
}
