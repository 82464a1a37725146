"""Alarms in the local AWS: from a point to the message in a queue, with every policy on the way."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.emulator import Emulator, EmulatorError
from tests.support.limits import HANG_SECONDS
from tests.support.local_aws import ACCOUNT, eventually, policy, queue_arn, refused

pytestmark = pytest.mark.emulator

POINT = {"Namespace": "Shop", "MetricName": "Failed", "Dimensions": {"service": "charge"}}
CLOUDWATCH = {"Service": "cloudwatch.amazonaws.com"}
SNS = {"Service": "sns.amazonaws.com"}
KEY_USE = ["kms:Decrypt", "kms:GenerateDataKey*"]
OWN = {"StringEquals": {"aws:SourceAccount": ACCOUNT}}


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with Emulator.start(tmp_path_factory.mktemp("alarms") / "emulator.log") as emulator:
        yield emulator


def key(aws: Emulator, *statements: dict[str, Any]) -> str:
    root = {"Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}, "Action": "kms:*"}
    created = aws.client("kms").create_key(Policy=policy(root, *statements))
    return str(created["KeyMetadata"]["Arn"])


def topic(aws: Emulator, name: str, **attributes: str) -> str:
    return str(aws.client("sns").create_topic(Name=name, Attributes=attributes)["TopicArn"])


def inbox(aws: Emulator, name: str, topic_arn: str, **attributes: str) -> None:
    """Subscribe a queue to a topic; raw, and with a policy that lets the topic in unless told otherwise."""
    admit = policy({"Principal": SNS, "Action": "sqs:SendMessage", "Condition": OWN})
    aws.client("sqs").create_queue(QueueName=name, Attributes={"Policy": admit, **attributes})
    aws.client("sns").subscribe(
        TopicArn=topic_arn,
        Protocol="sqs",
        Endpoint=queue_arn(name),
        Attributes={"RawMessageDelivery": "true"},
    )


def alarm(aws: Emulator, name: str, *topics: str, **changes: Any) -> str:
    dimensions = [{"Name": "service", "Value": changes.pop("service", "charge")}]
    aws.client("cloudwatch").put_metric_alarm(
        AlarmName=name,
        Namespace="Shop",
        MetricName="Failed",
        Dimensions=dimensions,
        Statistic="Sum",
        Period=60,
        EvaluationPeriods=1,
        Threshold=1,
        ComparisonOperator="GreaterThanOrEqualToThreshold",
        TreatMissingData="notBreaching",
        AlarmActions=list(topics),
        OKActions=list(topics),
        **changes,
    )
    return name


def fire(aws: Emulator, service: str) -> None:
    aws.publish([{**POINT, "Dimensions": {"service": service}, "Value": 1}])


def test_alarm_fires_and_recovers_through_topic_and_queue(aws: Emulator) -> None:
    arn = topic(aws, "plain")
    inbox(aws, "plain", arn)
    alarm(aws, "plain", arn, service="plain")
    aws.publish([])
    fire(aws, "plain")
    aws.advance_alarms(600)
    bodies = [json.loads(message["body"]) for message in aws.peek("plain")]
    assert [(body["OldStateValue"], body["NewStateValue"]) for body in bodies] == [
        ("INSUFFICIENT_DATA", "OK"),
        ("OK", "ALARM"),
        ("ALARM", "OK"),
    ]
    assert [change["new"] for change in aws.alarm_history("plain")] == ["OK", "ALARM", "OK"]
    assert bodies[1]["AlarmArn"] == f"arn:aws:cloudwatch:ap-northeast-1:{ACCOUNT}:alarm:plain"


def test_without_raw_delivery_the_message_comes_in_an_envelope_with_its_subject(aws: Emulator) -> None:
    arn = topic(aws, "wrapped")
    admit = policy({"Principal": SNS, "Action": "sqs:SendMessage"})
    aws.client("sqs").create_queue(QueueName="wrapped", Attributes={"Policy": admit})
    aws.client("sns").subscribe(TopicArn=arn, Protocol="sqs", Endpoint=queue_arn("wrapped"))
    alarm(aws, "wrapped", arn, service="wrapped")
    fire(aws, "wrapped")
    (envelope,) = [json.loads(message["body"]) for message in aws.peek("wrapped")]
    assert envelope["Subject"] == 'ALARM: "wrapped" in Asia Pacific (Tokyo)'
    assert json.loads(envelope["Message"])["AlarmName"] == "wrapped"


def test_alarm_is_evaluated_by_itself_within_seconds(aws: Emulator) -> None:
    alarm(aws, "itself", service="itself")
    aws.client("cloudwatch").put_metric_data(
        Namespace="Shop",
        MetricData=[
            {"MetricName": "Failed", "Dimensions": [{"Name": "service", "Value": "itself"}], "Value": 1}
        ],
    )
    eventually(lambda: [change["new"] for change in aws.alarm_history("itself")] == ["ALARM"])


@pytest.mark.parametrize(
    ("name", "policies"),
    [
        ("no statement", []),
        ("decrypt only", [{"Principal": CLOUDWATCH, "Action": "kms:Decrypt"}]),
        ("data key only", [{"Principal": CLOUDWATCH, "Action": "kms:GenerateDataKey*"}]),
        ("other service", [{"Principal": SNS, "Action": KEY_USE}]),
        (
            "other account",
            [
                {
                    "Principal": CLOUDWATCH,
                    "Action": KEY_USE,
                    "Condition": {"StringEquals": {"aws:SourceAccount": "999999999999"}},
                }
            ],
        ),
    ],
)
def test_topic_whose_key_does_not_admit_cloudwatch_stays_silent(
    aws: Emulator, name: str, policies: list[dict[str, Any]]
) -> None:
    name = name.replace(" ", "-")
    arn = topic(aws, name, KmsMasterKeyId=key(aws, *policies))
    inbox(aws, name, arn)
    alarm(aws, name, arn, service=name)
    fire(aws, name)
    assert aws.peek(name) == []
    (message,) = [told for told in aws.alarm_messages() if told["alarm"] == name]
    assert "does not let cloudwatch.amazonaws.com use it" in message["dropped"]
    assert aws.alarm_history(name)[-1]["new"] == "ALARM"


def test_topic_whose_key_admits_cloudwatch_tells(aws: Emulator) -> None:
    grant = {
        "Principal": CLOUDWATCH,
        "Action": KEY_USE,
        "Condition": {
            **OWN,
            "ArnLike": {"aws:SourceArn": f"arn:aws:cloudwatch:ap-northeast-1:{ACCOUNT}:alarm:*"},
        },
    }
    arn = topic(aws, "admitted", KmsMasterKeyId=key(aws, grant))
    inbox(aws, "admitted", arn)
    alarm(aws, "admitted", arn, service="admitted")
    fire(aws, "admitted")
    assert len(aws.peek("admitted")) == 1


def test_the_key_that_sns_brings_along_never_admits_cloudwatch(aws: Emulator) -> None:
    arn = topic(aws, "own-key", KmsMasterKeyId="alias/aws/sns")
    inbox(aws, "own-key", arn)
    alarm(aws, "own-key", arn, service="own-key")
    fire(aws, "own-key")
    assert aws.peek("own-key") == []
    assert any(
        denial["principal"] == "cloudwatch.amazonaws.com" and denial["resource"] == "alias/aws/sns"
        for denial in aws.state()["denials"]
    )


@pytest.mark.parametrize(
    ("name", "statement", "arrives"),
    [
        ("policy-admits", {"Principal": CLOUDWATCH, "Action": "sns:Publish", "Condition": OWN}, 1),
        ("policy-of-others", {"Principal": SNS, "Action": "sns:Publish"}, 0),
        (
            "policy-of-account",
            {"Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}, "Action": "sns:Publish"},
            0,
        ),
        (
            "policy-of-other-alarms",
            {
                "Principal": CLOUDWATCH,
                "Action": "sns:Publish",
                "Condition": {"ArnLike": {"aws:SourceArn": "arn:aws:cloudwatch:*:*:alarm:other-*"}},
            },
            0,
        ),
    ],
)
def test_topics_policy_decides_whether_cloudwatch_may_publish(
    aws: Emulator, name: str, statement: dict[str, Any], arrives: int
) -> None:
    arn = topic(aws, name, Policy=policy(statement))
    inbox(aws, name, arn)
    alarm(aws, name, arn, service=name)
    fire(aws, name)
    assert len(aws.peek(name)) == arrives


@pytest.mark.parametrize(
    ("name", "grants", "arrives"),
    [("queue-key-admits", [{"Principal": SNS, "Action": KEY_USE}], 1), ("queue-key-refuses", [], 0)],
)
def test_queue_with_a_key_takes_a_topics_message_only_if_the_key_admits_sns(
    aws: Emulator, name: str, grants: list[dict[str, Any]], arrives: int
) -> None:
    arn = topic(aws, name)
    inbox(aws, name, arn, KmsMasterKeyId=key(aws, *grants))
    aws.client("sns").publish(TopicArn=arn, Message="hello")
    assert len(aws.peek(name)) == arrives
    failed = sum_of(aws, "AWS/SNS", "NumberOfNotificationsFailed", {"TopicName": name})
    assert failed == 1 - arrives


def sum_of(aws: Emulator, namespace: str, name: str, dimensions: dict[str, str]) -> float:
    now = aws.alarm_clock()
    answer = aws.client("cloudwatch").get_metric_statistics(
        Namespace=namespace,
        MetricName=name,
        Dimensions=[{"Name": key, "Value": value} for key, value in dimensions.items()],
        StartTime=now - timedelta(minutes=10),
        EndTime=now + timedelta(minutes=1),
        Period=60,
        Statistics=["Sum"],
    )
    return float(sum(point["Sum"] for point in answer["Datapoints"]))


def test_queue_without_a_policy_takes_nothing(aws: Emulator) -> None:
    arn = topic(aws, "closed")
    inbox(aws, "closed", arn)
    aws.client("sqs").set_queue_attributes(
        QueueUrl=aws.client("sqs").get_queue_url(QueueName="closed")["QueueUrl"], Attributes={"Policy": ""}
    )
    aws.client("sns").publish(TopicArn=arn, Message="hello")
    assert aws.peek("closed") == []


def test_composite_speaks_for_its_member_and_is_silent_during_maintenance(aws: Emulator) -> None:
    cloudwatch = aws.client("cloudwatch")
    arn = topic(aws, "composite")
    inbox(aws, "composite", arn)
    alarm(aws, "member", service="member")
    alarm(aws, "maintenance", service="maintenance")
    cloudwatch.put_composite_alarm(
        AlarmName="broken",
        AlarmRule='ALARM("member")',
        AlarmActions=[arn],
        OKActions=[arn],
        ActionsSuppressor="maintenance",
        ActionsSuppressorWaitPeriod=60,
        ActionsSuppressorExtensionPeriod=60,
    )
    aws.advance_alarms(300)
    fire(aws, "maintenance")
    fire(aws, "member")
    aws.advance_alarms(60)
    (found,) = cloudwatch.describe_alarms(AlarmNames=["broken"], AlarmTypes=["CompositeAlarm"])[
        "CompositeAlarms"
    ]
    assert (found["StateValue"], found["ActionsSuppressedBy"]) == ("ALARM", "Alarm")
    assert [json.loads(m["body"])["NewStateValue"] for m in aws.peek("composite")] == ["OK"]
    aws.advance_alarms(900)
    bodies = [json.loads(message["body"]) for message in aws.peek("composite")]
    assert [body["NewStateValue"] for body in bodies] == ["OK", "OK"]
    assert bodies[-1]["TriggeringChildren"][0]["Arn"].endswith(":alarm:member")


def test_member_and_suppressor_cannot_be_deleted_before_their_composite(aws: Emulator) -> None:
    cloudwatch = aws.client("cloudwatch")
    for name in ("kept-child", "kept-suppressor"):
        alarm(aws, name, service=name)
    cloudwatch.put_composite_alarm(
        AlarmName="keeper",
        AlarmRule='ALARM("kept-child")',
        ActionsSuppressor="kept-suppressor",
        ActionsSuppressorWaitPeriod=60,
        ActionsSuppressorExtensionPeriod=60,
    )
    for name in ("kept-child", "kept-suppressor"):
        assert refused(cloudwatch.delete_alarms, AlarmNames=[name]) == "ValidationError"
    cloudwatch.delete_alarms(AlarmNames=["keeper"])
    cloudwatch.delete_alarms(AlarmNames=["kept-child", "kept-suppressor"])
    fire(aws, "kept-child")
    assert all(change["new"] != "ALARM" for change in aws.alarm_history("kept-child"))


def test_alarm_that_cloudwatch_would_refuse_is_refused(aws: Emulator) -> None:
    with pytest.raises(ClientError, match="DatapointsToAlarm 3 is between 1 and EvaluationPeriods 1"):
        alarm(aws, "unfit", DatapointsToAlarm=3)
    assert aws.client("cloudwatch").describe_alarms(AlarmNames=["unfit"])["MetricAlarms"] == []


def test_metric_math_is_described_as_it_was_put(aws: Emulator) -> None:
    stat = {"Metric": {"Namespace": "Shop", "MetricName": "Failed"}, "Period": 60, "Stat": "Sum"}
    metrics = [
        {"Id": "m1", "MetricStat": stat, "ReturnData": False},
        {"Id": "e1", "Expression": "FILL(m1, 0)", "Label": "failed", "ReturnData": True},
    ]
    aws.client("cloudwatch").put_metric_alarm(
        AlarmName="math",
        Metrics=metrics,
        EvaluationPeriods=1,
        Threshold=1,
        ComparisonOperator="GreaterThanOrEqualToThreshold",
    )
    (found,) = aws.client("cloudwatch").describe_alarms(AlarmNames=["math"])["MetricAlarms"]
    assert found["Metrics"] == metrics
    assert "Period" not in found


@pytest.mark.parametrize(
    ("namespace", "when"),
    [("AWS/SQS", timedelta()), ("Shop", timedelta(hours=2, minutes=1)), ("Shop", -timedelta(days=15))],
    ids=["a namespace of AWS's", "over two hours ahead", "over two weeks old"],
)
def test_callers_may_not_put_such_points(aws: Emulator, namespace: str, when: timedelta) -> None:
    point = {"MetricName": "Failed", "Value": 1, "Timestamp": datetime.now(UTC) + when}
    put = aws.client("cloudwatch").put_metric_data
    assert refused(put, Namespace=namespace, MetricData=[point]) == "InvalidParameterValue"


def test_clock_moves_forward_only_and_takes_states_with_it(aws: Emulator) -> None:
    before = aws.alarm_clock()
    aws.advance_alarms(86_400)
    assert timedelta(days=1) <= aws.alarm_clock() - before < timedelta(days=1, minutes=1)
    with pytest.raises(EmulatorError, match="only goes forward"):
        aws.advance_alarms(-1)


def test_points_of_callers_are_moved_into_the_clock(aws: Emulator) -> None:
    aws.advance_alarms(3600)
    aws.client("cloudwatch").put_metric_data(
        Namespace="Moved", MetricData=[{"MetricName": "Now", "Value": 7, "Timestamp": datetime.now(UTC)}]
    )
    assert sum_of(aws, "Moved", "Now", {}) == 7


def test_a_day_of_the_clock_is_over_in_moments(aws: Emulator) -> None:
    before = time.monotonic()
    aws.advance_alarms(86_400)
    assert time.monotonic() - before < HANG_SECONDS


def test_point_that_lacks_something_is_named(aws: Emulator) -> None:
    with pytest.raises(EmulatorError, match="lacks 'MetricName'"):
        aws.publish([{"Namespace": "Shop", "Value": 1}])


def test_history_tells_states_and_actions(aws: Emulator) -> None:
    alarm(aws, "told", "arn:aws:sns:ap-northeast-1:111122223333:absent", service="told")
    fire(aws, "told")
    items = aws.client("cloudwatch").describe_alarm_history(AlarmName="told")["AlarmHistoryItems"]
    assert [item["HistoryItemType"] for item in items] == ["Action", "StateUpdate"]
    assert "there is no such topic" in items[0]["HistorySummary"]
    change = json.loads(items[1]["HistoryData"])
    assert change["newState"]["stateReasonData"]["recentDatapoints"] == [1.0]


def test_math_over_metrics_can_be_asked_for(aws: Emulator) -> None:
    aws.publish(
        [{"Namespace": "Asked", "MetricName": name, "Value": value} for name, value in (("a", 6), ("b", 3))]
    )
    queries: list[dict[str, Any]] = [
        {
            "Id": name,
            "MetricStat": {
                "Metric": {"Namespace": "Asked", "MetricName": name},
                "Period": 60,
                "Stat": "Sum",
            },
            "ReturnData": False,
        }
        for name in ("a", "b")
    ]
    queries.append({"Id": "share", "Expression": "100 * b / a"})
    now = aws.alarm_clock()
    answer = aws.client("cloudwatch").get_metric_data(
        MetricDataQueries=queries, StartTime=now - timedelta(minutes=2), EndTime=now + timedelta(minutes=1)
    )
    (result,) = answer["MetricDataResults"]
    assert result["Values"] == [50.0]
