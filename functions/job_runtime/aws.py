"""The boto3 clients: made once a container, with retries, timeouts and pool size said here and nowhere else.

boto3 comes from the Lambda runtime and its defaults change with its version, so none of them is relied upon.
"""

from functools import cache
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config

if TYPE_CHECKING:
    from mypy_boto3_cloudwatch import CloudWatchClient
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_secretsmanager import SecretsManagerClient
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_ssm import SSMClient

CONFIG = Config(
    retries={"mode": "standard", "total_max_attempts": 4},
    connect_timeout=2,
    read_timeout=5,
    max_pool_connections=32,
    tcp_keepalive=True,
    parameter_validation=False,
)
"""Standard mode retries throttling, 5xx and lost connections; it never retries a cancelled transaction.

botocore's own check of parameters, a tenth of the time that a request costs here, is left to the type checker
before and to the service after."""


@cache
def dynamodb() -> "DynamoDBClient":
    """The DynamoDB client of this container."""
    return boto3.client("dynamodb", config=CONFIG)


@cache
def sqs() -> "SQSClient":
    """The SQS client of this container. Not for long polling: its reads give up before 20 s."""
    return boto3.client("sqs", config=CONFIG)


@cache
def s3() -> "S3Client":
    """The S3 client of this container."""
    return boto3.client("s3", config=CONFIG)


@cache
def lambda_() -> "LambdaClient":
    """The Lambda client of this container, for a function that continues itself."""
    return boto3.client("lambda", config=CONFIG)


@cache
def cloudwatch() -> "CloudWatchClient":
    """The CloudWatch client of this container, to ask for the state of alarms; metrics go through the log."""
    return boto3.client("cloudwatch", config=CONFIG)


@cache
def ssm() -> "SSMClient":
    """The Systems Manager client of this container, for parameters."""
    return boto3.client("ssm", config=CONFIG)


@cache
def secretsmanager() -> "SecretsManagerClient":
    """The Secrets Manager client of this container."""
    return boto3.client("secretsmanager", config=CONFIG)


_FACTORIES = (dynamodb, sqs, s3, lambda_, cloudwatch, ssm, secretsmanager)


def forget_clients() -> None:
    """Drop every client made so far; the next use makes a new one (another account, another endpoint)."""
    for factory in _FACTORIES:
        factory.cache_clear()
