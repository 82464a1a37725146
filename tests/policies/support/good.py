"""A composition in which every rule is kept; each case breaks or hides one thing of it."""

from __future__ import annotations

from typing import Any

from tests.policies.support.stack import ACCOUNT, Json, Policy, Ref, Res

Stack = dict[str, Res]


def deny_plain_http(queue: Res) -> dict[str, Any]:
    return {
        "Sid": "DenyInsecureTransport",
        "Effect": "Deny",
        "Principal": "*",
        "Action": "sqs:*",
        "Resource": queue.ref(),
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }


def trust(service: str, **conditions: Any) -> Policy:
    statement: dict[str, Any] = {
        "Effect": "Allow",
        "Principal": {"Service": service},
        "Action": "sts:AssumeRole",
    }
    if conditions:
        statement["Condition"] = conditions
    return Policy([statement])


def allow(actions: list[str], *resources: Ref | str) -> Policy:
    return Policy([{"Sid": "Use", "Effect": "Allow", "Action": actions, "Resource": list(resources)}])


def alarm(name: str, namespace: str, metric: str, dimensions: dict[str, Any], topic: Res) -> Res:
    return Res(
        "aws_cloudwatch_metric_alarm",
        name.replace("-", "_"),
        {
            "alarm_name": name,
            "namespace": namespace,
            "metric_name": metric,
            "dimensions": dimensions,
            "statistic": "Maximum",
            "comparison_operator": "GreaterThanOrEqualToThreshold",
            "threshold": 1,
            "period": 60,
            "evaluation_periods": 1,
            "treat_missing_data": "notBreaching",
            "alarm_actions": [topic.ref()],
        },
    )


def good(suffix: str = "") -> Stack:
    """The composition, with names that end in `suffix`, by a short name for each resource."""
    stack: Stack = {}
    _keys_and_topics(stack, suffix)
    _queues(stack, suffix)
    _functions(stack, suffix)
    _schedule(stack, suffix)
    _senders(stack, suffix)
    _alarms(stack, suffix)
    for name in [name for name in stack if stack[name].type == "aws_cloudwatch_metric_alarm"]:
        stack[name].name = name  # the same label whatever the suffix
    return stack


def _queue(name: str, resource: str, *, fifo: bool, retention: int, visibility: int, **more: Any) -> Res:
    return Res(
        "aws_sqs_queue",
        resource,
        {
            "name": f"{name}.fifo" if fifo else name,
            "fifo_queue": fifo,
            "content_based_deduplication": False,
            "message_retention_seconds": retention,
            "visibility_timeout_seconds": visibility,
            "receive_wait_time_seconds": 20,
            "sqs_managed_sse_enabled": True,
            **more,
        },
    )


def _keys_and_topics(stack: Stack, suffix: str) -> None:
    stack["key"] = Res(
        "aws_kms_key",
        "alerts",
        {
            "description": "Alerts and intake.",
            "key_id": f"1234abcd-12ab-34cd-56ef-1234567890{suffix or 'ab':0>2}",
            "policy": Policy(
                [
                    {
                        "Sid": "Account",
                        "Effect": "Allow",
                        "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"},
                        "Action": "kms:*",
                        "Resource": "*",
                    },
                    {
                        "Sid": "CloudWatch",
                        "Effect": "Allow",
                        "Principal": {"Service": "cloudwatch.amazonaws.com"},
                        "Action": ["kms:Decrypt", "kms:GenerateDataKey*"],
                        "Resource": "*",
                        "Condition": {"StringEquals": {"aws:SourceAccount": ACCOUNT}},
                    },
                    {
                        "Sid": "Senders",
                        "Effect": "Allow",
                        "Principal": {"Service": ["events.amazonaws.com", "sns.amazonaws.com"]},
                        "Action": ["kms:Decrypt", "kms:GenerateDataKey"],
                        "Resource": "*",
                        "Condition": {"StringEquals": {"aws:SourceAccount": ACCOUNT}},
                    },
                ]
            ),
        },
    )
    stack["topic"] = Res(
        "aws_sns_topic", "alerts", {"name": f"alerts{suffix}", "kms_master_key_id": stack["key"].ref("arn")}
    )
    stack["events_topic"] = Res("aws_sns_topic", "events", {"name": f"events{suffix}"})


