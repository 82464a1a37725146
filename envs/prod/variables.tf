variable "account_id" {
  description = "The environment's account; nothing is planned or applied in another."
  type        = string
  nullable    = false
}

variable "dist" {
  description = "Folder with the packages that `make package` writes."
  type        = string
  nullable    = false
  default     = "../../dist"
}

variable "kms_key_arn" {
  description = "The key for data that envs/bootstrap made."
  type        = string
  nullable    = false
}
