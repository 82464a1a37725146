"""`redrive --native`: SQS's own move task, for a whole dead-letter queue.

SQS moves everything, 500 messages a second at most. It counts no redrives, leaves the reason's attributes on
the messages, takes no filter, and is deaf to halted groups.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from job_runtime.clock import Clock
from job_runtime.selection import Selection
from operations.outcome import RefusedError

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

FASTEST: Final = 500
_RUNNING: Final = frozenset({"RUNNING", "CANCELLING"})
_LOOK_SECONDS: Final = 2


@dataclass(frozen=True)
class Moved:
    """How a move task ended: its status as SQS names it, and approximate counts."""

    status: str
    moved: int
    to_move: int


def check(selection: Selection, limit: int | None, rate: float | None) -> None:
    """Raise RefusedError for what a move task cannot do."""
    if not selection.is_all or limit:
        raise RefusedError("--native: a move task moves everything; leave out the filters, or --native")
    if rate is not None and not (rate == int(rate) and 1 <= rate <= FASTEST):
        raise RefusedError(f"--rate: a move task takes whole numbers from 1 to {FASTEST}; leave out --native")


def arn_of(client: "SQSClient", url: str) -> str:
    """The ARN of a queue. Raises botocore's errors."""
    answer = client.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])
    return answer["Attributes"]["QueueArn"]


@dataclass(frozen=True)
class MoveTask:
    """The move of everything from one queue to another, both given by their ARNs; `rate`: messages a second.

    The destination is named: SQS knows an original queue only for what it moved itself, not for what a
    consumer quarantined.
    """

    client: "SQSClient"
    source: str
    destination: str
    rate: float | None
    clock: Clock

    def __call__(self, tell: Callable[[int], None]) -> Moved:
        """Start the task and wait for its end; `tell` gets the approximate count of moved messages. An
        interrupt cancels the task; what was moved by then stays moved.

        Raises botocore's errors.
        """
        pace: dict[str, Any] = {} if self.rate is None else {"MaxNumberOfMessagesPerSecond": int(self.rate)}
        handle = self.client.start_message_move_task(
            SourceArn=self.source, DestinationArn=self.destination, **pace
        )["TaskHandle"]
        try:
            while (task := _newest(self.client, self.source)).status in _RUNNING:
                tell(task.moved)
                self.clock.sleep(_LOOK_SECONDS)
        except KeyboardInterrupt:
            self.client.cancel_message_move_task(TaskHandle=handle)
            raise
        tell(task.moved)
        return task


def _newest(client: "SQSClient", source: str) -> Moved:
    """The newest task of a queue: there is one at a time, so it is ours."""
    results = client.list_message_move_tasks(SourceArn=source, MaxResults=1)["Results"]
    task = results[0]
    return Moved(
        status=task["Status"],
        moved=int(task.get("ApproximateNumberOfMessagesMoved", 0)),
        to_move=int(task.get("ApproximateNumberOfMessagesToMove", 0)),
    )
