"""Pages that rules refer to."""

_SQS = "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide"
_LAMBDA = "https://docs.aws.amazon.com/lambda/latest/dg"
_SCHEDULER = "https://docs.aws.amazon.com/scheduler/latest/UserGuide"
_IAM = "https://docs.aws.amazon.com/IAM/latest/UserGuide"
_CLOUDWATCH = "https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring"

SQS_DLQ = f"{_SQS}/sqs-dead-letter-queues.html"
SQS_ENCRYPTION = f"{_SQS}/sqs-server-side-encryption.html"
SQS_FIFO_THROUGHPUT = f"{_SQS}/high-throughput-fifo.html"
SQS_KEYS = f"{_SQS}/sqs-key-management.html"
SQS_METRICS = f"{_SQS}/sqs-available-cloudwatch-metrics.html"
SQS_POLLING = f"{_SQS}/sqs-short-and-long-polling.html"
SQS_QUOTAS = f"{_SQS}/quotas-queues.html"
SQS_SECURITY = f"{_SQS}/sqs-security-best-practices.html"
SQS_DEDUPLICATION = f"{_SQS}/using-messagededuplicationid-property.html"

LAMBDA_ASYNC = f"{_LAMBDA}/invocation-async-retain-records.html"
LAMBDA_FILTER = f"{_LAMBDA}/invocation-eventfiltering.html"
LAMBDA_LOGS = f"{_LAMBDA}/monitoring-cloudwatchlogs.html"
LAMBDA_MAPPING_METRICS = f"{_LAMBDA}/monitoring-metrics-types.html"
LAMBDA_PERMISSION = f"{_LAMBDA}/permissions-function-services.html"
LAMBDA_SQS = f"{_LAMBDA}/services-sqs-configure.html"
LAMBDA_SQS_ERRORS = f"{_LAMBDA}/services-sqs-errorhandling.html"
LAMBDA_SQS_PARAMETERS = f"{_LAMBDA}/services-sqs-parameters.html"
LAMBDA_SQS_SCALING = f"{_LAMBDA}/services-sqs-scaling.html"

SCHEDULER_CONTEXT = f"{_SCHEDULER}/managing-schedule-context-attributes.html"
SCHEDULER_DEPUTY = f"{_SCHEDULER}/cross-service-confused-deputy-prevention.html"
SCHEDULER_DLQ = f"{_SCHEDULER}/configuring-schedule-dlq.html"
SCHEDULER_MANAGE = f"{_SCHEDULER}/managing-schedule.html"
SCHEDULER_METRICS = f"{_SCHEDULER}/monitoring-cloudwatch.html"
SCHEDULER_TYPES = f"{_SCHEDULER}/schedule-types.html"

EVENTS_TARGETS = "https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-targets.html"
SNS_DLQ = "https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html"
SNS_POLICIES = "https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html"
SNS_KEYS = "https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html"

IAM_CONDITIONS = f"{_IAM}/reference_policies_elements_condition_operators.html"
IAM_DEPUTY = f"{_IAM}/confused-deputy.html"
IAM_NOT = f"{_IAM}/reference_policies_elements_notaction.html"
IAM_PRACTICE = f"{_IAM}/best-practices.html"
IAM_PRINCIPAL = f"{_IAM}/reference_policies_elements_principal.html"
IAM_VERSION = f"{_IAM}/reference_policies_elements_version.html"

TERRAFORM_MOVED = "https://developer.hashicorp.com/terraform/language/modules/develop/refactoring"
TERRAFORM_REMOVED = "https://developer.hashicorp.com/terraform/language/resources/syntax#removing-resources"

ALARM_ACTIONS = f"{_CLOUDWATCH}/alarm-actions.html"
ALARM_LIMITS = "https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html"
ALARM_MISSING_DATA = f"{_CLOUDWATCH}/alarms-and-missing-data.html"
DYNAMODB_METRICS = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html"

POWERTOOLS_LOGGER = "https://docs.aws.amazon.com/powertools/python/latest/core/logger/"
PROVIDER_REGION = (
    "https://registry.terraform.io/providers/hashicorp/aws/latest/docs/guides/enhanced-region-support"
)
PROVIDER_MAPPING = (
    "https://registry.terraform.io/providers/hashicorp/aws/latest/docs/resources/lambda_event_source_mapping"
)
PROVIDER_QUEUE_POLICY = (
    "https://registry.terraform.io/providers/hashicorp/aws/latest/docs/resources/sqs_queue_policy"
)
PROVIDER_REDRIVE = (
    "https://registry.terraform.io/providers/hashicorp/aws/latest/docs/resources/sqs_queue_redrive_policy"
)
