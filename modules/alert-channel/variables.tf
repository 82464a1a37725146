variable "name" {
  description = "Prefix of topics, queues, table and function."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9_-]{1,23}$", var.name))
    error_message = "name is \"${var.name}\"; 1 to 23 letters, digits, - and _ are allowed. Write a name such as \"prod-alerts\"."
  }
}

variable "environment" {
  description = "What messages call the environment."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9 ._-]{1,64}$", var.environment))
    error_message = "environment is \"${var.environment}\"; 1 to 64 letters, digits, spaces and ._- are allowed. Write a name such as \"prod\"."
  }
}

variable "key" {
  description = "Customer key for topics, queues, table and logs; null: the module makes one for the topics, and the rest has the services' own. An object, so that a key of the same plan will do (policies that name it are then known after the apply only, which leaves a gate undecided). Its policy needs the statements of `key_policy_json`, or CloudWatch's alarms are dropped without a word."
  type        = object({ arn = string })
  default     = null

  validation {
    condition     = var.key == null ? true : can(regex("^arn:aws(-[a-z]+)*:kms:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:key/.+$", var.key.arn))
    error_message = "key.arn is ${jsonencode(one(var.key[*].arn))}, which is not the ARN of a key (arn:aws:kms:REGION:ACCOUNT:key/ID); an alias such as alias/aws/sns admits no CloudWatch. Leave key out for a key made here."
  }
}

variable "key_access" {
  description = "Roles that the policy of the channel's key names: `administrator_arns` keep it (policy, rotation, tags, alias, deletion), `reader_arns` plan it. For roles whose own policies allow nothing on keys, so that neither a tag nor an alias makes a key theirs. The roles have to exist. Without any, the account's own policies decide. In `key_policy_json` too."
  type = object({
    administrator_arns = optional(set(string), [])
    reader_arns        = optional(set(string), [])
  })
  nullable = false
  default  = {}

  validation {
    condition     = alltrue([for arn in setunion(var.key_access.administrator_arns, var.key_access.reader_arns) : can(regex("^arn:[^:]+:iam::[0-9]{12}:role/[^*]+$", arn))])
    error_message = "key_access holds what is no role's ARN. Write ARNs such as arn:aws:iam::111122223333:role/ci-apply, without wildcards."
  }
}

variable "email" {
  description = "Mailboxes by key, each with the severities that it is told of. Each severity has to be confirmed from the mailbox."
  type = map(object({
    address    = string
    severities = optional(set(string), ["critical", "warning", "info"])
  }))
  nullable = false
  default  = {}

  validation {
    condition     = alltrue([for mail in values(var.email) : can(regex("^[^@[:space:]]+@[^@[:space:]]+[.][^@[:space:]]+$", mail.address))])
    error_message = "email holds an address that is none. Write one such as on-call@example.com."
  }

  validation {
    condition     = alltrue([for mail in values(var.email) : length(mail.severities) > 0 && length(setsubtract(mail.severities, ["critical", "warning", "info"])) == 0])
    error_message = "email holds severities that are none; critical, warning and info are allowed, at least one of them. Leave severities out for all."
  }
}

variable "https" {
  description = "Addresses by key that SNS posts to, each with the severities that it is told of. What cannot be delivered is kept in a queue a key."
  type = map(object({
    url        = string
    severities = optional(set(string), ["critical", "warning", "info"])
  }))
  nullable = false
  default  = {}

  validation {
    condition     = alltrue([for name in keys(var.https) : can(regex("^[A-Za-z0-9_-]{1,24}$", name)) && !contains(["notifier", "critical-notifier", "info-notifier", "warning-notifier"], name)])
    error_message = "https holds a key that cannot name a queue, or one that the module uses for a queue of its own (notifier, critical-notifier, info-notifier, warning-notifier); 1 to 24 letters, digits, - and _ are allowed. Found: ${join(", ", keys(var.https))}."
  }

  validation {
    condition     = alltrue([for hook in values(var.https) : can(regex("^https://[^/[:space:]]+[^[:space:]]*$", hook.url))])
    error_message = "https holds a url that does not begin with https://. Alerts do not travel in the open; write https://host/path."
  }

  validation {
    condition     = alltrue([for hook in values(var.https) : length(hook.severities) > 0 && length(setsubtract(hook.severities, ["critical", "warning", "info"])) == 0])
    error_message = "https holds severities that are none; critical, warning and info are allowed, at least one of them. Leave severities out for all."
  }
}

