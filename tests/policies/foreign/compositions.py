"""Compositions as teams make them of well-known public modules, from what those modules document.

Written here from the modules' documented inputs and the resources that they are known to make: defaults that
the caller did not change, arguments that a tutorial shows. No line of theirs is copied.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.policies.support.stack import ACCOUNT, Json, Policy, Res

REGION = "ap-northeast-1"


@dataclass
class Composition:
    """Resources by module, as they are added."""

    resources: list[Res] = field(default_factory=list)
    modules: dict[str, str] = field(default_factory=dict)

    def add(self, module: str, kind: str, name: str, index: int | str | None = 0, /, **values: Any) -> Res:
        """A resource of a module; most public modules make theirs with `count`."""
        resource = Res(kind, name, values, index=index)
        self.resources.append(resource)
        self.modules[resource.label + repr(index)] = module
        return resource

    def module_of(self, resource: Res) -> str:
        return self.modules.get(resource.label + repr(resource.index), "")


def trust(*services: str, **condition: Any) -> Policy:
    statement: dict[str, Any] = {
        "Effect": "Allow",
        "Action": "sts:AssumeRole",
        "Principal": {"Service": list(services)},
    }
    return Policy([{**statement, **({"Condition": condition} if condition else {})}])


def add_lambda(made: Composition, module: str, name: str, **more: Any) -> Res:
    """A function as a Lambda module makes it: role, log group that never ends, policy for logs."""
    log = made.add(
        module, "aws_cloudwatch_log_group", "lambda", name=f"/aws/lambda/{name}", retention_in_days=0
    )
    role = made.add(
        module, "aws_iam_role", "lambda", name=name, assume_role_policy=trust("lambda.amazonaws.com")
    )
    logs = {
        "Effect": "Allow",
        "Action": ["logs:CreateLogStream", "logs:PutLogEvents"],
        "Resource": f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:/aws/lambda/{name}:*",
    }
    policy = made.add(module, "aws_iam_policy", "logs", name=f"{name}-logs", policy=Policy([logs]))
    attachment = made.add(
        module, "aws_iam_role_policy_attachment", "logs", role=role.ref("name"), policy_arn=policy.ref()
    )
    function = made.add(
        module,
        "aws_lambda_function",
        "this",
        function_name=name,
        role=role.ref(),
        timeout=3,
        memory_size=128,
        reserved_concurrent_executions=-1,
        environment=[],
        **more,
    )
    function.depends_on += [log, attachment]
    return function


def may_read_queues(made: Composition, module: str) -> None:
    """Attach AWS's own policy for functions that read queues to a module's role."""
    role = next(r for r in made.resources if r.type == "aws_iam_role" and made.module_of(r) == module)
    made.add(
        module,
        "aws_iam_role_policy_attachment",
        "additional_one",
        role=role.ref("name"),
        policy_arn="arn:aws:iam::aws:policy/service-role/AWSLambdaSQSQueueExecutionRole",
    )


def fifo_queue_with_dlq_of_a_general_queue_module() -> Composition:
    """A queue module with `fifo_queue` and `create_dlq`: the DLQ inherits the retention."""
    made = Composition()
    common = {"fifo_queue": True, "sqs_managed_sse_enabled": True, "visibility_timeout_seconds": 30}
    kept = {
        "message_retention_seconds": 345600,
        "receive_wait_time_seconds": 0,
        "content_based_deduplication": True,
    }
    queue = made.add("sqs", "aws_sqs_queue", "this", name="orders.fifo", **common, **kept)
    dead = made.add("sqs", "aws_sqs_queue", "dlq", name="orders-dlq.fifo", **common, **kept)
    made.add(
        "sqs",
        "aws_sqs_queue_redrive_policy",
        "this",
        queue_url=queue.ref("url"),
        redrive_policy=Json({"deadLetterTargetArn": dead.ref(), "maxReceiveCount": 10}),
    )
    made.add(
        "sqs",
        "aws_sqs_queue_redrive_allow_policy",
        "dlq",
        queue_url=dead.ref("url"),
        redrive_allow_policy=Json({"redrivePermission": "byQueue", "sourceQueueArns": [queue.ref()]}),
    )
    return made


def function_fed_by_a_queue_of_another_module() -> Composition:
    """A queue module's queue in a function module's `event_source_mapping`, as examples show it."""
    made = Composition()
    queue = made.add(
        "queue",
        "aws_sqs_queue",
        "this",
        name="jobs",
        visibility_timeout_seconds=30,
        message_retention_seconds=345600,
        receive_wait_time_seconds=0,
        sqs_managed_sse_enabled=True,
    )
    function = add_lambda(made, "lambda", "worker")
    made.add(
        "lambda",
        "aws_lambda_event_source_mapping",
        "this",
        "sqs",
        event_source_arn=queue.ref(),
        function_name=function.ref(),
        batch_size=10,
        function_response_types=None,
        scaling_config=[{"maximum_concurrency": 20}],
    )
    may_read_queues(made, "lambda")
    return made


def schedules_of_an_event_bus_module() -> Composition:
    """`schedules` of an EventBridge module: one role that trusts the services, without conditions; no DLQ."""
    made = Composition()
    function = add_lambda(made, "lambda", "monthly")
    group = made.add("eventbridge", "aws_scheduler_schedule_group", "this", "prod", name="prod")
    role = made.add(
        "eventbridge",
        "aws_iam_role",
        "eventbridge",
        name="eventbridge",
        assume_role_policy=trust("events.amazonaws.com", "scheduler.amazonaws.com"),
    )
    invoke = {"Effect": "Allow", "Action": "lambda:InvokeFunction", "Resource": [function.ref()]}
    policy = made.add("eventbridge", "aws_iam_policy", "lambda", name="invoke", policy=Policy([invoke]))
    made.add(
        "eventbridge",
        "aws_iam_role_policy_attachment",
        "lambda",
        role=role.ref("name"),
        policy_arn=policy.ref(),
    )
    made.add(
        "eventbridge",
        "aws_scheduler_schedule",
        "this",
        "monthly-cron",
        name="monthly-cron",
        group_name=group.ref("name"),
        schedule_expression="cron(0 3 1 * ? *)",
        schedule_expression_timezone="Asia/Tokyo",
        flexible_time_window=[{"mode": "OFF"}],
        target=[
            {
                "arn": function.ref(),
                "role_arn": role.ref(),
                "input": '{"time":"\\u003caws.scheduler.scheduled-time\\u003e"}',
                "dead_letter_config": [],
                "retry_policy": [],
            }
        ],
    )
    return made


def topic_that_fans_out_to_queues() -> Composition:
    """A topic module with `subscriptions` to a queue, the key of tutorials, and an open topic policy."""
    made = Composition()
    queue = made.add(
        "audit",
        "aws_sqs_queue",
        "this",
        name="audit",
        visibility_timeout_seconds=30,
        message_retention_seconds=1209600,
        receive_wait_time_seconds=20,
        sqs_managed_sse_enabled=True,
    )
    topic = made.add("sns", "aws_sns_topic", "this", name="events", kms_master_key_id="alias/aws/sns")
    publish = {
        "Sid": "pub",
        "Effect": "Allow",
        "Principal": {"AWS": "*"},
        "Action": ["sns:Publish", "sns:Subscribe"],
        "Resource": topic.ref(),
    }
    made.add("sns", "aws_sns_topic_policy", "this", arn=topic.ref(), policy=Policy([publish]))
    made.add(
        "sns",
        "aws_sns_topic_subscription",
        "this",
        "audit",
        topic_arn=topic.ref(),
        protocol="sqs",
        endpoint=queue.ref(),
        raw_message_delivery=True,
    )
    send = {
        "Sid": "sns",
        "Effect": "Allow",
        "Principal": {"Service": "sns.amazonaws.com"},
        "Action": "sqs:SendMessage",
        "Resource": queue.ref(),
        "Condition": {"ArnEquals": {"aws:SourceArn": topic.ref()}},
    }
    made.add("audit", "aws_sqs_queue_policy", "this", queue_url=queue.ref("url"), policy=Policy([send]))
    made.add(
        "alarm",
        "aws_cloudwatch_metric_alarm",
        "this",
        alarm_name="audit-depth",
        namespace="AWS/SQS",
        metric_name="ApproximateNumberOfMessagesVisible",
        dimensions={"QueueName": queue.ref("name")},
        comparison_operator="GreaterThanThreshold",
        threshold=1000,
        period=60,
        evaluation_periods=5,
        treat_missing_data="notBreaching",
        alarm_actions=[topic.ref()],
    )
    return made


def alarms_of_an_alarm_module_on_a_dead_letter_queue() -> Composition:
    """A metric-alarm module called for a DLQ as blog posts do: messages sent, no missing-data rule."""
    made = Composition()
    dead = made.add(
        "sqs",
        "aws_sqs_queue",
        "dlq",
        name="orders-dlq.fifo",
        fifo_queue=True,
        message_retention_seconds=1209600,
        receive_wait_time_seconds=20,
        visibility_timeout_seconds=30,
        sqs_managed_sse_enabled=True,
    )
    queue = made.add(
        "sqs",
        "aws_sqs_queue",
        "this",
        name="orders.fifo",
        fifo_queue=True,
        message_retention_seconds=345600,
        receive_wait_time_seconds=20,
        visibility_timeout_seconds=30,
        sqs_managed_sse_enabled=True,
    )
    made.add(
        "sqs",
        "aws_sqs_queue_redrive_policy",
        "this",
        queue_url=queue.ref("url"),
        redrive_policy=Json({"deadLetterTargetArn": dead.ref(), "maxReceiveCount": "3"}),
    )
    for module, metric, name in (
        ("sent", "NumberOfMessagesSent", "orders-dlq.fifo"),
        ("visible", "ApproximateNumberOfMessagesVisible", "orders-dlq"),
    ):
        made.add(
            module,
            "aws_cloudwatch_metric_alarm",
            "this",
            module,
            alarm_name=f"dlq-{module}",
            namespace="AWS/SQS",
            metric_name=metric,
            dimensions={"QueueName": name},
            comparison_operator="GreaterThanOrEqualToThreshold",
            threshold=1,
            period=60,
            evaluation_periods=1,
            treat_missing_data="missing",
            alarm_actions=[f"arn:aws:sns:{REGION}:{ACCOUNT}:alerts"],
        )
    return made


def webhook_queue_of_a_runner_module() -> Composition:
    """A runners module: TLS-only queues written twice, a visibility of 30 s before a 60 s function."""
    made = Composition()
    dead = made.add(
        "runners",
        "aws_sqs_queue",
        "queued_builds_dlq",
        name="builds-dlq",
        message_retention_seconds=345600,
        receive_wait_time_seconds=0,
        visibility_timeout_seconds=30,
        sqs_managed_sse_enabled=True,
    )
    queue = made.add(
        "runners",
        "aws_sqs_queue",
        "queued_builds",
        name="builds",
        message_retention_seconds=86400,
        receive_wait_time_seconds=0,
        visibility_timeout_seconds=30,
        sqs_managed_sse_enabled=True,
        redrive_policy=Json({"deadLetterTargetArn": dead.ref(), "maxReceiveCount": 1}),
    )
    for name, target in (("webhook", queue), ("build_queue", queue), ("build_queue_dlq", dead)):
        deny = {
            "Sid": "DenyUnsecureTransport",
            "Effect": "Deny",
            "Principal": {"AWS": "*"},
            "Action": "sqs:*",
            "Resource": target.ref(),
            "Condition": {"Bool": {"aws:SecureTransport": "false"}},
        }
        made.add("runners", "aws_sqs_queue_policy", name, queue_url=target.ref("url"), policy=Policy([deny]))
    function = add_lambda(made, "runners", "scale-up")
    may_read_queues(made, "runners")
    function.values |= {"timeout": 60, "reserved_concurrent_executions": 1}
    made.add(
        "runners",
        "aws_lambda_event_source_mapping",
        "scale_up",
        event_source_arn=queue.ref(),
        function_name=function.ref(),
        batch_size=1,
        function_response_types=["ReportBatchItemFailures"],
    )
    return made


def rule_that_invokes_a_function() -> Composition:
    """A scheduled-function module: a rule, a permission without a source, a role with wide rights."""
    made = Composition()
    function = add_lambda(made, "cron", "nightly")
    rule = made.add(
        "cron", "aws_cloudwatch_event_rule", "this", name="nightly", schedule_expression="rate(1 day)"
    )
    made.add("cron", "aws_cloudwatch_event_target", "this", rule=rule.ref("name"), arn=function.ref())
    made.add(
        "cron",
        "aws_lambda_permission",
        "this",
        function_name=function.ref("function_name"),
        action="lambda:InvokeFunction",
        principal="events.amazonaws.com",
    )
    role = next(resource for resource in made.resources if resource.type == "aws_iam_role")
    wide = {"Effect": "Allow", "Action": ["dynamodb:*", "sqs:SendMessage"], "Resource": "*"}
    made.add("cron", "aws_iam_role_policy", "additional_json", role=role.ref("name"), policy=Policy([wide]))
    return made


def topic_with_its_own_dead_letter_queue() -> Composition:
    """A topic module with `sqs_dlq_enabled`: customer key without CloudWatch, queue policy for any source."""
    made = Composition()
    root = {
        "Sid": "root",
        "Effect": "Allow",
        "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"},
        "Action": "kms:*",
        "Resource": "*",
    }
    key = made.add("kms", "aws_kms_key", "default", description="sns", policy=Policy([root]))
    topic = made.add("sns", "aws_sns_topic", "this", name="alerts", kms_master_key_id=key.ref("key_id"))
    dead = made.add(
        "sns",
        "aws_sqs_queue",
        "dead_letter_queue",
        name="alerts-dlq",
        message_retention_seconds=1209600,
        receive_wait_time_seconds=0,
        visibility_timeout_seconds=30,
        kms_master_key_id="alias/aws/sqs",
    )
    send = {
        "Effect": "Allow",
        "Principal": {"Service": "sns.amazonaws.com"},
        "Action": "SQS:SendMessage",
        "Resource": dead.ref(),
    }
    made.add("sns", "aws_sqs_queue_policy", "default", queue_url=dead.ref("url"), policy=Policy([send]))
    made.add(
        "sns",
        "aws_sns_topic_subscription",
        "this",
        "ops",
        topic_arn=topic.ref(),
        protocol="email",
        endpoint="ops@example.com",
        redrive_policy=Json({"deadLetterTargetArn": dead.ref()}),
    )
    made.add(
        "alarm",
        "aws_cloudwatch_metric_alarm",
        "this",
        alarm_name="errors",
        namespace="AWS/Lambda",
        metric_name="Errors",
        dimensions={"FunctionName": "worker"},
        comparison_operator="GreaterThanThreshold",
        threshold=0,
        period=86400,
        evaluation_periods=31,
        treat_missing_data="notBreaching",
        alarm_actions=[topic.ref()],
    )
    return made


def consumer_with_filter_and_log_of_events() -> Composition:
    """A serverless-application module's consumer: FIFO with a window, a filter, events logged."""
    made = Composition()
    queue = made.add(
        "app",
        "aws_sqs_queue",
        "events",
        "charges",
        name="charges.fifo",
        fifo_queue=True,
        fifo_throughput_limit="perMessageGroupId",
        message_retention_seconds=345600,
        receive_wait_time_seconds=20,
        visibility_timeout_seconds=900,
        sqs_managed_sse_enabled=True,
    )
    function = add_lambda(made, "app", "charges")
    may_read_queues(made, "app")
    function.values |= {
        "timeout": 30,
        "reserved_concurrent_executions": 5,
        "environment": [{"variables": {"POWERTOOLS_LOGGER_LOG_EVENT": "true"}}],
    }
    made.add(
        "app",
        "aws_lambda_event_source_mapping",
        "this",
        "charges",
        event_source_arn=queue.ref(),
        function_name=function.ref(),
        batch_size=25,
        maximum_batching_window_in_seconds=5,
        function_response_types=["ReportBatchItemFailures"],
        filter_criteria=[{"filter": [{"pattern": '{"body":{"schema_version":[1]}}'}]}],
        scaling_config=[{"maximum_concurrency": 50}],
    )
    return made


COMPOSITIONS: tuple[Callable[[], Composition], ...] = (
    fifo_queue_with_dlq_of_a_general_queue_module,
    function_fed_by_a_queue_of_another_module,
    schedules_of_an_event_bus_module,
    topic_that_fans_out_to_queues,
    alarms_of_an_alarm_module_on_a_dead_letter_queue,
    webhook_queue_of_a_runner_module,
    rule_that_invokes_a_function,
    topic_with_its_own_dead_letter_queue,
    consumer_with_filter_and_log_of_events,
)
