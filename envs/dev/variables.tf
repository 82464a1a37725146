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
