"""Where a job's queues and table are: asked of the deployed consumer, which cannot be wrong about it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from job_runtime.config import Settings
from job_runtime.failures import error_code
from operations.outcome import RefusedError

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient


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


def find(client: "LambdaClient", environment: str, job: str, function: str | None) -> Target:
    """The target, from the environment variables of the consumer.

    `function`: its name; by default as `envs/` names it. Raises RefusedError when the variables cannot be
    read, ConfigurationError when they are not a consumer's, botocore's errors.
    """
    name = function or f"fanout-{environment}-{job}-consumer"
    try:
        answer = client.get_function_configuration(FunctionName=name).get("Environment", {})
    except ClientError as error:
        if error_code(error) != "ResourceNotFoundException":
            raise
        raise RefusedError(
            f"{name}: there is no such function in {client.meta.region_name} of this account; write ENV and "
            "JOB as they were applied, or name the job's consumer with --function"
        ) from error
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