def _queues(stack: Stack, suffix: str) -> None:
    dead = stack["dlq"] = _queue(
        f"charge-dlq{suffix}", "dead_letter", fifo=True, retention=1209600, visibility=360
    )
    queue = stack["queue"] = _queue(f"charge{suffix}", "this", fifo=True, retention=345600, visibility=360)
    queue.values |= {"deduplication_scope": "messageGroup", "fifo_throughput_limit": "perMessageGroupId"}
    stack["redrive"] = Res(
        "aws_sqs_queue_redrive_policy",
        "this",
        {
            "queue_url": queue.ref("url"),
            "redrive_policy": Json({"deadLetterTargetArn": dead.ref(), "maxReceiveCount": 10}),
        },
    )
    stack["redrive_allow"] = Res(
        "aws_sqs_queue_redrive_allow_policy",
        "dead_letter",
        {
            "queue_url": dead.ref("url"),
            "redrive_allow_policy": Json({"redrivePermission": "byQueue", "sourceQueueArns": [queue.ref()]}),
        },
    )
    failures = stack["failures"] = _queue(
        f"failures{suffix}", "failures", fifo=False, retention=1209600, visibility=30
    )
    intake = stack["intake"] = _queue(
        f"intake{suffix}", "intake", fifo=False, retention=345600, visibility=30
    )
    del intake.values["sqs_managed_sse_enabled"]
    intake.values["kms_master_key_id"] = stack["key"].ref("arn")
    intake.values["redrive_policy"] = Json({"deadLetterTargetArn": failures.ref(), "maxReceiveCount": 5})
    failures.values["redrive_allow_policy"] = Json(
        {
            "redrivePermission": "byQueue",
            "sourceQueueArns": [f"arn:aws:sqs:ap-northeast-1:{ACCOUNT}:intake{suffix}"],
        }
    )
    for name, owner in (("queue", queue), ("dlq", dead)):
        stack[f"{name}_policy"] = Res(
            "aws_sqs_queue_policy",
            owner.name,
            {"queue_url": owner.ref("url"), "policy": Policy([deny_plain_http(owner)])},
        )


def _functions(stack: Stack, suffix: str) -> None:
    queue, dead = stack["queue"], stack["dlq"]
    for name, timeout in (("consumer", 60), ("dispatcher", 300)):
        role = stack[f"{name}_role"] = Res(
            "aws_iam_role",
            name,
            {"name": f"{name}{suffix}", "assume_role_policy": trust("lambda.amazonaws.com")},
        )
        log = stack[f"{name}_log"] = Res(
            "aws_cloudwatch_log_group", name, {"name": f"/aws/lambda/{name}{suffix}", "retention_in_days": 30}
        )
        stack[name] = Res(
            "aws_lambda_function",
            name,
            {
                "function_name": f"{name}{suffix}",
                "role": role.ref(),
                "timeout": timeout,
                "reserved_concurrent_executions": 20 if name == "consumer" else -1,
                "environment": [{"variables": {"MAX_ATTEMPTS": "5"}}],
            },
            depends_on=[log],
        )
    stack["consumer_policy"] = Res(
        "aws_iam_role_policy",
        "consumer",
        {
            "role": stack["consumer_role"].ref("name"),
            "policy": allow(
                ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"], queue.ref(), dead.ref()
            ),
        },
    )
    stack["mapping"] = Res(
        "aws_lambda_event_source_mapping",
        "this",
        {
            "event_source_arn": queue.ref(),
            "function_name": stack["consumer"].ref(),
            "batch_size": 10,
            "function_response_types": ["ReportBatchItemFailures"],
            "scaling_config": [{"maximum_concurrency": 10}],
            "metrics_config": [{"metrics": ["EventCount"]}],
            "region": "ap-northeast-1",
        },
        depends_on=[stack["consumer_policy"]],
    )
    for name in ("queue", "consumer"):
        stack[name].values["region"] = "ap-northeast-1"
    stack["invoke_config"] = Res(
        "aws_lambda_function_event_invoke_config",
        "dispatcher",
        {
            "function_name": stack["dispatcher"].ref("function_name"),
            "maximum_retry_attempts": 2,
            "destination_config": [{"on_failure": [{"destination": stack["failures"].ref()}]}],
        },
    )
    stack["permission"] = Res(
        "aws_lambda_permission",
        "upload",
        {
            "function_name": stack["dispatcher"].ref("function_name"),
            "action": "lambda:InvokeFunction",
            "principal": "s3.amazonaws.com",
            "source_arn": f"arn:aws:s3:::uploads{suffix}",
            "source_account": ACCOUNT,
        },
    )


