"""Where purged messages are kept: a file, or objects below an S3 prefix. One JSON document a message."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from job_runtime.clock import timestamp
from job_runtime.dead_letters import DeadLetter
from operations.outcome import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_s3 import S3Client


class Archive(Protocol):
    """Somewhere that messages are safe in."""

    def keep(self, letters: Sequence[DeadLetter]) -> None:
        """Return once they are safe; raises what the file system or botocore raises."""
        ...


class FileArchive:
    """Lines at the end of a file that only its owner may read."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def keep(self, letters: Sequence[DeadLetter]) -> None:
        """Append, and return once the lines are on the disk."""
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "a", encoding="utf-8") as file:
            file.writelines(json.dumps(document(letter), ensure_ascii=False) + "\n" for letter in letters)
            file.flush()
            os.fsync(file.fileno())


class S3Archive:
    """An object a message, below a prefix."""

    def __init__(self, client: "S3Client", bucket: str, prefix: str) -> None:
        self._client = client
        self._bucket = bucket
        self._prefix = prefix.strip("/")

    def keep(self, letters: Sequence[DeadLetter]) -> None:
        """Put each message; a second time writes the same object."""
        for letter in letters:
            key = "/".join(filter(None, (self._prefix, f"{letter.message_id}.json")))
            body = json.dumps(document(letter), ensure_ascii=False).encode()
            self._client.put_object(Bucket=self._bucket, Key=key, Body=body, ContentType="application/json")


def document(letter: DeadLetter) -> dict[str, Any]:
    """All there is of a message: enough to send it again."""
    return {
        "message_id": letter.message_id,
        "group": letter.group,
        "dead_since": timestamp(letter.dead_since),
        "attributes": dict(letter.reason),
        "body": letter.body,
    }


def archive(where: str, client: "Callable[[], S3Client]") -> Archive:
    """The archive at `where`: `s3://BUCKET/PREFIX`, or the path of a file.

    Raises RefusedError for an address without a bucket.
    """
    if not where.startswith("s3://"):
        return FileArchive(Path(where))
    parts = urlsplit(where)
    if not parts.netloc:
        raise RefusedError("--archive: an S3 address has a bucket; write s3://BUCKET/PREFIX or a file's path")
    return S3Archive(client(), parts.netloc, parts.path)
