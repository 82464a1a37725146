"""What the services of the local AWS report, at the coordinates that AWS documents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from botocore.exceptions import ClientError

from local.emulator import Emulator
from tests.support.local_aws import (
    LOGGING,
    POLLING,
    eventually,
    fifo_queue,
    function,
    policy,
    queue_arn,
    role,
)

pytestmark = pytest.mark.emulator


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with Emulator.start(tmp_path_factory.mktemp("metrics") / "emulator.log") as emulator:
        yield emulator


def found(
    aws: Emulator, namespace: str, name: str, statistic: str = "Sum", **dimensions: str
) -> float | None:
    """Return a statistic over the last hours of CloudWatch's clock; None without any point."""
    now = aws.alarm_clock()
    points = aws.client("cloudwatch").get_metric_statistics(
        Namespace=namespace,
        MetricName=name,
        Dimensions=[{"Name": key, "Value": value} for key, value in dimensions.items()],
        StartTime=now - timedelta(hours=12),
        EndTime=now + timedelta(hours=1),
        Period=60,
        Statistics=[statistic],
    )["Datapoints"]
    values = [float(point[statistic]) for point in points]
    together = sum if statistic == "Sum" else max
    return together(values) if values else None


def of_queue(aws: Emulator, queue: str, name: str, statistic: str = "Sum") -> float | None:
    return found(aws, "AWS/SQS", name, statistic, QueueName=queue)


def test_counters_of_a_queue(aws: Emulator) -> None:
    sqs, url = aws.client("sqs"), fifo_queue(aws, "counted")
    for key in ("a", "b", "a"):
        sqs.send_message(QueueUrl=url, MessageBody="x" * 100, MessageGroupId="g", MessageDeduplicationId=key)
    (message,) = sqs.receive_message(QueueUrl=url)["Messages"]
    sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    sqs.purge_queue(QueueUrl=url)
    assert not sqs.receive_message(QueueUrl=url).get("Messages")
    values = {
        name: of_queue(aws, "counted.fifo", name)
        for name in (
            "NumberOfMessagesSent",
            "NumberOfDeduplicatedSentMessages",
            "NumberOfMessagesReceived",
            "NumberOfMessagesDeleted",
            "NumberOfEmptyReceives",
        )
    }
    assert list(values.values()) == [2, 1, 1, 1, 1]
    assert of_queue(aws, "counted.fifo", "SentMessageSize", "Maximum") == 100


def test_gauges_of_a_queue_are_published_by_themselves(aws: Emulator) -> None:
    sqs, url = aws.client("sqs"), fifo_queue(aws, "gauged")
    for group in ("a", "b", "c"):
        sqs.send_message(QueueUrl=url, MessageBody="x", MessageGroupId=group, MessageDeduplicationId=group)
    sqs.receive_message(QueueUrl=url)
    hidden = "ApproximateNumberOfMessagesNotVisible"
    eventually(lambda: of_queue(aws, "gauged.fifo", hidden, "Maximum") == 1)
    assert of_queue(aws, "gauged.fifo", "ApproximateNumberOfMessagesVisible", "Maximum") in (2, 3)


def test_messages_age_by_cloudwatchs_clock(aws: Emulator) -> None:
    sqs, url = aws.client("sqs"), fifo_queue(aws, "ageing")
    sqs.send_message(QueueUrl=url, MessageBody="x", MessageGroupId="g", MessageDeduplicationId="d")
    aws.advance_alarms(4000)
    age = of_queue(aws, "ageing.fifo", "ApproximateAgeOfOldestMessage", "Maximum")
    assert age is not None
    assert 4000 <= age < 4060


def test_queue_that_nobody_used_for_six_hours_falls_silent(aws: Emulator) -> None:
    fifo_queue(aws, "idle")
    aws.advance_alarms(5 * 3600)
    assert of_queue(aws, "idle.fifo", "ApproximateNumberOfMessagesVisible", "Maximum") == 0
    aws.advance_alarms(14 * 3600)
    assert of_queue(aws, "idle.fifo", "ApproximateNumberOfMessagesVisible", "Maximum") is None


def test_a_move_to_the_dead_letter_queue_is_not_counted_as_sent(aws: Emulator) -> None:
    fifo_queue(aws, "moved-dlq")
    redrive = json.dumps({"deadLetterTargetArn": queue_arn("moved-dlq.fifo"), "maxReceiveCount": 1})
    sqs, url = aws.client("sqs"), fifo_queue(aws, "moved", RedrivePolicy=redrive)
    sqs.send_message(QueueUrl=url, MessageBody="x", MessageGroupId="g", MessageDeduplicationId="d")
    sqs.receive_message(QueueUrl=url, VisibilityTimeout=0)
    assert not sqs.receive_message(QueueUrl=url).get("Messages")
    aws.advance_alarms(60)
    assert of_queue(aws, "moved-dlq.fifo", "NumberOfMessagesSent") is None
    assert of_queue(aws, "moved-dlq.fifo", "ApproximateNumberOfMessagesVisible", "Maximum") == 1


