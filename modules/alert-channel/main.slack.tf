locals {
  slack = var.slack == null ? {} : { this = var.slack }

  # Named before it is made: the function knows the queue's URL, and its own log group is refused as a source.
  notifier_name      = "${var.name}-notifier"
  notifier_log_group = "/aws/lambda/${local.notifier_name}"
  timeout_seconds    = 60

  # With these receives and the notifier's pauses, Slack may be away for an hour and a half at the least.
  maximum_receive_count = 20

  # Lines of the functions' JSON and of Lambda's own text; the notifier leaves out those that only mention such a word.
  error_pattern = "?ERROR ?CRITICAL ?Traceback ?\"Task timed out\" ?\"Runtime exited\""
}

module "incidents" {
  source   = "../job-table"
  for_each = local.slack

  name                = "${var.name}-incidents"
  ttl_attribute       = "expires"
  recovery_days       = null # What is lost here is told again.
  kms_key_arn         = one(var.key[*].arn)
  deletion_protection = false
  tags                = var.tags
}

module "fan_out" {
  source   = "../fan-out"
  for_each = var.slack == null ? toset([]) : local.severities

  name          = local.topic_names[each.key]
  topic         = { arn = aws_sns_topic.this[each.key].arn }
  kms_key_arn   = one(var.key[*].arn)
  subscriptions = { notifier = { queue_arn = module.queue["this"].queue.arn } }
  tags          = var.tags
}

module "queue" {
  source   = "../standard-queue-with-dlq"
  for_each = local.slack

  name                     = local.notifier_name
  reason                   = "The notifier goes by the time of each change: neither order nor repeats show."
  consumer_timeout_seconds = local.timeout_seconds
  consumer = {
    function            = module.notifier["this"].function
    maximum_concurrency = 2
  }
  dead_letter_queue = { maximum_receive_count = local.maximum_receive_count }
  encryption        = { kms_key_arn = one(var.key[*].arn) }
  # As fan_out hands it out; said here, because its topics' ARNs are known before the topics are.
  access = { service_senders = { for severity, arn in local.topic_arns : severity => { service = "sns.amazonaws.com", source_arns = [arn] } } }
  tags   = var.tags
}

module "log_failures" {
  source   = "../failure-queue"
  for_each = local.slack

  name        = "${local.notifier_name}-failures"
  kms_key_arn = one(var.key[*].arn)
  tags        = var.tags
}

module "notifier" {
  source   = "../python-function"
  for_each = local.slack

  name            = local.notifier_name
  description     = "Tells Slack of alarms and errors, by incident."
  package         = { path = each.value.package, handler = each.value.handler }
  timeout_seconds = local.timeout_seconds
  log             = { retention_days = var.log_retention_days, kms_key_arn = one(var.key[*].arn) }
  tags            = var.tags

  environment_kms_key_arn  = one(var.key[*].arn)
  permissions_boundary_arn = var.permissions_boundary_arn
  policies                 = { notify = data.aws_iam_policy_document.notify["this"].json }

  asynchronous = {
    failure_queue_arn         = module.log_failures["this"].queue.arn
    failure_queue_policy_json = module.log_failures["this"].send_policy_json
  }

  environment = { for name, value in {
    POWERTOOLS_SERVICE_NAME      = "alerts"
    POWERTOOLS_METRICS_NAMESPACE = var.metrics_namespace
    CHANNEL_TABLE                = module.incidents["this"].table.name
    QUEUE_URL                    = module.queue["this"].queue.url
    DLQ_URL                      = module.queue["this"].dead_letter_queue.url
    ENVIRONMENT                  = var.environment
    PERSONAL_KEYS                = join(",", sort(var.personal_keys))
    QUIET_SECONDS                = tostring(each.value.quiet_seconds)
    LEASE_SECONDS                = tostring(local.timeout_seconds + 30)
    SLACK_API_URL                = each.value.api_url
    SLACK_PARAMETER              = each.value.credentials.ssm_parameter_name
    SLACK_SECRET                 = each.value.credentials.secrets_manager_secret_arn
    SLACK_CHANNEL_CRITICAL       = one([for channels in each.value.channels[*] : channels.critical])
    SLACK_CHANNEL_WARNING        = one([for channels in each.value.channels[*] : channels.warning])
    SLACK_CHANNEL_INFO           = one([for channels in each.value.channels[*] : channels.info])
    TOPIC_CRITICAL               = local.topic_arns["critical"]
    TOPIC_WARNING                = local.topic_arns["warning"]
    TOPIC_INFO                   = local.topic_arns["info"]
  } : name => value if value != null }
}

data "aws_iam_policy_document" "notify" {
  for_each = local.slack

  # It writes to itself: error lines, and when to look whether they have stopped.
  source_policy_documents = [module.queue["this"].producer_policy_json]

  statement {
    sid       = "KeepIncidents"
    actions   = ["dynamodb:GetItem", "dynamodb:UpdateItem"]
    resources = [module.incidents["this"].table.arn]
  }

  # CloudWatch tells of composite alarms only whoever may ask for all.
  statement {
    sid       = "LookAtAlarms"
    actions   = ["cloudwatch:DescribeAlarms"]
    resources = ["*"]
  }

  dynamic "statement" {
    for_each = { for name in each.value.credentials.ssm_parameter_name[*] : "this" => name }

    content {
      sid       = "ReadTheParameter"
      actions   = ["ssm:GetParameter"]
      resources = ["arn:${local.partition}:ssm:${local.arn_middle}:parameter/${trimprefix(statement.value, "/")}"]
    }
  }

  dynamic "statement" {
    for_each = { for arn in each.value.credentials.secrets_manager_secret_arn[*] : "this" => arn }

    content {
      sid       = "ReadTheSecret"
      actions   = ["secretsmanager:GetSecretValue"]
      resources = [statement.value]
    }
  }

  dynamic "statement" {
    for_each = { for arn in each.value.credentials.kms_key_arn[*] : "this" => arn }

    content {
      sid       = "SecretKey"
      actions   = ["kms:Decrypt"]
      resources = [statement.value]

      condition {
        test     = "StringEquals"
        variable = "kms:ViaService"
        values   = [for service in ["secretsmanager", "ssm"] : "${service}.${local.region}.amazonaws.com"]
      }
    }
  }

  dynamic "statement" {
    for_each = { for key in var.key[*] : "this" => key.arn }

    content {
      sid       = "TableKey"
      actions   = ["kms:Decrypt"]
      resources = [statement.value]

      condition {
        test     = "StringEquals"
        variable = "kms:ViaService"
        values   = ["dynamodb.${local.region}.amazonaws.com"]
      }
    }
  }
}

# One statement for every log group of the account: one each would pass the 20,480 bytes of a function's policy at about fifty.
resource "aws_lambda_permission" "logs" {
  count = length(var.log_groups) > 0 ? 1 : 0

  statement_id   = "logs"
  action         = "lambda:InvokeFunction"
  function_name  = module.notifier["this"].function.name
  principal      = "logs.amazonaws.com"
  source_account = local.account_id
  source_arn     = "arn:${local.partition}:logs:${local.arn_middle}:log-group:*"
}

resource "aws_cloudwatch_log_subscription_filter" "errors" {
  for_each = var.log_groups

  name            = "${var.name}-errors"
  log_group_name  = each.value
  destination_arn = module.notifier["this"].function.arn
  filter_pattern  = local.error_pattern

  # CloudWatch Logs tries the function when the filter is made; the function's ARN is built and carries no order.
  depends_on = [aws_lambda_permission.logs]
}
