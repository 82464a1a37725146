variable "name" {
  description = "Name of the function."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9_-]{1,64}$", var.name))
    error_message = "name is \"${var.name}\"; a function name has 1 to 64 letters, digits, - and _. Write a name such as \"prod-charge-consumer\"."
  }
}

variable "description" {
  description = "What the function does, in a line."
  type        = string
  nullable    = false
  default     = ""

  validation {
    condition     = length(var.description) <= 256
    error_message = "description is ${length(var.description)} characters long; Lambda allows 256. Write a line."
  }
}

variable "package" {
  description = "The code: `path` of the zip, `handler` as `package.module.function`."
  type = object({
    path    = string
    handler = string
  })
  nullable = false

  validation {
    condition     = endswith(var.package.path, ".zip") && fileexists(var.package.path)
    error_message = "package.path is \"${var.package.path}\"; no such zip is there. Build the packages first (make package), or write the path of one."
  }

  validation {
    condition     = can(regex("^[A-Za-z_][A-Za-z0-9_]*([.][A-Za-z_][A-Za-z0-9_]*)+$", var.package.handler)) && length(var.package.handler) <= 128
    error_message = "package.handler is \"${var.package.handler}\"; write it as package.module.function, at most 128 characters, such as \"charge_consumer.handler.handler\"."
  }
}

variable "runtime" {
  description = "Lambda's Python runtime."
  type        = string
  nullable    = false
  default     = "python3.13"

  validation {
    condition     = contains(["python3.12", "python3.13", "python3.14"], var.runtime)
    error_message = "runtime is \"${var.runtime}\"; python3.12, python3.13 and python3.14 are allowed. Write python3.13."
  }
}

variable "architecture" {
  description = "Processor: `arm64` or `x86_64`. The zip has to fit it."
  type        = string
  nullable    = false
  default     = "arm64"

  validation {
    condition     = contains(["arm64", "x86_64"], var.architecture)
    error_message = "architecture is \"${var.architecture}\"; arm64 and x86_64 are allowed. Write arm64."
  }
}

variable "memory_mb" {
  description = "Memory in MB; processor share grows with it."
  type        = number
  nullable    = false
  default     = 256

  validation {
    condition     = var.memory_mb >= 128 && var.memory_mb <= 10240 && floor(var.memory_mb) == var.memory_mb
    error_message = "memory_mb is ${var.memory_mb}; Lambda allows whole numbers from 128 to 10240. Write 256."
  }
}

variable "timeout_seconds" {
  description = "Longest run of one invocation. For a consumer: its batch times its longest message."
  type        = number
  nullable    = false
  default     = 60

  validation {
    condition     = var.timeout_seconds >= 1 && var.timeout_seconds <= 900 && floor(var.timeout_seconds) == var.timeout_seconds
    error_message = "timeout_seconds is ${var.timeout_seconds}; Lambda allows whole numbers from 1 to 900. Write 60."
  }
}

variable "environment" {
  description = "Environment variables. No secrets: whoever may read the function's configuration reads them."
  type        = map(string)
  nullable    = false
  default     = {}

  validation {
    condition     = alltrue([for name in keys(var.environment) : can(regex("^[A-Za-z][A-Za-z0-9_]+$", name))])
    error_message = "environment holds a name that Lambda refuses; names start with a letter and go on with letters, digits and _. Found: ${join(", ", keys(var.environment))}."
  }

  validation {
    condition     = alltrue([for name in keys(var.environment) : !startswith(name, "AWS_") && !contains(["LAMBDA_RUNTIME_DIR", "LAMBDA_TASK_ROOT"], name)])
    error_message = "environment sets a variable that starts with AWS_, LAMBDA_RUNTIME_DIR or LAMBDA_TASK_ROOT; these belong to Lambda. Choose another name for it. Found: ${join(", ", keys(var.environment))}."
  }

  validation {
    condition     = !contains(keys(var.environment), "POWERTOOLS_LOGGER_LOG_EVENT")
    error_message = "environment sets POWERTOOLS_LOGGER_LOG_EVENT, which writes whole events, personal data included, into the log. Leave it out."
  }

  validation {
    condition     = length(jsonencode(var.environment)) <= 4096
    error_message = "environment is ${length(jsonencode(var.environment))} characters as JSON; Lambda allows 4096. Move long values to a parameter store."
  }
}

variable "environment_kms_key_arn" {
  description = "Customer key for the environment variables; null for Lambda's own."
  type        = string
  default     = null

  validation {
    condition     = var.environment_kms_key_arn == null ? true : can(regex("^arn:aws(-[a-z]+)*:kms:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:key/.+$", var.environment_kms_key_arn))
    error_message = "environment_kms_key_arn is not the ARN of a key (arn:aws:kms:REGION:ACCOUNT:key/ID). Leave it out for Lambda's own key."
  }
}