def of_function(aws: Emulator, name: str, metric: str, statistic: str = "Sum") -> float | None:
    return found(aws, "AWS/Lambda", metric, statistic, FunctionName=name)


def test_function_counts_what_was_invoked_and_what_failed(aws: Emulator, tmp_path: Path) -> None:
    code = "def handler(e, c):\n    return 1 // e['by']"
    function(aws, "divides", role(aws, "divides", *LOGGING), code, tmp_path)
    client = aws.client("lambda")
    for by in (1, 0):
        client.invoke(FunctionName="divides", Payload=json.dumps({"by": by}))
    assert of_function(aws, "divides", "Invocations") == 2
    assert of_function(aws, "divides", "Errors") == 1
    assert of_function(aws, "divides", "ConcurrentExecutions", "Maximum") == 1
    duration = of_function(aws, "divides", "Duration", "Maximum")
    assert duration is not None
    assert 0 < duration < 3000
    assert of_function(aws, "divides", "Throttles") is None


def test_function_without_concurrency_is_throttled_and_not_invoked(aws: Emulator, tmp_path: Path) -> None:
    function(aws, "stopped", role(aws, "stopped"), "def handler(e, c): pass", tmp_path)
    client = aws.client("lambda")
    client.put_function_concurrency(FunctionName="stopped", ReservedConcurrentExecutions=0)
    with pytest.raises(ClientError, match="TooManyRequests"):
        client.invoke(FunctionName="stopped", Payload=b"{}")
    assert of_function(aws, "stopped", "Invocations") is None
    throttles = of_function(aws, "stopped", "Throttles")
    assert throttles is not None
    assert throttles >= 1


@pytest.mark.parametrize("may_send", [True, False], ids=["destination", "destination refused"])
def test_asynchronous_event_that_keeps_failing_is_dropped(
    aws: Emulator, may_send: bool, tmp_path: Path
) -> None:
    name = f"dropped-{may_send}".lower()
    aws.client("sqs").create_queue(QueueName=name)
    arn = role(aws, name, *LOGGING, "sqs:SendMessage")
    function(aws, name, arn, "def handler(e, c): raise ValueError", tmp_path)
    client = aws.client("lambda")
    client.put_function_event_invoke_config(
        FunctionName=name,
        MaximumRetryAttempts=1,
        DestinationConfig={"OnFailure": {"Destination": queue_arn(name)}},
    )
    if not may_send:
        aws.client("iam").put_role_policy(
            RoleName=name, PolicyName="p", PolicyDocument=policy({"Action": list(LOGGING)})
        )
    client.invoke(FunctionName=name, InvocationType="Event", Payload=b"{}")
    eventually(lambda: of_function(aws, name, "AsyncEventsDropped") == 1)
    assert of_function(aws, name, "Invocations") == of_function(aws, name, "Errors") == 2
    age = of_function(aws, name, "AsyncEventAge", "Maximum")
    assert age is not None
    assert age >= 1000  # the second attempt comes a second later
    eventually(lambda: bool(aws.peek(name)) is may_send)
    eventually(lambda: of_function(aws, name, "DestinationDeliveryFailures") == (None if may_send else 1))


@pytest.mark.parametrize("asked", [True, False], ids=["asked for", "not asked for"])
def test_mapping_counts_its_events_only_when_asked_to(aws: Emulator, asked: bool, tmp_path: Path) -> None:
    name = f"mapped-{asked}".lower()
    code = (
        "def handler(e, c):\n"
        "    bad = [r['messageId'] for r in e['Records'] if r['body'] == 'bad']\n"
        "    return {'batchItemFailures': [{'itemIdentifier': i} for i in bad]}"
    )
    function(aws, name, role(aws, name, *POLLING, *LOGGING), code, tmp_path)
    sqs, url = aws.client("sqs"), fifo_queue(aws, name)
    entries = [
        {"Id": body, "MessageBody": body, "MessageGroupId": body, "MessageDeduplicationId": body}
        for body in ("good", "bad", "fine")
    ]
    sqs.send_message_batch(QueueUrl=url, Entries=entries)
    mapping = aws.client("lambda").create_event_source_mapping(
        FunctionName=name,
        EventSourceArn=queue_arn(f"{name}.fifo"),
        FunctionResponseTypes=["ReportBatchItemFailures"],
        **({"MetricsConfig": {"Metrics": ["EventCount"]}} if asked else {}),
    )
    eventually(lambda: of_queue(aws, f"{name}.fifo", "NumberOfMessagesDeleted") == 2)
    assert ("MetricsConfig" in mapping) is asked

    def counted() -> list[float | None]:
        names = ("PolledEventCount", "InvokedEventCount", "FailedInvokeEventCount", "DeletedEventCount")
        return [found(aws, "AWS/Lambda", metric, EventSourceMappingUUID=mapping["UUID"]) for metric in names]

    eventually(lambda: counted() == ([3, 3, 1, 2] if asked else [None] * 4))


