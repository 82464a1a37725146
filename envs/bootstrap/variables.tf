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
    error_message = "repository is \"${var.repository}\"; write it as owner/name, without wildcards: whoever matches may take the roles. Numeric ids go into repository_ids."
  }
}

variable "repository_ids" {
  description = "Numeric ids of the repository's owner and of the repository, where its OIDC subjects hold them: in every repository made, renamed or transferred since 15 July 2026, and in older ones that have opted in. Left out: its subjects hold names alone. `names_too` lets both forms in, while a repository changes from names to ids."
  type = object({
    owner      = optional(string)
    repository = optional(string)
    names_too  = optional(bool, false)
  })
  nullable = false
  default  = {}

  validation {
    condition = (
      (var.repository_ids.owner == null && var.repository_ids.repository == null && !var.repository_ids.names_too) ||
      alltrue([for id in [var.repository_ids.owner, var.repository_ids.repository] : can(regex("^[1-9][0-9]*$", id))])
    )
    error_message = "repository_ids is ${jsonencode(var.repository_ids)}; write owner and repository, each a whole number without wildcards: whoever matches may take the roles."
  }
}
