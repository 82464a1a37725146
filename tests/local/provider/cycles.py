"""What the cycle test does to each resource type, and how to tell that nothing is left."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Client = Callable[[str], Any]
State = Mapping[str, Any]  # attributes of one resource, as in the state
Mutation = Callable[[Client, State], object]


@dataclass(frozen=True)
class Cycle:
    """One root below `roots/`.

    `drift`: by address, a change made behind Terraform's back. `import_id`: the id to import an address by,
    where it is not `id`. `after_import`: addresses with arguments that no API reports, so that an import
    leaves a difference, as it does with the genuine provider. `left`: the names that should be gone after a
    destroy.
    """

    root: str
    drift: Mapping[str, Mutation]
    left: Callable[[Client], list[str]]
    import_id: Mapping[str, Callable[[State], str]] = field(default_factory=dict)
    after_import: frozenset[str] = frozenset()


def _queue_attribute(name: str, value: str) -> Mutation:
    def change(client: Client, state: State) -> None:
        url = state.get("queue_url") or state["url"]
        client("sqs").set_queue_attributes(QueueUrl=url, Attributes={name: value})

    return change


def _names(items: list[dict[str, Any]], key: str) -> list[str]:
    return [item[key] for item in items if "cycle" in item[key]]


def _tighter_policy(client: Client, state: State) -> None:
    document = json.loads(state["policy"])
    document["Statement"][0]["Action"] = "sqs:PurgeQueue"
    client("sqs").set_queue_attributes(
        QueueUrl=state["queue_url"], Attributes={"Policy": json.dumps(document)}
    )


def _other_policy(action: str) -> str:
    statement = {"Effect": "Allow", "Action": action, "Resource": "*"}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


SQS = Cycle(
    root="sqs",
    drift={
        "aws_sqs_queue.dead_letters": _queue_attribute("MessageRetentionPeriod", "60"),
        "aws_sqs_queue.this": _queue_attribute("VisibilityTimeout", "7"),
        "aws_sqs_queue.plain": lambda client, state: client("sqs").tag_queue(
            QueueUrl=state["url"], Tags={"foreign": "yes"}
        ),
        "aws_sqs_queue.plain_dead_letters": lambda client, state: client("sqs").delete_queue(
            QueueUrl=state["url"]
        ),
        "aws_sqs_queue_redrive_policy.this": _queue_attribute("RedrivePolicy", ""),
        "aws_sqs_queue_redrive_allow_policy.this": _queue_attribute(
            "RedriveAllowPolicy", json.dumps({"redrivePermission": "allowAll"})
        ),
        "aws_sqs_queue_policy.this": _tighter_policy,
    },
    left=lambda client: client("sqs").list_queues(QueueNamePrefix="cycle").get("QueueUrls", []),
)

IAM = Cycle(
    root="iam",
    drift={
        "aws_iam_role.this": lambda client, state: client("iam").update_role(
            RoleName=state["name"], Description="foreign", MaxSessionDuration=3600
        ),
        "aws_iam_role_policy.this": lambda client, state: client("iam").put_role_policy(
            RoleName=state["role"], PolicyName=state["name"], PolicyDocument=_other_policy("s3:*")
        ),
        "aws_iam_policy.this": lambda client, state: client("iam").create_policy_version(
            PolicyArn=state["arn"], PolicyDocument=_other_policy("s3:*"), SetAsDefault=True
        ),
        "aws_iam_role_policy_attachment.this": lambda client, state: client("iam").detach_role_policy(
            RoleName=state["role"], PolicyArn=state["policy_arn"]
        ),
        "aws_iam_openid_connect_provider.this": lambda client, state: client(
            "iam"
        ).delete_open_id_connect_provider(OpenIDConnectProviderArn=state["arn"]),
    },
    import_id={
        "aws_iam_role_policy_attachment.this": lambda state: f"{state['role']}/{state['policy_arn']}",
    },
    left=lambda client: [
        *_names(client("iam").list_roles()["Roles"], "RoleName"),
        *_names(client("iam").list_policies(Scope="Local")["Policies"], "PolicyName"),
        *(
            item["Arn"]
            for item in client("iam").list_open_id_connect_providers()["OpenIDConnectProviderList"]
        ),
    ],
)

DYNAMODB = Cycle(
    root="dynamodb",
    drift={
        "aws_dynamodb_table.this": lambda client, state: client("dynamodb").update_time_to_live(
            TableName=state["name"],
            TimeToLiveSpecification={"AttributeName": "ttl", "Enabled": False},
        ),
        "aws_dynamodb_table.plain": lambda client, state: client("dynamodb").update_table(
            TableName=state["name"], ProvisionedThroughput={"ReadCapacityUnits": 9, "WriteCapacityUnits": 9}
        ),
    },
    left=lambda client: [
        name for name in client("dynamodb").list_tables()["TableNames"] if name.startswith("cycle")
    ],
)


def _disable_schedule(client: Client, state: State) -> None:
    target = {"Arn": state["target"][0]["arn"], "RoleArn": state["target"][0]["role_arn"]}
    client("scheduler").update_schedule(
        Name=state["name"],
        GroupName=state["group_name"],
        ScheduleExpression="rate(1 minute)",
        FlexibleTimeWindow={"Mode": "OFF"},
        Target=target,
    )


SCHEDULER = Cycle(
    root="scheduler",
    drift={
        "aws_scheduler_schedule.this": _disable_schedule,
        "aws_scheduler_schedule.once": lambda client, state: client("scheduler").delete_schedule(
            Name=state["name"], GroupName=state["group_name"]
        ),
        "aws_scheduler_schedule_group.this": lambda client, state: client("scheduler").tag_resource(
            ResourceArn=state["arn"], Tags=[{"Key": "job", "Value": "foreign"}]
        ),
    },
    left=lambda client: [
        *_names(client("scheduler").list_schedule_groups()["ScheduleGroups"], "Name"),
        *_names(client("scheduler").list_schedules()["Schedules"], "GroupName"),
    ],
)

LAMBDA = Cycle(
    root="lambda",
    drift={
        "aws_lambda_function.this": lambda client, state: client("lambda").update_function_configuration(
            FunctionName=state["function_name"], Environment={"Variables": {"JOB_NAME": "foreign"}}
        ),
        "aws_lambda_alias.this": lambda client, state: client("lambda").update_alias(
            FunctionName=state["function_name"], Name=state["name"], Description="foreign"
        ),
        "aws_lambda_event_source_mapping.this": lambda client, state: client(
            "lambda"
        ).update_event_source_mapping(UUID=state["uuid"], Enabled=False),
        "aws_lambda_function_event_invoke_config.this": lambda client, state: client(
            "lambda"
        ).put_function_event_invoke_config(
            FunctionName=state["function_name"], MaximumRetryAttempts=1, MaximumEventAgeInSeconds=60
        ),
        "aws_lambda_function_recursion_config.this": lambda client, state: client(
            "lambda"
        ).put_function_recursion_config(FunctionName=state["function_name"], RecursiveLoop="Terminate"),
        "aws_cloudwatch_log_subscription_filter.this": lambda client, state: client(
            "logs"
        ).delete_subscription_filter(logGroupName=state["log_group_name"], filterName=state["name"]),
        "aws_cloudwatch_log_group.this": lambda client, state: client("logs").put_retention_policy(
            logGroupName=state["name"], retentionInDays=1
        ),
        "aws_cloudwatch_log_group.other": lambda client, state: client("logs").delete_log_group(
            logGroupName=state["name"]
        ),
        "aws_lambda_permission.this": lambda client, state: client("lambda").remove_permission(
            FunctionName=state["function_name"], StatementId=state["statement_id"]
        ),
    },
    import_id={
        "aws_lambda_alias.this": lambda state: f"{state['function_name']}/{state['name']}",
        "aws_lambda_function_recursion_config.this": lambda state: state["function_name"],
        "aws_lambda_permission.this": lambda state: f"{state['function_name']}/{state['statement_id']}",
        "aws_lambda_permission.logs": lambda state: f"{state['function_name']}/{state['statement_id']}",
    },
    # The package's path is known to the configuration only.
    after_import=frozenset({"aws_lambda_function.this"}),
    left=lambda client: [
        *_names(client("lambda").list_functions()["Functions"], "FunctionName"),
        *(item["UUID"] for item in client("lambda").list_event_source_mappings()["EventSourceMappings"]),
        *_names(client("logs").describe_log_groups()["logGroups"], "logGroupName"),
    ],
)


def _put_key_policy(client: Client, state: State) -> None:
    document = json.loads(state["policy"])
    document["Statement"][0]["Sid"] = "Foreign"
    client("kms").put_key_policy(KeyId=state["key_id"], PolicyName="default", Policy=json.dumps(document))


def _fill_bucket(client: Client, state: State) -> None:
    """Foreign tags are the drift; the object is there for `force_destroy` to remove."""
    client("s3").put_object(Bucket=state["id"], Key="payload", Body=b"{}")
    tags = [{"Key": "job", "Value": "foreign"}]
    client("s3").put_bucket_tagging(Bucket=state["id"], Tagging={"TagSet": tags})


STORAGE = Cycle(
    root="storage",
    drift={
        "aws_kms_key.this": _put_key_policy,
        "aws_kms_key.other": lambda client, state: client("kms").disable_key(KeyId=state["key_id"]),
        "aws_kms_alias.this": lambda client, state: client("kms").delete_alias(AliasName=state["name"]),
        "aws_s3_bucket.this": _fill_bucket,
        "aws_s3_bucket_versioning.this": lambda client, state: client("s3").put_bucket_versioning(
            Bucket=state["id"], VersioningConfiguration={"Status": "Suspended"}
        ),
        "aws_s3_bucket_public_access_block.this": lambda client, state: client(
            "s3"
        ).delete_public_access_block(Bucket=state["id"]),
        "aws_s3_bucket_server_side_encryption_configuration.this": lambda client, state: client(
            "s3"
        ).put_bucket_encryption(
            Bucket=state["id"],
            ServerSideEncryptionConfiguration={
                "Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}]
            },
        ),
        "aws_s3_bucket_ownership_controls.this": lambda client, state: client(
            "s3"
        ).delete_bucket_ownership_controls(Bucket=state["id"]),
        "aws_s3_bucket_policy.this": lambda client, state: client("s3").delete_bucket_policy(
            Bucket=state["id"]
        ),
        "aws_s3_bucket_lifecycle_configuration.this": lambda client, state: client(
            "s3"
        ).delete_bucket_lifecycle(Bucket=state["id"]),
        "aws_ssm_parameter.this": lambda client, state: client("ssm").put_parameter(
            Name=state["name"], Value="foreign", Overwrite=True
        ),
        "aws_ssm_parameter.secret": lambda client, state: client("ssm").delete_parameter(Name=state["name"]),
    },
    # How long a key is kept, and whether a bucket is emptied first, is known to the configuration only.
    after_import=frozenset({"aws_kms_key.this", "aws_s3_bucket.this"}),
    left=lambda client: [
        *_names(client("s3").list_buckets()["Buckets"], "Name"),
        *_names(client("kms").list_aliases()["Aliases"], "AliasName"),
        *_names(client("ssm").describe_parameters()["Parameters"], "Name"),
        *(
            item["KeyId"]
            for item in client("kms").list_keys()["Keys"]
            if client("kms").describe_key(KeyId=item["KeyId"])["KeyMetadata"]["KeyState"] != "PendingDeletion"
        ),
    ],
)


def _topic_policy(client: Client, state: State) -> None:
    document = json.loads(state["policy"])
    document["Statement"][0]["Action"] = "sns:Subscribe"
    client("sns").set_topic_attributes(
        TopicArn=state["arn"], AttributeName="Policy", AttributeValue=json.dumps(document)
    )


EVENTS = Cycle(
    root="events",
    drift={
        "aws_sns_topic.this": lambda client, state: client("sns").set_topic_attributes(
            TopicArn=state["arn"], AttributeName="DisplayName", AttributeValue="Foreign"
        ),
        "aws_sns_topic_policy.this": _topic_policy,
        "aws_sns_topic_subscription.this": lambda client, state: client("sns").set_subscription_attributes(
            SubscriptionArn=state["arn"], AttributeName="RawMessageDelivery", AttributeValue="true"
        ),
        "aws_cloudwatch_event_bus.this": lambda client, state: client("events").tag_resource(
            ResourceARN=state["arn"], Tags=[{"Key": "job", "Value": "foreign"}]
        ),
        "aws_cloudwatch_event_rule.this": lambda client, state: client("events").disable_rule(
            Name=state["name"], EventBusName=state["event_bus_name"]
        ),
        "aws_cloudwatch_event_rule.default": lambda client, state: client("events").delete_rule(
            Name=state["name"]
        ),
        "aws_cloudwatch_event_target.this": lambda client, state: client("events").remove_targets(
            Rule=state["rule"], EventBusName=state["event_bus_name"], Ids=[state["target_id"]]
        ),
        "aws_pipes_pipe.this": lambda client, state: client("pipes").update_pipe(
            Name=state["name"], RoleArn=state["role_arn"], Description="foreign"
        ),
    },
    import_id={
        "aws_cloudwatch_event_target.this": lambda state: "/".join(
            (state["event_bus_name"], state["rule"], state["target_id"])
        ),
    },
    # Parameters of a pipe that the emulator does not keep; how long to wait for a confirmation.
    after_import=frozenset({"aws_pipes_pipe.this", "aws_sns_topic_subscription.this"}),
    left=lambda client: [
        *_names(client("sns").list_topics()["Topics"], "TopicArn"),
        *_names(client("sns").list_subscriptions()["Subscriptions"], "TopicArn"),
        *_names(client("events").list_event_buses()["EventBuses"], "Name"),
        *_names(client("events").list_rules()["Rules"], "Name"),
        *_names(client("pipes").list_pipes()["Pipes"], "Name"),
    ],
)


def _raise_threshold(client: Client, state: State) -> None:
    client("cloudwatch").put_metric_alarm(
        AlarmName=state["alarm_name"],
        Namespace=state["namespace"] or "foreign",
        MetricName=state["metric_name"] or "foreign",
        Statistic="Maximum",
        Period=60,
        EvaluationPeriods=1,
        Threshold=99,
        ComparisonOperator="GreaterThanThreshold",
    )


ALARMS = Cycle(
    root="alarms",
    drift={
        "aws_cloudwatch_metric_alarm.this": _raise_threshold,
        "aws_cloudwatch_metric_alarm.math": _raise_threshold,
        "aws_cloudwatch_composite_alarm.this": lambda client, state: client("cloudwatch").put_composite_alarm(
            AlarmName=state["alarm_name"], AlarmRule="FALSE"
        ),
        "aws_cloudwatch_dashboard.this": lambda client, state: client("cloudwatch").put_dashboard(
            DashboardName=state["dashboard_name"], DashboardBody='{"widgets": []}'
        ),
    },
    left=lambda client: [
        *_names(client("cloudwatch").describe_alarms()["MetricAlarms"], "AlarmName"),
        *_names(
            client("cloudwatch").describe_alarms(AlarmTypes=["CompositeAlarm"])["CompositeAlarms"],
            "AlarmName",
        ),
        *_names(client("cloudwatch").list_dashboards()["DashboardEntries"], "DashboardName"),
    ],
)

CYCLES = (SQS, IAM, DYNAMODB, SCHEDULER, LAMBDA, STORAGE, EVENTS, ALARMS)
