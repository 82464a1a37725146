"""Where a job's queues and table are: asked of the deployed consumer, which cannot be wrong about it."""

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from job_runtime.config import Settings
from operations.dlq.outcome import RefusedError

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_sts import STSClient

_LOOPBACK = {"127.0.0.1", "localhost", "::1"}


@dataclass(frozen=True)
class Target:
    """One job of one environment. `halts`: whether a failed message halts its group."""

    environment: str
    job: str
    queue_url: str
    dead_letters_url: str
    table: str
    halts: bool

    @property
    def fifo(self) -> bool:
        """Whether its queues are FIFO."""
        return self.queue_url.endswith(".fifo")

    @property
    def dead_letter_queue(self) -> str:
        """The name of the dead-letter queue."""
        return self.dead_letters_url.rsplit("/", 1)[-1]


@dataclass(frozen=True)
class Caller:
    """Whose credentials these are. `endpoint`: another address than AWS's own, None for AWS."""

    account: str
    arn: str
    region: str
    endpoint: str | None


def find(client: "LambdaClient", environment: str, job: str, function: str | None) -> Target:
    """The target, from the environment variables of the consumer.

    `function`: its name; by default as `envs/` names it. Raises RefusedError when the variables cannot be
    read, ConfigurationError when they are not a consumer's, botocore's errors.
    """
    if not re.fullmatch("[A-Za-z0-9_-]{1,64}", environment):
        raise RefusedError(
            "--env: 1 to 64 letters, digits, - and _; write the name of the folder below envs/"
        )
    name = function or f"fanout-{environment}-{job}-consumer"
    answer = client.get_function_configuration(FunctionName=name).get("Environment", {})
    if "Error" in answer:
        raise RefusedError(
            f"{name}: its environment cannot be decrypted; allow kms:Decrypt for the job's key, as the "
            "operator policy of monthly-job does"
        )
    settings = Settings(answer.get("Variables", {}))
    if settings.required("JOB_NAME") != job:
        raise RefusedError(f"{name} is not the consumer of the job {job}; name it with --function")
    return Target(
        environment=environment,
        job=job,
        queue_url=settings.url("QUEUE_URL"),
        dead_letters_url=settings.url("DLQ_URL"),
        table=settings.required("JOB_TABLE"),
        halts=settings.choice("ON_QUARANTINE", ("continue", "halt-group"), default="continue")
        == "halt-group",
    )


def caller(client: "STSClient") -> Caller:
    """Whose credentials these are. Raises botocore's errors."""
    identity = client.get_caller_identity()
    endpoint = os.environ.get("AWS_ENDPOINT_URL")
    return Caller(identity["Account"], identity["Arn"], client.meta.region_name, endpoint)


def check_local(environment: str) -> None:
    """Raise RefusedError when `local` is meant and AWS would be asked, or the other way round."""
    endpoint = os.environ.get("AWS_ENDPOINT_URL", "")
    on_this_machine = urlsplit(endpoint).hostname in _LOOPBACK
    if environment == "local" and not on_this_machine:
        raise RefusedError(
            "--env local: AWS_ENDPOINT_URL is not on this machine; export the lines that "
            "`make demo KEEP=1` prints at its end"
        )
    if environment != "local" and on_this_machine:
        raise RefusedError(
            f"--env {environment}: AWS_ENDPOINT_URL is on this machine; unset it, or write local"
        )
