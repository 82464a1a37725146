"""boto3 clients of the whole process: making one takes longer than most calls, every run needs them."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

_making = (
    threading.Lock()
)  # sessions are not safe to make clients from in parallel, clients are safe to share


@dataclass(frozen=True)
class Connection:
    """Where calls go, as whom, and how many attempts one has in all."""

    region: str
    credentials: tuple[tuple[str, str], ...]
    attempts: int


def client(service: str, url: str, connection: Connection) -> Any:
    """The client of `service` at `url`, made once."""
    with _making:
        return _client(service, url, connection)


@cache
def _client(service: str, url: str, connection: Connection) -> Any:
    from botocore.config import Config  # noqa: PLC0415 - half a second that plans and validations save

    return _session(connection.credentials).client(
        service,
        endpoint_url=url,
        region_name=connection.region,
        config=Config(
            connect_timeout=5,
            read_timeout=60,
            retries={"mode": "standard", "total_max_attempts": connection.attempts},
            proxies={},  # a proxy of the environment must not carry what is meant for loopback
            s3={"addressing_style": "path"},
        ),
    )


def _core() -> Any:
    """A botocore session in which a profile of this machine, which need not even exist, has no say."""
    import botocore.session  # noqa: PLC0415 - as above

    return botocore.session.Session({"profile": (None, None, None, None)})


@cache
def _session(credentials: tuple[tuple[str, str], ...]) -> Any:
    import boto3  # noqa: PLC0415 - as above

    keys: dict[str, Any] = dict(credentials)
    return boto3.session.Session(botocore_session=_core(), **keys)


@cache
def partition(region: str) -> Mapping[str, Any]:
    """What botocore knows of a region's partition: `partition`, `dnsSuffix`, `regions`."""
    found: Mapping[str, Any] = next(
        (item for item in _partitions() if region in item["regions"]), _partitions()[0]
    )
    return found


@cache
def _partitions() -> list[Mapping[str, Any]]:
    partitions: list[Mapping[str, Any]] = _core().get_data("endpoints")["partitions"]
    return partitions
