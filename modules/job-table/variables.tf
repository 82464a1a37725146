variable "name" {
  description = "Name of the table."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9_.-]{3,255}$", var.name))
    error_message = "name is \"${var.name}\"; a table name has 3 to 255 letters, digits, _, . and -. Write a name such as \"prod-jobs\"."
  }
}

variable "partition_key" {
  description = "Name of the partition key, a string."
  type        = string
  nullable    = false
  default     = "pk"

  validation {
    condition     = length(var.partition_key) >= 1 && length(var.partition_key) <= 255
    error_message = "partition_key is ${length(var.partition_key)} characters long; 1 to 255 are allowed. Write \"pk\"."
  }
}

variable "sort_key" {
  description = "Name of the sort key, a string; null for a table without one (Powertools' idempotency records)."
  type        = string
  default     = "sk"

  validation {
    condition     = var.sort_key == null ? true : length(var.sort_key) >= 1 && length(var.sort_key) <= 255 && var.sort_key != var.partition_key
    error_message = "sort_key must have 1 to 255 characters and differ from partition_key (\"${var.partition_key}\"). Write \"sk\", or null for none."
  }
}

variable "ttl_attribute" {
  description = "Attribute that holds a row's expiry in epoch seconds; null where nothing expires. Rows without the attribute stay for good: leave it off rows that prove an effect."
  type        = string
  default     = "ttl"

  validation {
    condition     = var.ttl_attribute == null ? true : length(var.ttl_attribute) >= 1 && length(var.ttl_attribute) <= 255 && !contains([var.partition_key, coalesce(var.sort_key, var.partition_key)], var.ttl_attribute)
    error_message = "ttl_attribute must have 1 to 255 characters and be no key of the table: keys are strings, an expiry is a number. Write \"ttl\", or null for none."
  }
}

variable "recovery_days" {
  description = "Days back to which the table can be restored (point-in-time recovery); null switches it off, for data that can be made again only."
  type        = number
  default     = 35

  validation {
    condition     = var.recovery_days == null ? true : var.recovery_days >= 1 && var.recovery_days <= 35 && floor(var.recovery_days) == var.recovery_days
    error_message = "recovery_days is ${jsonencode(var.recovery_days)}; DynamoDB keeps a whole number of days from 1 to 35. Write 35, or null to switch recovery off."
  }
}

variable "kms_key_arn" {
  description = "Customer key for the table; null for the key that DynamoDB owns. With it, each role that uses the table needs kms:Decrypt on the key."
  type        = string
  default     = null

  validation {
    condition     = var.kms_key_arn == null ? true : can(regex("^arn:aws(-[a-z]+)*:kms:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:key/.+$", var.kms_key_arn))
    error_message = "kms_key_arn is not the ARN of a key (arn:aws:kms:REGION:ACCOUNT:key/ID). Leave it out for the key that DynamoDB owns."
  }
}

variable "deletion_protection" {
  description = "Refuse to delete the table. Switch it off, and apply, before a wanted destroy."
  type        = bool
  nullable    = false
  default     = true
}

variable "tags" {
  description = "Tags of the table, beside the provider's default tags."
  type        = map(string)
  nullable    = false
  default     = {}
}