variable "slack" {
  description = "The notifier to Slack; null for none. `package`: its zip. `credentials`: where the secret is, exactly one of both; it holds a webhook's URL, or JSON with a bot's `token`. `kms_key_arn`: the customer key that encrypts the secret, if one does. `channels`: ids by severity, needed with a token. `quiet_seconds`: how long without error lines until an incident of such lines is over."
  type = object({
    package = string
    handler = optional(string, "alarm_notifier.handler.handler")
    credentials = object({
      ssm_parameter_name         = optional(string)
      secrets_manager_secret_arn = optional(string)
      kms_key_arn                = optional(string)
    })
    channels      = optional(object({ critical = string, warning = string, info = string }))
    api_url       = optional(string, "https://slack.com/api")
    quiet_seconds = optional(number, 900)
  })
  default = null

  validation {
    condition     = var.slack == null ? true : endswith(var.slack.package, ".zip") && fileexists(var.slack.package)
    error_message = "slack.package is ${jsonencode(one(var.slack[*].package))}; no such zip is there. Build the packages first (make package), or write the path of alarm_notifier.zip."
  }

  validation {
    condition     = var.slack == null ? true : can(regex("^[A-Za-z_][A-Za-z0-9_]*([.][A-Za-z_][A-Za-z0-9_]*)+$", var.slack.handler)) && length(var.slack.handler) <= 128
    error_message = "slack.handler is ${jsonencode(one(var.slack[*].handler))}; package.module.function is needed, at most 128 characters. Leave it out for alarm_notifier.handler.handler."
  }

  validation {
    condition     = var.slack == null ? true : length(coalesce(var.slack.credentials.ssm_parameter_name, "-")) <= 512 && length(coalesce(var.slack.credentials.secrets_manager_secret_arn, "-")) <= 640 && length(var.slack.api_url) <= 256
    error_message = "slack: ssm_parameter_name may have 512 characters, secrets_manager_secret_arn 640 and api_url 256, so that the notifier's environment fits into the 4096 of Lambda. Write shorter ones."
  }

  validation {
    condition     = var.slack != null || anytrue([for subscriber in concat(values(var.email), values(var.https)) : contains(subscriber.severities, "critical")])
    error_message = "slack is null and neither email nor https is told of critical alarms: a channel that nobody listens to. Write a subscriber with severities = [\"critical\"], or slack."
  }

  validation {
    condition     = var.slack == null ? true : (var.slack.credentials.ssm_parameter_name == null) != (var.slack.credentials.secrets_manager_secret_arn == null)
    error_message = "slack.credentials: exactly one of ssm_parameter_name and secrets_manager_secret_arn says where the secret is. Write one and leave the other out; the secret itself is written nowhere here."
  }

  validation {
    condition     = var.slack == null ? true : var.slack.credentials.ssm_parameter_name == null ? true : can(regex("^/?[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$", var.slack.credentials.ssm_parameter_name)) && !can(regex("^xox", var.slack.credentials.ssm_parameter_name))
    error_message = "slack.credentials.ssm_parameter_name is no name of a parameter. Write one such as \"/prod/slack\", and put the secret there, not here."
  }

  validation {
    condition     = var.slack == null ? true : var.slack.credentials.secrets_manager_secret_arn == null ? true : can(regex("^arn:aws(-[a-z]+)*:secretsmanager:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:secret:.+$", var.slack.credentials.secrets_manager_secret_arn))
    error_message = "slack.credentials.secrets_manager_secret_arn is not the ARN of a secret (arn:aws:secretsmanager:REGION:ACCOUNT:secret:NAME-SUFFIX)."
  }

  validation {
    condition     = var.slack == null ? true : var.slack.credentials.kms_key_arn == null ? true : can(regex("^arn:aws(-[a-z]+)*:kms:[a-z]{2}(-[a-z]+)+-[0-9]{1,2}:[0-9]{12}:key/.+$", var.slack.credentials.kms_key_arn))
    error_message = "slack.credentials.kms_key_arn is not the ARN of a key (arn:aws:kms:REGION:ACCOUNT:key/ID). Leave it out for the key of the account that SSM and Secrets Manager use by themselves."
  }

  validation {
    condition     = var.slack == null ? true : var.slack.channels == null ? true : alltrue([for channel in values(var.slack.channels) : can(regex("^[CG][A-Z0-9]{2,20}$", channel))])
    error_message = "slack.channels holds what is no id of a channel. Copy the id from the foot of the channel's details in Slack, such as C0123456789: a name can be given to another channel."
  }

  validation {
    condition     = var.slack == null ? true : can(regex("^(https://|http://(127[.]0[.]0[.]1|localhost)[:/])[^?#[:space:]]*[^/?#[:space:]]$", var.slack.api_url))
    error_message = "slack.api_url is no https address without a trailing slash; the token goes there. Leave it out for Slack's own."
  }

  validation {
    condition     = var.slack == null ? true : var.slack.quiet_seconds >= 1 && var.slack.quiet_seconds <= 900 && floor(var.slack.quiet_seconds) == var.slack.quiet_seconds
    error_message = "slack.quiet_seconds is ${jsonencode(one(var.slack[*].quiet_seconds))}; a whole number from 1 to 900 is allowed, since SQS delays a message by 900 s at most. Write 900."
  }
}

