"""When a message that was not done is delivered again."""

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from math import ceil
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from job_runtime.failures import summarize
from job_runtime.identity import entry_id
from job_runtime.records import Record

if TYPE_CHECKING:
    from aws_lambda_powertools.logging import Logger
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import ChangeMessageVisibilityBatchRequestEntryTypeDef

BATCH = 10
"""Entries in one ChangeMessageVisibilityBatch (SQS API reference)."""


@dataclass(frozen=True)
class Backoff:
    """Seconds until a failed message comes back: `base` x 2^(times - 1), +-`jitter` (a share), `cap` at
    most."""

    base: int = 2
    cap: int = 900
    jitter: float = 0.5
    uniform: Callable[[float, float], float] = field(default=random.uniform)

    def seconds(self, times: int) -> int:
        """The pause after the `times`-th try, in whole seconds, at least 1."""
        pause: int = min(self.cap, self.base * 2 ** min(times - 1, 16))
        return max(1, min(self.cap, round(pause * self.uniform(1 - self.jitter, 1 + self.jitter))))

    def bounded(self, seconds: float) -> int:
        """A pause of at least so many seconds, in whole ones, from 1 to `cap`."""
        return max(1, min(self.cap, ceil(seconds)))


class Visibility:
    """Sets when messages of one queue become visible again. A failure of it costs time, not correctness,
    so it is logged and goes no further: the queue's own visibility timeout then decides."""

    def __init__(self, client: "SQSClient", queue_url: str, logger: "Logger") -> None:
        """`queue_url`: the queue that the records came from."""
        self._client = client
        self._queue_url = queue_url
        self._logger = logger

    def change(self, seconds_by_record: Mapping[Record, int]) -> None:
        """Make each record visible again in so many seconds (0: at once)."""
        pending = iter(seconds_by_record.items())
        while chunk := list(islice(pending, BATCH)):
            self._change_batch(chunk)

    def _change_batch(self, chunk: Iterable[tuple[Record, int]]) -> None:
        entries: list[ChangeMessageVisibilityBatchRequestEntryTypeDef] = [
            {"Id": entry_id(place), "ReceiptHandle": record.receipt_handle, "VisibilityTimeout": seconds}
            for place, (record, seconds) in enumerate(chunk)
        ]
        try:
            answer = self._client.change_message_visibility_batch(QueueUrl=self._queue_url, Entries=entries)
        except (BotoCoreError, ClientError) as error:
            self._logger.warning("visibility not changed", extra={"summary": summarize(error)})
            return
        for failed in answer.get("Failed", []):
            self._logger.warning("visibility not changed", extra={"summary": failed["Code"]})
