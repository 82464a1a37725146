variable "account_id" {
  description = "The account to prepare; nothing is planned or applied in another."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[0-9]{12}$", var.account_id))
    error_message = "account_id is \"${var.account_id}\"; an account id has 12 digits."
  }
}

variable "environment" {
  description = "The environment that lives in the account, which is also the name of its GitHub environment."
  type        = string
  nullable    = false

  validation {
    condition     = contains(["dev", "stg", "prod"], var.environment)
    error_message = "environment is \"${var.environment}\"; dev, stg and prod are allowed."
  }
}

variable "repository" {
  description = "GitHub repository whose workflow plans and applies, as owner/name."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9-]+/[A-Za-z0-9._-]+$", var.repository))
    error_message = "repository is \"${var.repository}\"; write it as owner/name, without wildcards: whoever matches may take the roles."
  }
}
