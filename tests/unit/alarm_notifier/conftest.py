"""The notifier on AWS as moto plays it, telling a Slack that stands in."""

import gzip
import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

import pytest

from alarm_notifier.notifier import Notifier
from alarm_notifier.wiring import build
from job_runtime import aws
from job_runtime.config import Settings
from job_runtime.records import Record
from job_runtime.visibility import Visibility
from local.slack_stub import CHANNELS, SlackStub
from tests.support.clock import FakeClock
from tests.support.lambda_context import FakeContext
from tests.support.sqs_events import STANDARD_ARN, failures, sqs_event, sqs_record

TABLE, PARAMETER = "alerts", "/alerts/slack"
OWN_LOG_GROUP = "/aws/lambda/prod-alerts-notifier"


class CloudWatch:
    """Alarms in ALARM, by name; `broken`: no answer."""

    def __init__(self) -> None:
        self.firing: dict[str, dict[str, Any]] = {}
        self.broken: Exception | None = None
        self.asked: list[list[str]] = []

    def describe_alarms(self, *, AlarmNames: list[str], AlarmTypes: list[str], StateValue: str) -> Any:  # noqa: N803
        assert StateValue == "ALARM"
        assert set(AlarmTypes) == {"MetricAlarm", "CompositeAlarm"}
        assert 0 < len(AlarmNames) <= 100
        self.asked.append(AlarmNames)
        if self.broken:
            raise self.broken
        found = [{"AlarmName": name, **self.firing[name]} for name in AlarmNames if name in self.firing]
        return {"MetricAlarms": found, "CompositeAlarms": []}


class Pauses:
    """Takes the place of the queue's visibility, since records here have no real receipts."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def change(self, seconds_by_record: Mapping[Record, int]) -> None:
        self.asked += seconds_by_record.values()


class Bench:
    """A notifier with everything around it. `given`: environment variables beside the usual ones."""

    def __init__(self, clock: FakeClock, slack: SlackStub, cloudwatch: CloudWatch) -> None:
        self.clock = clock
        self.slack = slack
        self.cloudwatch = cloudwatch
        self.pauses = Pauses()
        aws.dynamodb().create_table(
            TableName=TABLE,
            KeySchema=[
                {"AttributeName": "pk", "KeyType": "HASH"},
                {"AttributeName": "sk", "KeyType": "RANGE"},
            ],
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
            BillingMode="PAY_PER_REQUEST",
        )
        self.queue = aws.sqs().create_queue(QueueName="alerts")["QueueUrl"]
        self.dead = aws.sqs().create_queue(QueueName="alerts-dlq")["QueueUrl"]
        self.store_secret(json.dumps({"token": slack.token}))
        self._notifier: Notifier | None = None

    @property
    def notifier(self) -> Notifier:
        """Made by the test, not before it: the logger keeps the stream that there is when it is made."""
        self._notifier = self._notifier or self.build()
        return self._notifier

    def store_secret(self, text: str) -> None:
        aws.ssm().put_parameter(Name=PARAMETER, Value=text, Type="SecureString", Overwrite=True)

    def build(self, **given: str) -> Notifier:
        environment = {
            "POWERTOOLS_SERVICE_NAME": "alerts",
            "CHANNEL_TABLE": TABLE,
            "QUEUE_URL": self.queue,
            "DLQ_URL": self.dead,
            "ENVIRONMENT": "prod",
            "SLACK_PARAMETER": PARAMETER,
            "SLACK_API_URL": self.slack.api,
            "AWS_LAMBDA_LOG_GROUP_NAME": OWN_LOG_GROUP,
            **{f"SLACK_CHANNEL_{channel[2:]}": channel for channel in CHANNELS},
            **given,
        }
        notifier = build(Settings({name: value for name, value in environment.items() if value}), self.clock)
        return replace(notifier, visibility=cast("Visibility", self.pauses))

    def use(self, **given: str) -> None:
        """Another container, with other variables."""
        self._notifier = self.build(**given)

    def deliver(self, *bodies: str, receives: int = 1, remaining: int = 60_000) -> list[str]:
        """One batch of the queue, `m0`, `m1`, …; the ids that were handed back."""
        records = [
            sqs_record(body, f"m{place}", arn=STANDARD_ARN, receives=receives)
            for place, body in enumerate(bodies)
        ]
        return failures(self.notifier(sqs_event(*records), FakeContext(remaining)))

    def log(self, event: dict[str, Any]) -> list[str]:
        """A delivery of log lines, and the batch that it becomes."""
        self.notifier(event, FakeContext())
        return self.deliver(*self.drain())

    def drain(self, url: str | None = None) -> list[str]:
        """The messages that are visible, taken out."""
        bodies: list[str] = []
        while (
            found := aws.sqs()
            .receive_message(QueueUrl=url or self.queue, MaxNumberOfMessages=10)
            .get("Messages")
        ):
            for message in found:
                aws.sqs().delete_message(QueueUrl=url or self.queue, ReceiptHandle=message["ReceiptHandle"])
            bodies += [message["Body"] for message in found]
        return bodies

    def row(self, service: str = "charge") -> dict[str, Any]:
        key = {"pk": {"S": f"service#{service}"}, "sk": {"S": "situation"}}
        item = dict(aws.dynamodb().get_item(TableName=TABLE, Key=key)["Item"])
        return {**item, "situation": json.loads(gzip.decompress(item["situation"]["B"]))}


@pytest.fixture(autouse=True)
def fresh_logger() -> None:
    logging.root.manager.loggerDict.pop("alerts", None)


@pytest.fixture
def slack() -> Iterator[SlackStub]:
    with SlackStub() as stub:
        yield stub


@pytest.fixture
def cloudwatch(monkeypatch: pytest.MonkeyPatch) -> CloudWatch:
    client = CloudWatch()
    monkeypatch.setattr(aws, "cloudwatch", lambda: client)
    return client


@pytest.fixture
def bench(mocked_aws: None, clock: FakeClock, slack: SlackStub, cloudwatch: CloudWatch) -> Bench:
    return Bench(clock, slack, cloudwatch)