variable "log_groups" {
  description = "Log groups whose error lines are told, by a key that is known at plan. CloudWatch Logs allows two subscriptions a group, of which this is one."
  type        = map(string)
  nullable    = false
  default     = {}

  validation {
    condition     = length(var.log_groups) == 0 || var.slack != null
    error_message = "log_groups is set and slack is not: nobody would be told of the lines. Write slack, or leave log_groups out."
  }

  validation {
    condition     = alltrue([for name in values(var.log_groups) : can(regex("^[A-Za-z0-9._/#-]{1,512}$", name))])
    error_message = "log_groups.${join(", log_groups.", [for key, name in var.log_groups : key if !can(regex("^[A-Za-z0-9._/#-]{1,512}$", name))])} is not the name of a log group: 1 to 512 letters, digits and ._/#- are allowed. Write a name such as \"/aws/lambda/prod-charge-consumer\", not an ARN."
  }

  validation {
    condition     = !contains(values(var.log_groups), local.notifier_log_group)
    error_message = "log_groups holds ${local.notifier_log_group}, the notifier's own: each of its errors would make another. Leave it out; its failures have alarms."
  }
}

variable "personal_keys" {
  description = "Names of log fields that hold ids of people: their values are masked, in the field and wherever the line repeats them."
  type        = set(string)
  nullable    = false
  default     = ["employee_id", "tenant_id"]

  validation {
    condition     = length(var.personal_keys) > 0 && alltrue([for key in var.personal_keys : can(regex("^[A-Za-z0-9_.-]{1,64}$", key))])
    error_message = "personal_keys is empty or holds what is no name of a field; 1 to 64 letters, digits and _.- are allowed. Leave it out for employee_id and tenant_id."
  }

  validation {
    condition     = length(join(",", var.personal_keys)) <= 1000
    error_message = "personal_keys has ${length(join(",", var.personal_keys))} characters in all; 1000 are allowed, so that the notifier's environment fits into the 4096 of Lambda. Write fewer or shorter names."
  }
}

variable "metrics_namespace" {
  description = "Namespace of the notifier's metrics; their dimension service is `alerts`."
  type        = string
  nullable    = false
  default     = "FanoutOnce"

  validation {
    condition     = can(regex("^[A-Za-z0-9._/#-]{1,255}$", var.metrics_namespace)) && !startswith(var.metrics_namespace, "AWS/")
    error_message = "metrics_namespace is \"${var.metrics_namespace}\"; 1 to 255 letters, digits and ._/#- are allowed, and AWS/ at the start is AWS's own. Write FanoutOnce."
  }
}

variable "log_retention_days" {
  description = "Days that the notifier's log is kept."
  type        = number
  nullable    = false
  default     = 90

  validation {
    condition     = contains([1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653], var.log_retention_days)
    error_message = "log_retention_days is ${var.log_retention_days}; CloudWatch Logs allows these whole numbers: 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288 and 3653. Write 90."
  }
}

variable "permissions_boundary_arn" {
  description = "Permissions boundary of the notifier's role; null for none."
  type        = string
  default     = null

  validation {
    condition     = var.permissions_boundary_arn == null ? true : can(regex("^arn:aws(-[a-z]+)*:iam::([0-9]{12}|aws):policy/.+$", var.permissions_boundary_arn))
    error_message = "permissions_boundary_arn is not the ARN of an IAM policy (arn:aws:iam::ACCOUNT:policy/NAME). Leave it out for none."
  }
}

variable "tags" {
  description = "Tags of everything made here, beside the provider's default tags."
  type        = map(string)
  nullable    = false
  default     = {}
}
