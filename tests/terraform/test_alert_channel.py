"""alert-channel's policies as planned, and what the gate says of it together with alarms and keys."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deploy.offline import provider_block
from deploy.plan import PlanFiles
from deploy.terraform import Terraform
from local.emulator import Emulator
from policies.judge import Verdict, judge
from policies.plan import read_plan
from tests.terraform.conftest import DIST
from tests.terraform.modules import MODULES
from tests.terraform.plans import Plan, listed

pytestmark = [pytest.mark.terraform, pytest.mark.emulator]
Arguments = dict[str, Any]

ARN = "arn:aws:{service}:ap-northeast-1:111122223333:{resource}"
TABLE = ARN.format(service="dynamodb", resource="table/prod-alerts-incidents")
QUEUE = ARN.format(service="sqs", resource="prod-alerts-notifier")
LOGS = ARN.format(service="logs", resource="log-group:/aws/lambda/prod-alerts-notifier:*")
TOPIC = ARN.format(service="sns", resource="prod-alerts-{severity}")
ALARMS = ARN.format(service="cloudwatch", resource="alarm:*")
SEVERITIES = ("critical", "warning", "info")

SLACK: Arguments = {
    "package": str(DIST / "alarm_notifier.zip"),
    "credentials": {"ssm_parameter_name": "/prod/slack"},
    "channels": {"critical": "C0CRITICAL", "warning": "C0WARNING", "info": "C0INFO"},
}
CHANNEL: Arguments = {
    "source": "./modules/alert-channel",
    "name": "prod-alerts",
    "environment": "prod",
    "slack": SLACK,
    "log_groups": {"consumer": "/aws/lambda/prod-charge-consumer"},
}
# What watches the channel itself, and a function.
PACK: Arguments = {
    "source": "./modules/alarm-pack",
    "name": "prod-platform",
    "topics": "${module.alerts.topics}",
    "runbook_url": "https://git.example.com/runbook.md",
    "queues": "${module.alerts.monitoring.queues}",
    "functions": "${module.alerts.monitoring.functions}",
    "failure_queues": "${module.alerts.monitoring.failure_queues}",
    "topics_watched": "${module.alerts.monitoring.topics}",
}
MAILBOX: Arguments = {
    "source": "./modules/alert-channel",
    "name": "prod-alerts",
    "environment": "prod",
    "email": {"on-call": {"address": "on-call@example.com"}},
}
KEY: Arguments = {"deletion_window_in_days": 30, "enable_key_rotation": True}


@pytest.fixture
def plans(aws: Emulator, attached: dict[str, str], tmp_path: Path) -> Callable[[Arguments], Path]:
    """`plans(document)`: the plan of a root, as a file."""
    shutil.copytree(MODULES, tmp_path / "modules")
    provider = provider_block(aws.endpoint, {"region": '"ap-northeast-1"'})
    (tmp_path / "provider.tf").write_text(provider, encoding="utf-8")

    def plan(document: Arguments) -> Path:
        (tmp_path / "main.tf.json").write_text(json.dumps(document), encoding="utf-8")
        root = Terraform(
            tmp_path, attached, data_dir=tmp_path / "terraform", state=tmp_path / "terraform.tfstate"
        )
        root.init()
        files = PlanFiles.of(tmp_path / "plans", "plan")
        files.make(root)
        return files.text

    return plan


def _plan(file: Path) -> Plan:
    return Plan(json.loads(file.read_text(encoding="utf-8")))


def _services(policy: str) -> dict[str, dict[str, Any]]:
    """The statements of a policy that admit a service, by the service."""
    return {
        statement["Principal"]["Service"]: statement
        for statement in json.loads(policy)["Statement"]
        if "Service" in statement.get("Principal", {})
    }


def test_role_key_and_topics_admit_who_is_meant_and_no_one_else(plans: Callable[[Arguments], Path]) -> None:
    plan = _plan(plans({"module": {"alerts": CHANNEL}}))

    assert plan.grants()["prod-alerts-notifier-ap-northeast-1"] == {
        ("dynamodb:GetItem", TABLE),
        ("dynamodb:UpdateItem", TABLE),
        ("ssm:GetParameter", ARN.format(service="ssm", resource="parameter/prod/slack")),
        ("cloudwatch:DescribeAlarms", "*"),
        *{
            (f"sqs:{action}", QUEUE)
            for action in (
                "SendMessage",
                "ChangeMessageVisibility",
                "DeleteMessage",
                "GetQueueAttributes",
                "ReceiveMessage",
            )
        },
        ("sqs:SendMessage", f"{QUEUE}-dlq"),
        ("sqs:SendMessage", f"{QUEUE}-failures"),
        ("logs:CreateLogStream", LOGS),
        ("logs:PutLogEvents", LOGS),
        ("xray:PutTelemetryRecords", "*"),
        ("xray:PutTraceSegments", "*"),
    }

    (key,) = plan.resources("aws_kms_key").values()
    users = _services(key["policy"])
    account = {"aws:SourceAccount": "111122223333"}
    assert users.keys() == {"cloudwatch.amazonaws.com", "sns.amazonaws.com"}
    for statement in users.values():
        assert set(listed(statement["Action"])) == {"kms:Decrypt", "kms:GenerateDataKey*"}
        assert statement["Condition"]["StringEquals"] == account
    assert users["cloudwatch.amazonaws.com"]["Condition"]["ArnLike"] == {"aws:SourceArn": ALARMS}
    assert set(users["sns.amazonaws.com"]["Condition"]["ArnLike"]["aws:SourceArn"]) == {
        TOPIC.format(severity=severity) for severity in SEVERITIES
    }

    policies = plan.resources("aws_sns_topic_policy")
    assert len(policies) == len(SEVERITIES)
    for policy in policies.values():
        (publisher,) = _services(policy["policy"]).values()
        assert (publisher["Principal"]["Service"], publisher["Action"]) == (
            "cloudwatch.amazonaws.com",
            "sns:Publish",
        )
        assert publisher["Condition"] == {
            "StringEquals": account,
            "ArnLike": {"aws:SourceArn": ALARMS},
        }
        denied = [s for s in json.loads(policy["policy"])["Statement"] if s["Effect"] == "Deny"]
        assert [s["Condition"] for s in denied] == [{"Bool": {"aws:SecureTransport": "false"}}]


def test_a_secret_under_a_key_needs_the_key_and_no_other(plans: Callable[[Arguments], Path]) -> None:
    key, secret = (
        ARN.format(service="kms", resource="key/0a1b"),
        ARN.format(service="secretsmanager", resource="secret:prod/slack-AbCdEf"),
    )
    credentials = {"secrets_manager_secret_arn": secret, "kms_key_arn": key}
    slack = SLACK | {"credentials": credentials}
    granted = _plan(plans({"module": {"alerts": CHANNEL | {"slack": slack}}})).grants()[
        "prod-alerts-notifier-ap-northeast-1"
    ]

    assert ("secretsmanager:GetSecretValue", secret) in granted
    assert ("kms:Decrypt", key) in granted
    assert not [pair for pair in granted if pair[0].startswith("ssm:")]


def test_the_gate_finds_nothing_in_a_channel_that_is_watched(plans: Callable[[Arguments], Path]) -> None:
    judgement = judge(read_plan(plans({"module": {"alerts": CHANNEL, "alarms": PACK}})))

    found = [(o.rule.id, o.verdict.name, o.address) for o in judgement.outcomes]
    assert [line for line in found if line[1] != "WAIVED"] == []
    assert {"FO203", "FO501", "FO505", "FO506"} <= {rule for rule, _ in judgement.asked}


def test_the_gate_knows_a_key_of_the_same_plan_for_the_channel_s(plans: Callable[[Arguments], Path]) -> None:
    """Policies that name such a key are undecided until it has an ARN; who may use it is not."""
    documents = ["${module.alerts.key_policy_json}"]
    document = {
        "data": {"aws_iam_policy_document": {"key": {"source_policy_documents": documents}}},
        "resource": {"aws_kms_key": {"alerts": KEY | {"policy": "${data.aws_iam_policy_document.key.json}"}}},
        "module": {"alerts": CHANNEL | {"key": {"arn": "${aws_kms_key.alerts.arn}"}}, "alarms": PACK},
    }
    judgement = judge(read_plan(plans(document)))

    of_keys = {"FO501", "FO505", "FO506"}
    assert [(o.verdict.name, o.address) for o in judgement.outcomes if o.rule.id in of_keys] == []
    assert {o.verdict for o in judgement.outcomes} == {Verdict.UNDECIDED}
    assert of_keys <= {rule for rule, _ in judgement.asked}


@pytest.mark.parametrize("granted", [True, False])
def test_a_key_without_the_channel_s_statements_is_refused_by_the_gate(
    plans: Callable[[Arguments], Path], *, granted: bool
) -> None:
    """CloudWatch would drop every alarm without a word."""
    account = {
        "Sid": "Account",
        "Effect": "Allow",
        "Principal": {"AWS": "arn:aws:iam::111122223333:root"},
        "Action": "kms:*",
        "Resource": "*",
    }
    own = json.dumps({"Version": "2012-10-17", "Statement": [account]})
    documents = [own, "${module.alerts.key_policy_json}"] if granted else [own]
    document = {
        "data": {"aws_iam_policy_document": {"key": {"source_policy_documents": documents}}},
        "resource": {
            "aws_kms_key": {"alerts": KEY | {"policy": "${data.aws_iam_policy_document.key.json}"}},
            "aws_sns_topic": {
                "alerts": {"name": "prod-other", "kms_master_key_id": "${aws_kms_key.alerts.arn}"}
            },
            "aws_cloudwatch_metric_alarm": {
                "a": {
                    "alarm_name": "a",
                    "namespace": "AWS/SQS",
                    "metric_name": "ApproximateNumberOfMessagesVisible",
                    "dimensions": {"QueueName": "q"},
                    "statistic": "Maximum",
                    "comparison_operator": "GreaterThanOrEqualToThreshold",
                    "threshold": 1,
                    "period": 60,
                    "evaluation_periods": 1,
                    "treat_missing_data": "notBreaching",
                    "alarm_actions": ["${aws_sns_topic.alerts.arn}"],
                }
            },
        },
        "module": {"alerts": MAILBOX},
    }
    judgement = judge(read_plan(plans(document)))

    refused = {o.address for o in judgement.outcomes if o.rule.id == "FO506" and o.verdict is Verdict.FINDING}
    assert refused == (set() if granted else {"aws_cloudwatch_metric_alarm.a"})