variable "policies" {
  description = "What the function may do: JSON policies by name. Logs, traces and the failure queue are granted by the module itself."
  type        = map(string)
  nullable    = false
  default     = {}

  validation {
    condition     = alltrue([for name in keys(var.policies) : can(regex("^[A-Za-z0-9+=,.@_-]{1,128}$", name)) && !contains(["runtime", "failures"], name)])
    error_message = "policies holds a name that IAM refuses, or runtime or failures, which the module uses; 1 to 128 letters, digits and +=,.@_- are allowed. Found: ${join(", ", keys(var.policies))}."
  }

  validation {
    condition     = alltrue([for policy in values(var.policies) : can(jsondecode(policy).Version)])
    error_message = "policies holds a document that is no JSON with a Version; IAM would read it by the rules of 2008. Render it with aws_iam_policy_document."
  }
}

variable "permissions_boundary_arn" {
  description = "Permissions boundary of the role; null for none."
  type        = string
  default     = null

  validation {
    condition     = var.permissions_boundary_arn == null ? true : can(regex("^arn:aws(-[a-z]+)*:iam::([0-9]{12}|aws):policy/.+$", var.permissions_boundary_arn))
    error_message = "permissions_boundary_arn is not the ARN of an IAM policy (arn:aws:iam::ACCOUNT:policy/NAME). Leave it out for none."
  }
}

variable "log" {
  description = "The log group: days kept, and a customer key or null for CloudWatch's own."
  type = object({
    retention_days = optional(number, 90)
    kms_key_arn    = optional(string)
  })
  nullable = false
  default  = {}

  validation {
    condition     = contains([1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653], var.log.retention_days)
    error_message = "log.retention_days is ${var.log.retention_days}; CloudWatch Logs allows these whole numbers: 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288 and 3653. Write 90."
  }

  validation {
    condition     = var.log.kms_key_arn == null ? true : can(regex("^arn:aws(-[a-z]+)*:kms:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:key/.+$", var.log.kms_key_arn))
    error_message = "log.kms_key_arn is not the ARN of a key (arn:aws:kms:REGION:ACCOUNT:key/ID). Leave it out for CloudWatch's own key."
  }
}

variable "tracing" {
  description = "X-Ray: `Active` samples and traces, `PassThrough` follows the caller's decision."
  type        = string
  nullable    = false
  default     = "Active"

  validation {
    condition     = contains(["Active", "PassThrough"], var.tracing)
    error_message = "tracing is \"${var.tracing}\"; Active and PassThrough are allowed. Write Active."
  }
}

variable "reserved_concurrency" {
  description = "Concurrency set aside for the function and its ceiling; null for none. A queue's consumer is throttled by the mapping's maximum concurrency instead."
  type        = number
  default     = null

  validation {
    condition     = var.reserved_concurrency == null ? true : var.reserved_concurrency >= 1 && floor(var.reserved_concurrency) == var.reserved_concurrency
    error_message = "reserved_concurrency is ${jsonencode(var.reserved_concurrency)}; it must be a whole number of 1 or more: 0 stops the function, and each throttled receive counts towards the dead-letter queue. Write 10, say, or leave it out for none."
  }
}

variable "asynchronous" {
  description = "For a function that is invoked asynchronously (by EventBridge Scheduler, say): retries, the age after which an event is given up, and the standard queue that then receives it, with the policy that lets the function's role send there. `invokes_itself`: it hands over to itself when its time runs out; Lambda otherwise stops such a chain at about 16 links. Null where nothing invokes it so."
  type = object({
    maximum_retry_attempts    = optional(number, 2)
    maximum_event_age_seconds = optional(number, 21600)
    failure_queue_arn         = string
    failure_queue_policy_json = string
    invokes_itself            = optional(bool, false)
  })
  default = null

  validation {
    condition     = var.asynchronous == null ? true : contains([0, 1, 2], var.asynchronous.maximum_retry_attempts)
    error_message = "asynchronous.maximum_retry_attempts is ${jsonencode(one(var.asynchronous[*].maximum_retry_attempts))}; Lambda allows the whole numbers 0, 1 and 2. Write 2."
  }

  validation {
    condition     = var.asynchronous == null ? true : var.asynchronous.maximum_event_age_seconds >= 60 && var.asynchronous.maximum_event_age_seconds <= 21600 && floor(var.asynchronous.maximum_event_age_seconds) == var.asynchronous.maximum_event_age_seconds
    error_message = "asynchronous.maximum_event_age_seconds is ${jsonencode(one(var.asynchronous[*].maximum_event_age_seconds))}; Lambda allows whole numbers from 60 to 21600 (6 h). Write 21600."
  }

  validation {
    condition     = var.asynchronous == null ? true : can(regex("^arn:aws(-[a-z]+)*:sqs:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:[A-Za-z0-9_-]+$", var.asynchronous.failure_queue_arn))
    error_message = "asynchronous.failure_queue_arn is not the ARN of a standard SQS queue; Lambda refuses a FIFO queue (.fifo) as a destination. Write the ARN of a failure-queue."
  }
}

variable "tags" {
  description = "Tags of function, role and log group, beside the provider's default tags."
  type        = map(string)
  nullable    = false
  default     = {}
}
