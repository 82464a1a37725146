"""The configured provider: region, credentials, default tags, and endpoints on loopback only."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from local.provider.engine import clients
from local.provider.engine.caller import working_directory
from local.provider.engine.errors import Problem, not_implemented
from local.provider.engine.values import Values, is_zero, wholly_known

# What boto3 calls a service, and the names it may have in the provider's `endpoints` block.
ENDPOINT_NAMES: Mapping[str, tuple[str, ...]] = {
    "application-autoscaling": ("appautoscaling", "applicationautoscaling"),
    "cloudwatch": ("cloudwatch",),
    "dynamodb": ("dynamodb",),
    "events": ("events", "eventbridge", "cloudwatchevents"),
    "iam": ("iam",),
    "kms": ("kms",),
    "lambda": ("lambda",),
    "logs": ("logs", "cloudwatchlogs", "cloudwatchlog"),
    "pipes": ("pipes",),
    "s3": ("s3", "s3api"),
    "scheduler": ("scheduler",),
    "sns": ("sns",),
    "sqs": ("sqs",),
    "ssm": ("ssm",),
    "sts": ("sts",),
}

# Arguments of the provider block that are carried out, or that ask for nothing on a loopback endpoint.
ACCEPTED = frozenset(
    {
        "access_key",
        "allowed_account_ids",
        "default_tags",
        "endpoints",
        "forbidden_account_ids",
        "max_retries",
        "region",
        "retry_mode",
        "s3_use_path_style",
        "secret_key",
        "skip_credentials_validation",
        "skip_metadata_api_check",
        "skip_region_validation",
        "skip_requesting_account_id",
        "token",
        "user_agent",
    }
)


def is_loopback(url: str) -> bool:
    """True for an http(s) URL whose host is `localhost`, in 127.0.0.0/8, or ::1."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return False
    if parts.hostname == "localhost":
        return True
    try:
        return ipaddress.ip_address(parts.hostname).is_loopback
    except ValueError:
        return False


def check_configuration(config: Values, environment: Mapping[str, str]) -> Iterator[Problem]:
    """The reasons for which a provider configuration is refused; `environment` may name the region."""
    for name, value in config.items():
        if name not in ACCEPTED and not is_zero(value):
            yield not_implemented("provider aws", name)
    if not wholly_known(config):
        yield Problem(
            "the configuration of provider aws holds a value that is known only after an apply",
            "The stand-in checks its endpoints before anything else: use variables or constants.",
        )
        return
    endpoints = _endpoints(config)
    if not endpoints:
        yield Problem(
            "provider aws has no endpoints",
            "The stand-in for hashicorp/aws never reaches AWS: it needs an endpoints block with a loopback "
            "URL for each service, for example http://127.0.0.1:4566.",
            "endpoints",
        )
    for name, url in sorted(endpoints.items()):
        if not is_loopback(url):
            yield Problem(
                f"provider aws: the endpoint of {name} is not on loopback",
                f"{url} is refused: the stand-in connects to 127.0.0.0/8, ::1 and localhost only.",
                "endpoints",
            )
    if not _region(config, environment):
        yield Problem(
            "provider aws has no region", "Write region in the provider block, or set AWS_REGION.", "region"
        )


def _endpoints(config: Values) -> dict[str, str]:
    return {name: url for block in config.get("endpoints") or [] for name, url in block.items() if url}


def _region(config: Values, environment: Mapping[str, str]) -> str:
    named = config.get("region") or environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION")
    return named or ""


def _credentials(config: Values, environment: Mapping[str, str]) -> dict[str, str]:
    """Credentials by boto3's argument names, all from the provider block or all from the environment.

    Profiles, credential files and the machine's own identity are for accounts of AWS.
    """
    names = (
        ("access_key", "AWS_ACCESS_KEY_ID", "aws_access_key_id"),
        ("secret_key", "AWS_SECRET_ACCESS_KEY", "aws_secret_access_key"),
        ("token", "AWS_SESSION_TOKEN", "aws_session_token"),
    )
    written = {argument: config.get(name) for name, _, argument in names}
    found = (
        written if any(written.values()) else {argument: environment.get(name) for _, name, argument in names}
    )
    return {argument: value for argument, value in found.items() if value}


