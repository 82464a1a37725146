"""Error lines on their way from a log group to a function, and topics on their way to one."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from local.emulator import Emulator
from tests.support.local_aws import LOGGING, eventually, function, queue_arn, refused, role

pytestmark = pytest.mark.emulator

ERRORS = '{ $.level = "ERROR" || $.level = "CRITICAL" }'
# Hands on what it is given to a queue that carries its name.
FORWARDS = """
import boto3, json
def handler(event, context):
    sqs = boto3.client("sqs")
    url = sqs.get_queue_url(QueueName=context.function_name)["QueueUrl"]
    sqs.send_message(QueueUrl=url, MessageBody=json.dumps(event))
"""
SPEAKS = """
import json
def handler(event, context):
    for line in event:
        print(line if isinstance(line, str) else json.dumps(line))
"""


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with Emulator.start(tmp_path_factory.mktemp("logs") / "emulator.log") as emulator:
        yield emulator


def listener(aws: Emulator, name: str, tmp_path: Path, code: str = FORWARDS) -> str:
    """Create a function that passes on what it hears to the queue NAME; return its ARN."""
    aws.client("sqs").create_queue(QueueName=name)
    arn = role(aws, name, *LOGGING, "sqs:SendMessage", "sqs:GetQueueUrl")
    return function(aws, name, arn, code, tmp_path)


def admit(aws: Emulator, name: str, service: str, source_arn: str) -> None:
    aws.client("lambda").add_permission(
        FunctionName=name,
        StatementId=service.partition(".")[0],
        Action="lambda:InvokeFunction",
        Principal=service,
        SourceArn=source_arn,
        SourceAccount="111122223333",
    )


def log_group(name: str) -> str:
    return f"arn:aws:logs:ap-northeast-1:111122223333:log-group:{name}:*"


def subscribe(aws: Emulator, group: str, destination: str, pattern: str = ERRORS) -> None:
    aws.client("logs").put_subscription_filter(
        logGroupName=group, filterName="errors", filterPattern=pattern, destinationArn=destination
    )


def heard(aws: Emulator, queue: str) -> list[dict[str, Any]]:
    """Return the log payloads that a listener has passed on."""
    events = [json.loads(message["body"]) for message in aws.peek(queue)]
    return [json.loads(gzip.decompress(base64.b64decode(event["awslogs"]["data"]))) for event in events]


def test_error_lines_of_a_function_reach_the_listener_and_no_others(aws: Emulator, tmp_path: Path) -> None:
    arn = listener(aws, "hears", tmp_path)
    function(aws, "speaks", role(aws, "speaks", *LOGGING), SPEAKS, tmp_path)
    aws.client("logs").create_log_group(logGroupName="/aws/lambda/speaks")
    admit(aws, "hears", "logs.amazonaws.com", log_group("/aws/lambda/speaks"))
    subscribe(aws, "/aws/lambda/speaks", arn)
    lines = [
        {"level": "INFO", "message": "an ERROR was met"},
        {"level": "ERROR", "message": "one"},
        "ERROR no json",
        {"level": "CRITICAL", "message": "two"},
    ]
    aws.client("lambda").invoke(FunctionName="speaks", Payload=json.dumps(lines))
    eventually(lambda: len(heard(aws, "hears")) == 1)
    (payload,) = heard(aws, "hears")
    assert [json.loads(event["message"])["message"] for event in payload["logEvents"]] == ["one", "two"]
    assert payload["logGroup"] == "/aws/lambda/speaks"
    assert (payload["owner"], payload["subscriptionFilters"]) == ("111122223333", ["errors"])


@pytest.mark.parametrize(
    "source", [None, log_group("/aws/lambda/other")], ids=["no permission", "for another log group"]
)
def test_subscription_is_refused_while_the_function_does_not_admit_logs(
    aws: Emulator, source: str | None, tmp_path: Path
) -> None:
    name = "closed-none" if source is None else "closed-other"
    arn = listener(aws, name, tmp_path)
    aws.client("logs").create_log_group(logGroupName=f"/app/{name}")
    if source:
        admit(aws, name, "logs.amazonaws.com", source)
    put = aws.client("logs").put_subscription_filter
    arguments = {"logGroupName": f"/app/{name}", "filterName": "errors", "filterPattern": ERRORS}
    assert refused(put, **arguments, destinationArn=arn) == "InvalidParameterException"


def test_permission_that_is_withdrawn_stops_the_delivery(aws: Emulator, tmp_path: Path) -> None:
    arn = listener(aws, "withdrawn", tmp_path)
    logs = aws.client("logs")
    logs.create_log_group(logGroupName="/app/withdrawn")
    logs.create_log_stream(logGroupName="/app/withdrawn", logStreamName="s")
    admit(aws, "withdrawn", "logs.amazonaws.com", log_group("/app/withdrawn"))
    subscribe(aws, "/app/withdrawn", arn, "boom")

    def say(text: str) -> None:
        event = {"timestamp": 1_800_000_000_000, "message": text}
        logs.put_log_events(logGroupName="/app/withdrawn", logStreamName="s", logEvents=[event])

    say("boom one")
    eventually(lambda: len(heard(aws, "withdrawn")) == 1)
    aws.client("lambda").remove_permission(FunctionName="withdrawn", StatementId="logs")
    say("boom two")
    assert any(denial["principal"] == "logs.amazonaws.com" for denial in aws.state()["denials"])
    assert len(heard(aws, "withdrawn")) == 1


def test_pattern_that_logs_would_not_understand_is_refused(aws: Emulator, tmp_path: Path) -> None:
    arn = listener(aws, "patterns", tmp_path)
    aws.client("logs").create_log_group(logGroupName="/app/patterns")
    admit(aws, "patterns", "logs.amazonaws.com", log_group("/app/patterns"))
    put = aws.client("logs").put_subscription_filter
    arguments = {"logGroupName": "/app/patterns", "filterName": "errors", "destinationArn": arn}
    assert refused(put, **arguments, filterPattern='{ level = "ERROR" }') == "InvalidParameterException"


def test_a_third_filter_of_a_log_group_is_refused(aws: Emulator, tmp_path: Path) -> None:
    arn = listener(aws, "thirds", tmp_path)
    aws.client("logs").create_log_group(logGroupName="/app/thirds")
    admit(aws, "thirds", "logs.amazonaws.com", log_group("/app/thirds"))
    put = aws.client("logs").put_subscription_filter
    arguments = {"logGroupName": "/app/thirds", "filterPattern": "", "destinationArn": arn}
    for name in ("one", "two", "two"):
        put(**arguments, filterName=name)
    assert refused(put, **arguments, filterName="three") == "LimitExceededException"


def test_listener_that_fails_is_tried_again_and_its_event_kept(aws: Emulator, tmp_path: Path) -> None:
    arn = listener(aws, "fails", tmp_path, "def handler(e, c): raise ValueError")
    aws.client("lambda").put_function_event_invoke_config(
        FunctionName="fails",
        MaximumRetryAttempts=1,
        DestinationConfig={"OnFailure": {"Destination": queue_arn("fails")}},
    )
    logs = aws.client("logs")
    logs.create_log_group(logGroupName="/app/fails")
    logs.create_log_stream(logGroupName="/app/fails", logStreamName="s")
    admit(aws, "fails", "logs.amazonaws.com", log_group("/app/fails"))
    subscribe(aws, "/app/fails", arn, "boom")
    event = {"timestamp": 1_800_000_000_000, "message": "boom"}
    logs.put_log_events(logGroupName="/app/fails", logStreamName="s", logEvents=[event])
    eventually(lambda: len(aws.peek("fails")) == 1)
    assert "awslogs" in json.loads(aws.peek("fails")[0]["body"])["requestPayload"]


@pytest.mark.parametrize("admitted", [True, False], ids=["admitted", "not admitted"])
def test_topic_invokes_a_function_only_if_its_policy_admits_it(
    aws: Emulator, admitted: bool, tmp_path: Path
) -> None:
    name = f"topic-{admitted}".lower()
    arn = listener(aws, name, tmp_path)
    sns = aws.client("sns")
    topic = sns.create_topic(Name=name)["TopicArn"]
    sns.subscribe(TopicArn=topic, Protocol="lambda", Endpoint=arn)
    if admitted:
        admit(aws, name, "sns.amazonaws.com", topic)
    sns.publish(TopicArn=topic, Message="hello")
    if admitted:
        eventually(lambda: len(aws.peek(name)) == 1)
        event = json.loads(aws.peek(name)[0]["body"])
        assert event["Records"][0]["Sns"]["Message"] == "hello"
    else:
        eventually(lambda: any(d["principal"] == "sns.amazonaws.com" for d in aws.state()["denials"]))
        assert aws.peek(name) == []
