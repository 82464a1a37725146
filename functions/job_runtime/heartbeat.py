"""Keeping a message hidden while its work takes longer than was foreseen.

For pollers that run outside Lambda's mapping, which sizes the visibility timeout by the function's own.
"""

import threading
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from job_runtime.failures import FailureClass, classify, summarize

if TYPE_CHECKING:
    from aws_lambda_powertools.logging import Logger
    from mypy_boto3_sqs import SQSClient

LONGEST_SECONDS = 12 * 60 * 60
"""SQS hides a message for 12 hours from its receipt at most, however often that is extended."""


class Heartbeat:
    """A context in which the message stays hidden, extended by `seconds` every third of `seconds`.

    `lost` turns true when the message is no longer ours (it was deleted, became visible, or 12 hours are
    over): the work should stop at its next safe point. A passing fault is tried again at the next beat.
    """

    def __init__(
        self,
        client: "SQSClient",
        queue_url: str,
        receipt_handle: str,
        *,
        seconds: int,
        logger: "Logger",
    ) -> None:
        """`seconds`: the visibility timeout to renew, 3 to 43,200."""
        if not 3 <= seconds <= LONGEST_SECONDS:
            raise ValueError(f"seconds: must be from 3 to {LONGEST_SECONDS}")
        self.lost = False
        self._client = client
        self._target = {"QueueUrl": queue_url, "ReceiptHandle": receipt_handle}
        self._seconds = seconds
        self._logger = logger
        self._ended = threading.Event()
        self._thread: threading.Thread

    def __enter__(self) -> "Heartbeat":
        self._thread = threading.Thread(
            target=self.run, args=(self._ended.wait,), name="heartbeat", daemon=True
        )
        self._thread.start()
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def run(self, wait: Callable[[float], bool]) -> None:
        """Beat until `wait(seconds)` returns true (the work ended) or the message is lost."""
        interval = self._seconds / 3
        elapsed = 0.0
        while not self.lost and not wait(interval):
            elapsed += interval
            self._extend(int(min(self._seconds, LONGEST_SECONDS - elapsed)))

    def _extend(self, seconds: int) -> None:
        if seconds <= 0:
            self.lost = True
            return
        try:
            self._client.change_message_visibility(**self._target, VisibilityTimeout=seconds)
        except (BotoCoreError, ClientError) as error:
            self.lost = classify(error) is not FailureClass.TRANSIENT
            self._logger.warning("heartbeat missed", extra={"summary": summarize(error), "lost": self.lost})
