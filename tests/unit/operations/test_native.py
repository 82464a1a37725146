"""SQS's own move task, which no local AWS has: against the service's model of requests and answers."""

from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from job_runtime.selection import Selection
from operations.dlq.native import Moved, MoveTask, check
from operations.outcome import RefusedError
from tests.support.clock import FakeClock

SOURCE = "arn:aws:sqs:ap-northeast-1:111122223333:charge-dlq.fifo"
TARGET = "arn:aws:sqs:ap-northeast-1:111122223333:charge.fifo"


@pytest.fixture
def client(aws_environment: None) -> Any:
    return boto3.client("sqs", region_name="ap-northeast-1")


def task(client: Any, clock: FakeClock, rate: float | None = None) -> MoveTask:
    return MoveTask(client, SOURCE, TARGET, rate, clock)


def progress(status: str, moved: int) -> dict[str, Any]:
    counts = {"ApproximateNumberOfMessagesMoved": moved, "ApproximateNumberOfMessagesToMove": 100}
    return {"Results": [{"Status": status, "SourceArn": SOURCE, **counts}]}


def test_everything_is_moved_to_the_queue_by_name_with_progress(client: Any, clock: FakeClock) -> None:
    told: list[int] = []
    with Stubber(client) as stub:
        request = {"SourceArn": SOURCE, "DestinationArn": TARGET, "MaxNumberOfMessagesPerSecond": 50}
        stub.add_response("start_message_move_task", {"TaskHandle": "handle"}, request)
        for status, moved in (("RUNNING", 10), ("RUNNING", 60), ("COMPLETED", 100)):
            listed = {"SourceArn": SOURCE, "MaxResults": 1}
            stub.add_response("list_message_move_tasks", progress(status, moved), listed)
        assert task(client, clock, 50.0)(told.append) == Moved("COMPLETED", 100, 100)
        stub.assert_no_pending_responses()
    assert told == [10, 60, 100]
    assert clock.pauses == [2, 2]


def test_an_interrupt_cancels_the_task(client: Any, clock: FakeClock) -> None:
    def interrupted(_moved: int) -> None:
        raise KeyboardInterrupt

    with Stubber(client) as stub:
        stub.add_response("start_message_move_task", {"TaskHandle": "handle"})
        stub.add_response("list_message_move_tasks", progress("RUNNING", 10))
        stub.add_response("cancel_message_move_task", {}, {"TaskHandle": "handle"})
        with pytest.raises(KeyboardInterrupt):
            task(client, clock)(interrupted)
        stub.assert_no_pending_responses()


@pytest.mark.parametrize("rate", [0.5, 501.0, 10.5])
def test_a_rate_that_sqs_does_not_take_is_refused(rate: float) -> None:
    with pytest.raises(RefusedError, match="from 1 to 500"):
        check(Selection(), None, rate)
    check(Selection(), None, 500.0)
    check(Selection(), None, None)


def test_a_move_of_some_messages_is_refused() -> None:
    for selection, limit in ((Selection(groups=frozenset({"g"})), None), (Selection(), 5)):
        with pytest.raises(RefusedError, match="moves everything"):
            check(selection, limit, None)