def test_metrics_that_a_function_embeds_in_its_log_are_metrics(aws: Emulator, tmp_path: Path) -> None:
    code = """
import json, time
def handler(e, c):
    directive = {"Namespace": "FanoutOnce", "Dimensions": [["service"]], "Metrics": [{"Name": "Charged"}]}
    print(json.dumps({"_aws": {"Timestamp": int(time.time() * 1000), "CloudWatchMetrics": [directive]},
                      "service": e["service"], "Charged": 3}))
"""
    client = aws.client("lambda")
    for name, actions in (("writes", LOGGING), ("may-not-write", ())):
        function(aws, name, role(aws, name, *actions), code, tmp_path)
        client.invoke(FunctionName=name, Payload=json.dumps({"service": name}))
    assert found(aws, "FanoutOnce", "Charged", service="writes") == 3
    assert found(aws, "FanoutOnce", "Charged", service="may-not-write") is None


def table(aws: Emulator, name: str) -> None:
    aws.client("dynamodb").create_table(
        TableName=name,
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )


def test_throttled_and_conflicting_requests_are_counted_for_their_table(
    aws: Emulator, tmp_path: Path
) -> None:
    table(aws, "hot")
    code = """
import boto3
from botocore.config import Config
from botocore.exceptions import ClientError
client = boto3.client("dynamodb", config=Config(retries={"total_max_attempts": 1}))
def handler(e, c):
    try:
        if e["what"] == "put":
            client.put_item(TableName="hot", Item={"pk": {"S": "a"}})
        else:
            put = {"Put": {"TableName": "hot", "Item": {"pk": {"S": "a"}}}}
            client.transact_write_items(TransactItems=[put])
    except ClientError as error:
        return error.response["Error"]["Code"]
"""
    function(aws, "heats", role(aws, "heats", "dynamodb:PutItem", *LOGGING), code, tmp_path, timeout=20)

    def invoked(what: str) -> str:
        answer = aws.client("lambda").invoke(FunctionName="heats", Payload=json.dumps({"what": what}))
        return str(json.load(answer["Payload"]))

    aws.set_faults({"throttle_every": 1})
    assert invoked("put") == "ThrottlingException"
    aws.set_faults({"conflict_every": 1})
    assert invoked("transaction") == "TransactionCanceledException"
    aws.set_faults({})
    hot = {"TableName": "hot"}
    assert found(aws, "AWS/DynamoDB", "ThrottledRequests", **hot, Operation="PutItem") == 1
    assert found(aws, "AWS/DynamoDB", "ThrottledRequests", **hot) is None
    assert found(aws, "AWS/DynamoDB", "TransactionConflict", **hot) == 1


def test_mistaken_requests_are_counted_for_the_account_and_failed_conditions_are_not(aws: Emulator) -> None:
    table(aws, "mistaken")
    client = aws.client("dynamodb")
    before = found(aws, "AWS/DynamoDB", "UserErrors") or 0
    with pytest.raises(ClientError):
        client.put_item(TableName="mistaken", Item={"other": {"S": "x"}})
    with pytest.raises(ClientError, match="ConditionalCheckFailed"):
        client.update_item(
            TableName="mistaken", Key={"pk": {"S": "a"}}, ConditionExpression="attribute_exists(pk)"
        )
    assert found(aws, "AWS/DynamoDB", "UserErrors") == before + 1
    assert found(aws, "AWS/DynamoDB", "ConditionalCheckFailedRequests", TableName="mistaken") == 1


@pytest.mark.parametrize("has_queue", [True, False], ids=["dead-letter queue", "none"])
def test_schedule_that_cannot_reach_its_target_is_counted_for_its_group(
    aws: Emulator, has_queue: bool
) -> None:
    name = f"missed-{has_queue}".lower()
    aws.client("sqs").create_queue(QueueName=name)
    client = aws.client("scheduler")
    client.create_schedule_group(Name=name)
    arn = role(aws, name, "sqs:SendMessage")
    aws.client("iam").update_assume_role_policy(
        RoleName=name,
        PolicyDocument=json.dumps(
            {
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Effect": "Allow",
                        "Principal": {"Service": "scheduler.amazonaws.com"},
                        "Action": "sts:AssumeRole",
                    }
                ],
            }
        ),
    )
    client.create_schedule(
        Name="monthly",
        GroupName=name,
        ScheduleExpression="cron(0 3 1 * ? *)",
        FlexibleTimeWindow={"Mode": "OFF"},
        Target={
            "Arn": "arn:aws:lambda:ap-northeast-1:111122223333:function:absent",
            "RoleArn": arn,
            **({"DeadLetterConfig": {"Arn": queue_arn(name)}} if has_queue else {}),
        },
    )
    aws.fire_schedule(f"{name}/monthly")

    def counted(metric: str) -> float | None:
        return found(aws, "AWS/Scheduler", metric, ScheduleGroup=name)

    # A schedule made after the clock was moved has missed an occurrence, and catches up.
    attempts = counted("InvocationAttemptCount")
    assert attempts in (1, 2)
    assert counted("TargetErrorCount") == counted("InvocationDroppedCount") == attempts
    assert counted("InvocationsSentToDeadLetterCount") == (attempts if has_queue else None)
