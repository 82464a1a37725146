"""Every module takes what is made in the same plan, though its ARN is known after the apply only."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from deploy.offline import provider_block
from deploy.terraform import Terraform
from local.emulator import Emulator
from tests.terraform.conftest import DIST
from tests.terraform.modules import MODULES, Module
from tests.terraform.plans import Plan

pytestmark = [pytest.mark.terraform, pytest.mark.emulator]

KEY, TOPIC = "${aws_kms_key.made.arn}", "${aws_sns_topic.made.arn}"
ARN = "arn:aws:{service}:ap-northeast-1:111122223333:{name}"
TABLE = {
    "arn": ARN.format(service="dynamodb", name="table/same-jobs"),
    "name": "same-jobs",
    "kms_key_arn": KEY,
}
PACKAGE = str(DIST / "charge_consumer.zip")
BUS_FILTER = {"queue_arn": ARN.format(service="sqs", name="q"), "filter": '{"source": ["orders"]}'}
FAILURES = {
    "failure_queue_arn": ARN.format(service="sqs", name="f"),
    "failure_queue_policy_json": '{"Version": "2012-10-17", "Statement": []}',
}
CHANNEL: dict[str, Any] = {
    "name": "same-alerts",
    "environment": "same",
    "key": {"arn": KEY},
    "slack": {
        "package": PACKAGE,
        "credentials": {"ssm_parameter_name": "/same/slack", "kms_key_arn": KEY},
    },
    "log_groups": {"made": "${aws_cloudwatch_log_group.made.name}"},
}
CALLS: dict[str, list[dict[str, Any]]] = {
    "alarm-pack": [
        {
            "name": "same",
            "runbook_url": "https://git.example.com/runbook.md",
            "topics": dict.fromkeys(("critical", "warning", "info"), TOPIC),
            "topics_watched": {"made": {"topic_name": "${aws_sns_topic.made.name}"}},
        }
    ],
    "alert-channel": [CHANNEL],
    "failure-queue": [{"name": "same-failures", "kms_key_arn": KEY}],
    "fan-out": [
        {
            "name": "same-bus",
            "bus": {"name": "${aws_cloudwatch_event_bus.made.id}"},
            "subscriptions": {"q": BUS_FILTER},
            "kms_key_arn": KEY,
        },
        {
            "name": "same-topic",
            "topic": {"arn": TOPIC},
            "subscriptions": {"q": {"queue_arn": BUS_FILTER["queue_arn"]}},
        },
    ],
    "fifo-queue-with-dlq": [
        {"name": "same", "consumer_timeout_seconds": 60, "encryption": {"kms_key_arn": KEY}}
    ],
    "job-table": [{"name": "same-table", "kms_key_arn": KEY}],
    "monthly-job": [
        {
            "name": "same-charge",
            "job": "charge",
            "tables": {"jobs": TABLE, "directory": TABLE, "idempotency": TABLE},
            "schedule": {"timezone": "Asia/Tokyo"},
            "dispatcher": {"package": PACKAGE},
            "consumer": {"package": PACKAGE, "handler": "charge_consumer.handler.handler"},
            "auditor": {"package": PACKAGE},
            "payloads": {
                "bucket_name": "same-payloads",
                "bucket_arn": "${aws_s3_bucket.made.arn}",
                "kms_key_arn": KEY,
            },
            "kms_key_arn": KEY,
        }
    ],
    "platform": [
        {
            "name": "same",
            "dist": str(DIST),
            "timezone": "Asia/Tokyo",
            "jobs": {"charge": {"redriver": {}}, "co2": {}},
            "alerts": {
                "runbook_url": "https://git.example.com/runbook.md",
                "slack": {"credentials": {"ssm_parameter_name": "/same/slack"}},
            },
            "kms_key_arn": KEY,
        }
    ],
    "python-function": [
        {
            "name": "same",
            "package": {"path": PACKAGE, "handler": "charge_consumer.handler.handler"},
            "environment_kms_key_arn": KEY,
            "log": {"kms_key_arn": KEY},
            "asynchronous": FAILURES,
        }
    ],
    "queue-access": [
        {
            "queue_arn": BUS_FILTER["queue_arn"],
            "service_senders": {"topic": {"service": "sns.amazonaws.com", "source_arns": [TOPIC]}},
        }
    ],
    "queue-with-dlq": [
        {
            "name": "same-shared",
            "consumer_timeout_seconds": 60,
            "encryption": {"kms_key_arn": KEY},
            "access": {
                "service_senders": {"topic": {"service": "sns.amazonaws.com", "source_arns": [TOPIC]}}
            },
        }
    ],
    "scheduler-fanout": [
        {
            "name": "same-schedules",
            "kms_key_arn": KEY,
            "schedules": {
                "one": {
                    "function_arn": ARN.format(service="lambda", name="function:f"),
                    "expression": "rate(1 hour)",
                    "timezone": "UTC",
                }
            },
        }
    ],
    "standard-queue-with-dlq": [
        {
            "name": "same-standard",
            "reason": "Neither the order of these nor repeats matter.",
            "consumer_timeout_seconds": 60,
            "encryption": {"kms_key_arn": KEY},
        }
    ],
}
MADE = {
    "aws_kms_key": {"made": {"enable_key_rotation": True}},
    "aws_sns_topic": {"made": {"name": "same-topic"}},
    "aws_cloudwatch_event_bus": {"made": {"name": "same-bus"}},
    "aws_cloudwatch_log_group": {"made": {"name": "/aws/lambda/same"}},
    "aws_s3_bucket": {"made": {"bucket": "same-payloads"}},
}


def test_every_module_is_called() -> None:
    assert CALLS.keys() == {module.name for module in Module.all()}


@pytest.mark.parametrize("module", CALLS)
def test_module_takes_what_is_made_in_the_same_plan(
    module: str, aws: Emulator, attached: dict[str, str], tmp_path: Path
) -> None:
    shutil.copytree(MODULES, tmp_path / "modules")
    provider = provider_block(aws.endpoint, {"region": '"ap-northeast-1"'})
    (tmp_path / "provider.tf").write_text(provider, encoding="utf-8")
    calls = {
        f"call_{number}": call | {"source": f"./modules/{module}"}
        for number, call in enumerate(CALLS[module])
    }
    (tmp_path / "main.tf.json").write_text(json.dumps({"resource": MADE, "module": calls}), encoding="utf-8")
    root = Terraform(
        tmp_path, attached, data_dir=tmp_path / "terraform", state=tmp_path / "terraform.tfstate"
    )
    root.init()

    plan = Plan.of(root, tmp_path / "plans")

    assert plan.unknown("aws_kms_key.made", "arn")
    if module != "queue-access":  # it has no resources
        assert [address for address in plan.addresses() if address.startswith("module.")]
