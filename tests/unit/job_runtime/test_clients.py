"""The clients: made once, with nothing left to boto3's defaults."""

from collections.abc import Callable
from typing import Any

import pytest

from job_runtime import aws


@pytest.fixture(autouse=True)
def new_clients(mocked_aws: None) -> None:
    """Made by the test, in the environment that the test sets."""
    aws.forget_clients()


FACTORIES = [aws.dynamodb, aws.sqs, aws.s3, aws.lambda_, aws.cloudwatch, aws.ssm, aws.secretsmanager]


@pytest.mark.parametrize("factory", FACTORIES)
def test_a_client_has_explicit_retries_timeouts_and_pool(factory: Callable[[], Any]) -> None:
    config = factory().meta.config
    assert config.retries == {"mode": "standard", "total_max_attempts": 4}
    assert (config.connect_timeout, config.read_timeout) == (2, 5)
    assert config.max_pool_connections >= 32
    assert config.tcp_keepalive is True


def test_the_environment_does_not_change_the_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_RETRY_MODE", "legacy")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "10")
    config: Any = aws.dynamodb().meta.config
    assert config.retries == {"mode": "standard", "total_max_attempts": 4}


@pytest.mark.parametrize("factory", FACTORIES)
def test_a_client_is_made_once_until_it_is_forgotten(factory: Callable[[], Any]) -> None:
    first = factory()
    assert factory() is first
    aws.forget_clients()
    assert factory() is not first


def test_each_client_is_of_its_own_service() -> None:
    services = [factory().meta.service_model.service_name for factory in FACTORIES]
    assert services == ["dynamodb", "sqs", "s3", "lambda", "cloudwatch", "ssm", "secretsmanager"]
