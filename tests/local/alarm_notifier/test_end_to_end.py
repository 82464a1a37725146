"""From an alarm or an error line to Slack, through the topics, the key, the queue and the role as applied."""

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from local.slack_stub import Fault
from tests.local.alarm_notifier.conftest import NAME, Channel
from tests.support.roles import denied, eventually, without
from tests.support.slack import alarm, composite, description, error_line
from tests.terraform.plans import listed

pytestmark = [pytest.mark.emulator, pytest.mark.terraform]

ROLE = f"{NAME}-notifier-ap-northeast-1"
DEAD = f"{NAME}-notifier-dlq"
_numbers = itertools.count(1)


@pytest.fixture
def service() -> str:
    """A service that no other test speaks of."""
    return f"service-{next(_numbers)}"


@pytest.fixture(autouse=True)
def healthy(channel: Channel) -> Iterator[None]:
    yield
    channel.slack.faults = {}


def told(body: str, service: str) -> str:
    """A notification as that of another service."""
    return body.replace("service: charge", f"service: {service}").replace("prod-charge-", f"{service}-")


def now() -> datetime:
    return datetime.now(UTC)


def test_an_alarm_of_cloudwatch_reaches_slack_and_its_end_too(channel: Channel, service: str) -> None:
    channel.aws.client("cloudwatch").put_metric_alarm(
        AlarmName=f"{service}-dlq-visible",
        AlarmDescription=description("dlq-visible", service),
        Namespace="AWS/SQS",
        MetricName="ApproximateNumberOfMessagesVisible",
        Dimensions=[{"Name": "QueueName", "Value": service}],
        Statistic="Maximum",
        Period=60,
        EvaluationPeriods=1,
        Threshold=1,
        ComparisonOperator="GreaterThanOrEqualToThreshold",
        TreatMissingData="notBreaching",
        AlarmActions=[channel.topics["critical"]],
        OKActions=[channel.topics["critical"]],
    )
    point: dict[str, Any] = {
        "Namespace": "AWS/SQS",
        "MetricName": "ApproximateNumberOfMessagesVisible",
        "Dimensions": {"QueueName": service},
        "Value": 5,
    }
    channel.aws.publish([point])
    channel.aws.advance_alarms(60)
    message = channel.message(f"*{service}*")
    assert message.channel == "C0CRITICAL"
    assert "5 ≥ 1" in message.text
    channel.aws.advance_alarms(600)
    assert eventually(lambda: ":white_check_mark:" in message.text)
    over = "• over: dlq-visible"
    assert eventually(lambda: [reply.text for reply in channel.slack.replies(message)] == [over])


def test_alarms_at_once_and_repeated_are_one_message(channel: Channel, service: str) -> None:
    bodies = [told(alarm(f"alarm-{number}", now()), service) for number in range(6)]
    channel.publish(*bodies, *bodies)
    channel.settled()
    message = channel.message(f"*{service}*")
    assert eventually(lambda: all(f"*alarm-{number}*" in message.text for number in range(6)))
    channel.message(f"*{service}*")


def test_severities_have_their_channels(channel: Channel, service: str) -> None:
    channel.publish(told(alarm("a", now(), severity="info"), service), severity="info")
    assert channel.message(f"*{service}*").channel == "C0INFO"


def test_a_composite_tells_what_is_behind_it(channel: Channel, service: str) -> None:
    cloudwatch = channel.aws.client("cloudwatch")
    cloudwatch.put_metric_alarm(
        AlarmName=f"{service}-dlq-visible",
        Namespace=service,
        MetricName="Failed",
        Statistic="Sum",
        Period=60,
        EvaluationPeriods=1,
        Threshold=2,
        ComparisonOperator="GreaterThanThreshold",
        TreatMissingData="ignore",  # as it is set, until there is data
    )
    cloudwatch.set_alarm_state(AlarmName=f"{service}-dlq-visible", StateValue="ALARM", StateReason="a test")
    channel.publish(told(composite("broken", now()), service))
    message = channel.message(f"*{service} is broken*")
    assert "◦ dlq-visible" in message.text
    assert "&gt; 2" in message.text


