"""AWS as moto plays it, and a clock that stands still."""

import logging
from collections.abc import Callable, Iterator

import pytest
from aws_lambda_powertools.metrics import Metrics
from moto import mock_aws

from job_runtime import aws
from tests.support.clock import FakeClock
from tests.support.job import Job
from tests.support.output import Output


@pytest.fixture(autouse=True)
def aws_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reaches for real credentials or inherits a setting of the machine."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "ap-northeast-1")
    for name in ("AWS_ENDPOINT_URL", "AWS_PROFILE", "_X_AMZN_TRACE_ID", "POWERTOOLS_SERVICE_NAME"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def fresh_loggers() -> None:
    """Powertools keeps a logger by service for the life of the process, with the stream it began with."""
    for service in ("charge", "co2"):
        logging.root.manager.loggerDict.pop(service, None)


@pytest.fixture(autouse=True)
def no_metrics_of_others() -> None:
    """Powertools keeps what was counted and not published for all metrics of the process."""
    Metrics().clear_metrics()


@pytest.fixture
def output(capsys: pytest.CaptureFixture[str]) -> Callable[[], Output]:
    """What was printed since the last call."""
    return lambda: Output.read(capsys.readouterr().out)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def mocked_aws() -> Iterator[None]:
    """An empty account. The clients outlive it: moto answers every client that was made since it was
    imported."""
    with mock_aws():
        yield


@pytest.fixture
def job(mocked_aws: None) -> Job:
    """A job on FIFO queues with the active tenants t1, t2 and t3."""
    created = Job.create(aws.dynamodb(), aws.sqs())
    created.enter_tenants("t1", "t2", "t3")
    return created