@dataclass
class Aws:
    """One configured provider instance, seen from one region."""

    region: str
    endpoints: Mapping[str, str]
    default_tags: Mapping[str, str]
    credentials: Mapping[str, str]
    attempts: int = 4
    peer: str = ""  # gRPC's name of the connection

    @classmethod
    def configured(cls, config: Values, environment: Mapping[str, str]) -> Aws:
        """The provider for a configuration; raises the first Problem that it has."""
        for problem in check_configuration(config, environment):
            raise problem
        tags: dict[str, str] = {}
        for block in config.get("default_tags") or []:
            tags.update(block["tags"] or {})
        aws = cls(
            region=_region(config, environment),
            endpoints=_endpoints(config),
            default_tags=tags,
            credentials=_credentials(config, environment),
            attempts=1 + int(config.get("max_retries") or 3),
        )
        aws._check_account(config)
        return aws

    def _check_account(self, config: Values) -> None:
        allowed = config.get("allowed_account_ids") or []
        forbidden = config.get("forbidden_account_ids") or []
        if not allowed and not forbidden:
            return
        if (allowed and self.account_id not in allowed) or self.account_id in forbidden:
            raise Problem(
                f"provider aws: account {self.account_id} is not allowed",
                "allowed_account_ids and forbidden_account_ids say which account this configuration is for.",
            )

    def in_region(self, region: str | None) -> Aws:
        """The same provider seen from another region (the `region` argument of a resource)."""
        if not region or region == self.region:
            return self
        return replace(self, region=region)

    def read_file(self, argument: str, name: str) -> bytes:
        """A file that the configuration names; relative to the folder in which Terraform works.

        Raises Problem for one that cannot be read.
        """
        path = Path(name).expanduser()
        if not path.is_absolute():
            folder = working_directory(self.peer)
            if folder is None:
                raise Problem(
                    f"{argument}: {name} is relative to a folder that is not known",
                    'Write an absolute path: abspath("package.zip").',
                    argument,
                )
            path = folder / path
        try:
            return path.read_bytes()
        except OSError as error:
            raise Problem(
                f"{argument}: {error.strerror}: {path}", "Build the file first.", argument
            ) from error

    def client(self, service: str) -> Any:
        """The boto3 client of `service`. Raises Problem when the configuration has no endpoint for it."""
        names = ENDPOINT_NAMES[service]
        url = next((self.endpoints[name] for name in names if name in self.endpoints), None)
        if url is None or not is_loopback(url):
            raise Problem(
                f"provider aws has no loopback endpoint for {names[0]}",
                f"Write {names[0]} in the endpoints block: the stand-in for hashicorp/aws never reaches AWS.",
                "endpoints",
            )
        if not {"aws_access_key_id", "aws_secret_access_key"} <= set(self.credentials):
            raise Problem(
                "provider aws has no credentials",
                "Write access_key and secret_key in the provider block, or set AWS_ACCESS_KEY_ID and "
                "AWS_SECRET_ACCESS_KEY where the stand-in is started. The local AWS takes `test` for both.",
                "access_key",
            )
        credentials = tuple(sorted(self.credentials.items()))
        return clients.client(service, url, clients.Connection(self.region, credentials, self.attempts))

    @cached_property
    def caller(self) -> Mapping[str, str]:
        """`Account`, `Arn` and `UserId` of the credentials."""
        answer: Mapping[str, str] = self.client("sts").get_caller_identity()
        return answer

    @property
    def account_id(self) -> str:
        """The account of the credentials."""
        return self.caller["Account"]

    @property
    def partition_data(self) -> Mapping[str, Any]:
        """What botocore knows of the partition: `partition`, `dnsSuffix`, `regions`."""
        return clients.partition(self.region)

    @property
    def partition(self) -> str:
        """`aws`, `aws-cn`, ..."""
        partition: str = self.partition_data["partition"]
        return partition