def test_what_slack_does_not_take_is_told_when_it_does(channel: Channel, service: str) -> None:
    channel.slack.faults = {Fault.UNAVAILABLE: 1}
    before = channel.slack.met[Fault.UNAVAILABLE]
    channel.publish(told(alarm("a", now()), service))
    assert eventually(lambda: channel.slack.met[Fault.UNAVAILABLE] >= before + 2)
    channel.slack.faults = {}
    channel.message(f"*{service}*")
    channel.settled()
    channel.message(f"*{service}*")


def test_a_message_that_slack_took_without_an_answer_is_not_posted_again(
    channel: Channel, service: str
) -> None:
    channel.slack.faults = {Fault.TOOK_DROPS: 1}
    channel.publish(told(alarm("a", now()), service))
    channel.message(f"*{service}*")
    channel.slack.faults = {}
    channel.settled()
    channel.message(f"*{service}*")


def test_error_lines_are_told_by_kind_masked_and_over_when_it_is_quiet(
    channel: Channel, service: str
) -> None:
    lines = [
        error_line(f"no card {number} of acme", service=service, tenant_id="acme") for number in range(30)
    ]
    channel.log(*lines, error_line("an ERROR that is none", level="INFO", service=service))
    message = channel.message(f"*{service}*")
    assert "30x prod-charge-consumer: no card 0 of [masked]" in message.text
    assert "acme" not in message.text
    assert "that is none" not in message.text
    assert eventually(lambda: ":white_check_mark:" in message.text, 20)


def test_lines_of_lambda_itself_are_told(channel: Channel) -> None:
    channel.log(
        "2026-11-30T18:00:00.123Z 3f1c2b1a-0000-4000-8000-0123456789ab Task timed out after 60.06 seconds"
    )
    assert "Task timed out after 60.06 seconds" in channel.message("*prod-charge-consumer*").text


def test_an_unreadable_message_is_told_and_kept(channel: Channel) -> None:
    channel.publish("no alarm at all")
    channel.message("a message could not be read")
    assert eventually(lambda: [m["body"] for m in channel.aws.peek(DEAD)] == ["no alarm at all"])


def test_a_subscription_that_waits_to_be_confirmed_has_an_arn(channel: Channel) -> None:
    sns = channel.aws.client("sns")
    given = {"TopicArn": channel.topics["info"], "Protocol": "https", "Endpoint": "https://127.0.0.1:9/hook"}
    assert sns.subscribe(**given)["SubscriptionArn"] == "pending confirmation"
    arn = sns.subscribe(**given, ReturnSubscriptionArn=True)["SubscriptionArn"]
    assert sns.get_subscription_attributes(SubscriptionArn=arn)["Attributes"]["PendingConfirmation"] == "true"
    sns.unsubscribe(SubscriptionArn=arn)


def test_nothing_was_denied_so_far(channel: Channel) -> None:
    channel.settled()
    assert [denial for denial in channel.aws.state()["denials"] if ROLE in denial["principal"]] == []


PERMISSIONS = (
    "cloudwatch:DescribeAlarms",
    "dynamodb:GetItem",
    "dynamodb:UpdateItem",
    "logs:CreateLogStream",
    "logs:PutLogEvents",
    "sqs:ChangeMessageVisibility",
    "sqs:DeleteMessage",
    "sqs:GetQueueAttributes",
    "sqs:ReceiveMessage",
    "sqs:SendMessage",
    "ssm:GetParameter",
    "xray:PutTelemetryRecords",
    "xray:PutTraceSegments",
)


@pytest.mark.parametrize("action", PERMISSIONS)
def test_the_notifier_misses_the_permission(channel: Channel, service: str, action: str) -> None:
    before = denied(channel.aws, ROLE, action)
    channel.new_container()
    if action == "sqs:ChangeMessageVisibility":
        channel.slack.faults = {Fault.UNAVAILABLE: 1}
    with without(channel.aws, ROLE, action):
        channel.publish(told(composite("broken", now()), service))
        channel.log(error_line("a", service=service))
        assert eventually(lambda: denied(channel.aws, ROLE, action) > before, 40), f"nothing needed {action}"


def test_every_permission_of_the_role_is_tried_here(channel: Channel) -> None:
    iam = channel.aws.client("iam")
    granted = {
        action
        for name in iam.list_role_policies(RoleName=ROLE)["PolicyNames"]
        for statement in iam.get_role_policy(RoleName=ROLE, PolicyName=name)["PolicyDocument"]["Statement"]
        for action in listed(statement["Action"])
    }
    assert granted == set(PERMISSIONS)