def _schedule(stack: Stack, suffix: str) -> None:
    group = stack["group"] = Res("aws_scheduler_schedule_group", "this", {"name": f"charge{suffix}"})
    role = stack["schedule_role"] = Res(
        "aws_iam_role",
        "schedule",
        {
            "name": f"schedule{suffix}",
            "assume_role_policy": trust(
                "scheduler.amazonaws.com",
                StringEquals={"aws:SourceAccount": ACCOUNT, "aws:SourceArn": group.ref()},
            ),
        },
    )
    stack["schedule_policy"] = Res(
        "aws_iam_role_policy",
        "schedule",
        {
            "role": role.ref("name"),
            "policy": Policy(
                [
                    {
                        "Sid": "Invoke",
                        "Effect": "Allow",
                        "Action": "lambda:InvokeFunction",
                        "Resource": stack["dispatcher"].ref(),
                    },
                    {
                        "Sid": "Report",
                        "Effect": "Allow",
                        "Action": "sqs:SendMessage",
                        "Resource": stack["failures"].ref(),
                    },
                ]
            ),
        },
    )
    stack["schedule"] = Res(
        "aws_scheduler_schedule",
        "this",
        {
            "name": f"charge{suffix}",
            "group_name": group.ref("name"),
            "schedule_expression": "cron(0 3 1 * ? *)",
            "schedule_expression_timezone": "Asia/Tokyo",
            "target": [
                {
                    "arn": stack["dispatcher"].ref(),
                    "role_arn": role.ref(),
                    "input": '{"scheduled_time":"<aws.scheduler.scheduled-time>"}',
                    "retry_policy": [{"maximum_retry_attempts": 185, "maximum_event_age_in_seconds": 86400}],
                    "dead_letter_config": [{"arn": stack["failures"].ref()}],
                }
            ],
        },
    )


def _senders(stack: Stack, suffix: str) -> None:
    intake = stack["intake"]
    stack["rule"] = Res("aws_cloudwatch_event_rule", "orders", {"name": f"orders{suffix}"})
    stack["rule_target"] = Res(
        "aws_cloudwatch_event_target",
        "orders",
        {
            "rule": stack["rule"].ref("name"),
            "arn": intake.ref(),
            "dead_letter_config": [{"arn": stack["failures"].ref()}],
        },
    )
    stack["subscription"] = Res(
        "aws_sns_topic_subscription",
        "intake",
        {
            "topic_arn": stack["events_topic"].ref(),
            "protocol": "sqs",
            "endpoint": intake.ref(),
            "redrive_policy": Json({"deadLetterTargetArn": stack["failures"].ref()}),
        },
    )
    for name in ("intake", "failures"):
        queue = stack[name]
        stack[f"{name}_policy"] = Res(
            "aws_sqs_queue_policy",
            queue.name,
            {
                "queue_url": queue.ref("url"),
                "policy": Policy(
                    [
                        deny_plain_http(queue),
                        *(
                            {
                                "Sid": sid,
                                "Effect": "Allow",
                                "Principal": {"Service": service},
                                "Action": "sqs:SendMessage",
                                "Resource": queue.ref(),
                                "Condition": {"ArnLike": {"aws:SourceArn": source.ref()}},
                            }
                            for sid, service, source in (
                                ("Rule", "events.amazonaws.com", stack["rule"]),
                                ("Topic", "sns.amazonaws.com", stack["events_topic"]),
                            )
                        ),
                    ]
                ),
            },
        )
    stack["producer_role"] = Res(
        "aws_iam_role",
        "producer",
        {"name": f"producer{suffix}", "assume_role_policy": trust("lambda.amazonaws.com")},
    )
    stack["producer_policy"] = Res(
        "aws_iam_role_policy",
        "producer",
        {
            "role": stack["producer_role"].ref("name"),
            "policy": Policy(
                [
                    {"Sid": "Send", "Effect": "Allow", "Action": "sqs:SendMessage", "Resource": intake.ref()},
                    {
                        "Sid": "Key",
                        "Effect": "Allow",
                        "Action": ["kms:Decrypt", "kms:GenerateDataKey"],
                        "Resource": stack["key"].ref(),
                    },
                ]
            ),
        },
    )


def _alarms(stack: Stack, suffix: str) -> None:
    topic = stack["topic"]
    for name, metric, owner in (
        ("dlq_alarm", "ApproximateNumberOfMessagesVisible", "dlq"),
        ("failures_alarm", "ApproximateNumberOfMessagesVisible", "failures"),
        ("age_alarm", "ApproximateAgeOfOldestMessage", "queue"),
    ):
        dimensions = {"QueueName": stack[owner].ref("name")}
        stack[name] = alarm(f"{name}{suffix}", "AWS/SQS", metric, dimensions, topic)
    stack["schedule_alarm"] = alarm(
        f"schedule_alarm{suffix}",
        "AWS/Scheduler",
        "TargetErrorCount",
        {"ScheduleGroup": stack["group"].ref("name")},
        topic,
    )
    stack["composite"] = Res(
        "aws_cloudwatch_composite_alarm",
        "broken",
        {
            "alarm_name": f"charging-is-broken{suffix}",
            "alarm_rule": f'ALARM("dlq_alarm{suffix}") OR ALARM("schedule_alarm{suffix}")',
            "alarm_actions": [topic.ref()],
        },
    )
