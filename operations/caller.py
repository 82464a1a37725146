"""Who runs a command, and against which AWS."""

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from operations.outcome import RefusedError

if TYPE_CHECKING:
    from mypy_boto3_sts import STSClient

_LOOPBACK = {"127.0.0.1", "localhost", "::1"}


@dataclass(frozen=True)
class Caller:
    """Whose credentials these are. `endpoint`: another address than AWS's own, None for AWS."""

    account: str
    arn: str
    region: str
    endpoint: str | None

    def __str__(self) -> str:
        """Where it works and who it is, for people."""
        return f"{self.endpoint or f'AWS {self.region}'}, account {self.account}, as {self.arn}"


def caller(client: "STSClient") -> Caller:
    """Whose credentials these are. Raises botocore's errors."""
    identity = client.get_caller_identity()
    endpoint = os.environ.get("AWS_ENDPOINT_URL")
    return Caller(identity["Account"], identity["Arn"], client.meta.region_name, endpoint)


def check_names(environment: str, job: str) -> None:
    """Raise RefusedError when what names are made of could not be part of one."""
    for option, text, what in (
        ("--env", environment, "the name of the folder below envs/"),
        ("--job", job, "the job as the environment calls it, such as charge"),
    ):
        if not re.fullmatch("[A-Za-z0-9_-]{1,64}", text):
            raise RefusedError(f"{option}: 1 to 64 letters, digits, - and _; write {what}")


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
