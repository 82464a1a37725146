"""What a consumer loads and makes before its first message."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

ENVIRONMENT = {
    "JOB_TABLE": "job",
    "DIRECTORY_TABLE": "directory",
    "IDEMPOTENCY_TABLE": "claims",
    "QUEUE_URL": "https://sqs.example/1/q.fifo",
    "DLQ_URL": "https://sqs.example/1/q-dlq.fifo",
    "AWS_DEFAULT_REGION": "ap-northeast-1",
}
PROBE = """
import json, sys
import boto3
made = []
real = boto3.client
boto3.client = lambda service, **options: made.append(service) or real(service, **options)
import {package}.handler
print(json.dumps({{"modules": sorted(sys.modules), "clients": sorted(made)}}))
"""


def start(package: str, **environment: str) -> Any:
    """A new process that loads the Lambda entry; what it loaded and which clients it made."""
    inherited = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME"}}
    ended = subprocess.run(
        [sys.executable, "-c", PROBE.format(package=package)],
        env={**inherited, "PYTHONPATH": "functions", **ENVIRONMENT, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return json.loads(ended.stdout) if ended.returncode == 0 else ended.stderr


@pytest.mark.parametrize(
    ("package", "job", "foreign"),
    [
        ("charge_consumer", "charge", ["aws_lambda_powertools.utilities.idempotency", "co2_consumer"]),
        (
            "co2_consumer",
            "co2",
            ["charge_consumer", "job_runtime.effects.lease", "job_runtime.effects.transaction"],
        ),
    ],
)
def test_a_consumer_loads_what_it_uses_and_makes_each_client_once(
    package: str, job: str, foreign: list[str]
) -> None:
    loaded = start(package, JOB_NAME=job)
    never = [
        "aws_xray_sdk",
        "monthly_dispatcher",
        "run_auditor",
        "job_runtime.sender",
        "job_runtime.heartbeat",
    ]
    never += [
        "aws_lambda_powertools.event_handler",
        "aws_lambda_powertools.utilities.batch",
        "pydantic",
        "requests",
    ]
    assert [name for name in loaded["modules"] if name in {*never, *foreign}] == []
    assert loaded["clients"] == ["dynamodb", "sqs"]


def test_the_notifier_loads_what_it_uses_and_makes_no_client_for_the_secret_yet() -> None:
    loaded = start(
        "alarm_notifier",
        POWERTOOLS_SERVICE_NAME="alerts",
        CHANNEL_TABLE="alerts",
        ENVIRONMENT="prod",
        SLACK_PARAMETER="/prod/slack",
    )
    foreign = {"aws_lambda_powertools.event_handler", "charge_consumer", "job_runtime.consumer", "requests"}
    assert foreign.isdisjoint(loaded["modules"])
    assert loaded["clients"] == ["cloudwatch", "dynamodb", "sqs"]


def test_a_bucket_adds_its_client() -> None:
    assert start("charge_consumer", JOB_NAME="charge", PAYLOAD_BUCKET="p")["clients"] == [
        "dynamodb",
        "s3",
        "sqs",
    ]


def test_a_wrong_variable_fails_the_start_by_name() -> None:
    said = start("charge_consumer", JOB_NAME="charge", MAX_ATTEMPTS="none")
    assert said.splitlines()[-1].endswith(
        "ConfigurationError: MAX_ATTEMPTS must be a whole number from 1 to 100; leave it out for 5"
    )
