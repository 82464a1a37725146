data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
data "aws_region" "current" {}

locals {
  dispatcher_name = "${var.name}-dispatcher"
  consumer_name   = "${var.name}-consumer"

  # Built from the name: the dispatcher's own policy names it, and would otherwise have to exist after it.
  dispatcher_arn = "arn:${data.aws_partition.current.partition}:lambda:${data.aws_region.current.region}:${data.aws_caller_identity.current.account_id}:function:${local.dispatcher_name}"

  role_arn_prefix = "arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}:role"

  payload_environment = var.payloads == null ? {} : {
    PAYLOAD_BUCKET          = var.payloads.bucket_name
    PAYLOAD_THRESHOLD_BYTES = tostring(var.payloads.threshold_bytes)
  }

  common_environment = merge({
    JOB_NAME                     = var.job
    JOB_TABLE                    = var.tables.jobs.name
    DIRECTORY_TABLE              = var.tables.directory.name
    QUEUE_URL                    = module.queue.queue.url
    POWERTOOLS_SERVICE_NAME      = var.job
    POWERTOOLS_METRICS_NAMESPACE = var.observability.metrics_namespace
    POWERTOOLS_LOG_LEVEL         = var.observability.log_level
  }, local.payload_environment)

  # What whoever enumerates and sends has to know: the dispatcher, and the auditor, which sends what is missing.
  sending_environment = merge(local.common_environment, {
    TIMEZONE       = var.schedule.timezone
    PERIOD_POLICY  = var.schedule.period_policy
    GROUP_SCOPE    = var.dispatcher.group_scope
    SENDER_THREADS = tostring(var.dispatcher.sender_threads)
    PAGE_SIZE      = tostring(var.dispatcher.page_size)
  })

  # Scheduler only hands events over; what a function then makes of one is decided by this.
  asynchronous = {
    failure_queue_arn         = module.dispatch_failures.queue.arn
    failure_queue_policy_json = module.dispatch_failures.send_policy_json
  }

  log = {
    retention_days = var.observability.log_retention_days
    kms_key_arn    = var.kms_key_arn
  }
}

module "queue" {
  source = "../fifo-queue-with-dlq"

  name                     = var.name
  high_throughput          = var.queue.high_throughput
  consumer_timeout_seconds = var.consumer.timeout_seconds
  queue                    = { retention_seconds = var.queue.retention_seconds }
  dead_letter_queue        = { maximum_receive_count = var.queue.maximum_receive_count }
  encryption               = { kms_key_arn = var.kms_key_arn }
  tags                     = var.tags

  # What sends from here runs outside of any VPC.
  access = {
    vpc_endpoint_ids     = var.queue.vpc_endpoint_ids
    vpc_exempt_role_arns = [for name in concat([module.dispatcher.function.role_name], module.auditor[*].function.role_name, module.redriver[*].function.role_name) : "${local.role_arn_prefix}/${name}"]
  }

  consumer = {
    function            = module.consumer.function
    batch_size          = var.consumer.batch_size
    maximum_concurrency = var.consumer.maximum_concurrency
    enabled             = var.consumer.enabled
  }
}

module "consumer" {
  source = "../python-function"

  name                 = local.consumer_name
  description          = "Applies the effect of each message of the job ${var.job} once."
  package              = { path = var.consumer.package, handler = var.consumer.handler }
  memory_mb            = var.consumer.memory_mb
  timeout_seconds      = var.consumer.timeout_seconds
  reserved_concurrency = var.consumer.reserved_concurrency
  log                  = local.log
  tags                 = var.tags

  environment_kms_key_arn  = var.kms_key_arn
  permissions_boundary_arn = var.permissions_boundary_arn
  policies                 = { effects = data.aws_iam_policy_document.consumer.json }

  environment = merge(
    local.common_environment,
    {
      DLQ_URL        = module.queue.dead_letter_queue.url
      MAX_ATTEMPTS   = tostring(var.consumer.max_attempts)
      MAX_DELIVERIES = tostring(var.consumer.max_deliveries)
      ON_QUARANTINE  = var.consumer.on_quarantine
      BATCH_THREADS  = tostring(var.consumer.threads)
    },
    # A lease ends just after the invocation that holds it.
    var.consumer.payment_endpoint == null ? {} : {
      PAYMENT_ENDPOINT = var.consumer.payment_endpoint
      LEASE_SECONDS    = tostring(var.consumer.timeout_seconds + 1)
    },
    var.tables.idempotency == null ? {} : { IDEMPOTENCY_TABLE = var.tables.idempotency.name },
  )
}

module "dispatch_failures" {
  source = "../failure-queue"

  name        = "${var.name}-dispatch-failures"
  kms_key_arn = var.kms_key_arn
  tags        = var.tags
}

module "dispatcher" {
  source = "../python-function"

  name            = local.dispatcher_name
  description     = "Enumerates the job ${var.job} and sends a message for each employee."
  package         = { path = var.dispatcher.package, handler = var.dispatcher.handler }
  memory_mb       = var.dispatcher.memory_mb
  timeout_seconds = var.dispatcher.timeout_seconds
  log             = local.log
  tags            = var.tags

  environment_kms_key_arn  = var.kms_key_arn
  permissions_boundary_arn = var.permissions_boundary_arn
  policies = {
    dispatch = data.aws_iam_policy_document.dispatcher.json
    produce  = module.queue.producer_policy_json
  }

  # A directory may take more invocations than Lambda lets a function chain by itself.
  asynchronous = merge(local.asynchronous, { invokes_itself = true })
  environment  = local.sending_environment
}

locals {
  dispatch_schedule = {
    function_arn            = module.dispatcher.function.arn
    description             = "Starts the job ${var.job}."
    expression              = var.schedule.expression
    timezone                = var.schedule.timezone
    flexible_window_minutes = var.schedule.flexible_window_minutes
    enabled                 = var.schedule.enabled
    input                   = { job = var.job }
  }
}

module "schedule" {
  source = "../scheduler-fanout"

  name                     = var.name
  kms_key_arn              = var.kms_key_arn
  permissions_boundary_arn = var.permissions_boundary_arn
  tags                     = var.tags

  schedules = merge({ dispatch = local.dispatch_schedule }, local.audit_schedules, local.redrive_schedules)
}
