"""The local AWS in other regions and accounts than its own: each has its metrics and alarms."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from local.emulator import Emulator
from tests.support.local_aws import ACCOUNT, REGION, eventually, policy

pytestmark = pytest.mark.emulator

OTHER_ACCOUNT = "999988887777"
PLACES = [
    (ACCOUNT, REGION, "Asia Pacific (Tokyo)"),
    (ACCOUNT, "us-east-1", "US East (N. Virginia)"),
    (ACCOUNT, "eu-central-1", "Europe (Frankfurt)"),
    (OTHER_ACCOUNT, "us-east-1", "US East (N. Virginia)"),
]
NAMES = [f"{account[:4]}-{region}" for account, region, _ in PLACES]


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with Emulator.start(tmp_path_factory.mktemp("regions") / "emulator.log") as emulator:
        yield emulator


class Place:
    """An account's region, with the clients that reach it."""

    def __init__(self, aws: Emulator, account: str, region: str) -> None:
        self.account, self.region = account, region
        self._aws = aws
        self._keys = {"aws_access_key_id": account, "aws_secret_access_key": "test"}

    def client(self, service: str) -> Any:
        return self._aws.client(service, self._keys, self.region)

    def arn(self, service: str, resource: str) -> str:
        return f"arn:aws:{service}:{self.region}:{self.account}:{resource}"

    def inbox(self) -> str:
        """A topic and a queue that hears it; the queue's URL."""
        sns, sqs = self.client("sns"), self.client("sqs")
        topic = sns.create_topic(Name="alarms")["TopicArn"]
        admit = policy({"Principal": {"Service": "sns.amazonaws.com"}, "Action": "sqs:SendMessage"})
        url = str(sqs.create_queue(QueueName="heard", Attributes={"Policy": admit})["QueueUrl"])
        raw = {"RawMessageDelivery": "true"}
        endpoint = self.arn("sqs", "heard")
        sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=endpoint, Attributes=raw)
        return url

    def alarm(self, name: str, namespace: str, metric: str, dimensions: dict[str, str]) -> None:
        """An alarm on a metric's maximum of 1 or more, told to the topic."""
        self.client("cloudwatch").put_metric_alarm(
            AlarmName=name,
            Namespace=namespace,
            MetricName=metric,
            Dimensions=[{"Name": key, "Value": value} for key, value in dimensions.items()],
            Statistic="Maximum",
            Period=60,
            EvaluationPeriods=1,
            Threshold=1,
            ComparisonOperator="GreaterThanOrEqualToThreshold",
            TreatMissingData="notBreaching",
            AlarmActions=[self.arn("sns", "alarms")],
            Tags=[{"Key": "place", "Value": self.region}],
        )

    def state(self, name: str) -> str:
        found = self.client("cloudwatch").describe_alarms(AlarmNames=[name])["MetricAlarms"]
        return str(found[0]["StateValue"]) if found else "absent"


@pytest.fixture(params=PLACES, ids=NAMES)
def place(request: pytest.FixtureRequest, aws: Emulator) -> Place:
    return Place(aws, *request.param[:2])


def others(aws: Emulator, place: Place) -> list[Place]:
    return [
        Place(aws, account, region)
        for account, region, _ in PLACES
        if (account, region) != (place.account, place.region)
    ]


def test_alarm_is_there_with_its_tags_and_told_in_its_own_region(aws: Emulator, place: Place) -> None:
    url, cloudwatch = place.inbox(), place.client("cloudwatch")
    place.alarm("failed", "Shop", "Failed", {})
    (found,) = cloudwatch.describe_alarms(AlarmNames=["failed"])["MetricAlarms"]
    assert found["AlarmArn"] == place.arn("cloudwatch", "alarm:failed")
    tags = cloudwatch.list_tags_for_resource(ResourceARN=found["AlarmArn"])["Tags"]
    assert tags == [{"Key": "place", "Value": place.region}]
    cloudwatch.put_metric_data(Namespace="Shop", MetricData=[{"MetricName": "Failed", "Value": 1}])
    eventually(lambda: place.state("failed") == "ALARM")
    (message,) = place.client("sqs").receive_message(QueueUrl=url, WaitTimeSeconds=20)["Messages"]
    body = json.loads(message["Body"])
    shown = {(account, region): name for account, region, name in PLACES}[place.account, place.region]
    assert (body["AlarmArn"], body["AWSAccountId"]) == (found["AlarmArn"], place.account)
    assert body["Region"] == shown
    assert [change["region"] for change in aws.alarm_history("failed")][-1] == place.region
    cloudwatch.delete_alarms(AlarmNames=["failed"])


def test_points_of_one_place_are_none_of_another(aws: Emulator, place: Place) -> None:
    for somewhere in (place, *others(aws, place)):
        somewhere.alarm("apart", "Apart", place.region, {"account": place.account})
    point = {"Namespace": "Apart", "MetricName": place.region, "Dimensions": {"account": place.account}}
    aws.publish([{**point, "Value": 1}], place.account, place.region)
    assert place.state("apart") == "ALARM"
    assert {other.state("apart") for other in others(aws, place)} <= {"OK", "INSUFFICIENT_DATA"}


def test_queue_reports_its_levels_where_it_is(aws: Emulator, place: Place) -> None:
    name = f"levels-{place.account}-{place.region}"
    url = place.client("sqs").create_queue(QueueName=name)["QueueUrl"]
    place.client("sqs").send_message(QueueUrl=url, MessageBody="x")
    for somewhere in (place, *others(aws, place)):
        somewhere.alarm(name, "AWS/SQS", "ApproximateNumberOfMessagesVisible", {"QueueName": name})
    eventually(lambda: place.state(name) == "ALARM")
    assert {other.state(name) for other in others(aws, place)} <= {"OK", "INSUFFICIENT_DATA"}
