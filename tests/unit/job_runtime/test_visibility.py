"""How long a failed message waits, and how that is told to the queue."""

from typing import Any

import pytest
from aws_lambda_powertools.logging import Logger

from job_runtime.records import records_of
from job_runtime.visibility import Backoff, Visibility
from tests.support.sqs_events import sqs_event, sqs_record


def middle(low: float, high: float) -> float:
    return (low + high) / 2


def test_the_pause_doubles_up_to_its_cap() -> None:
    backoff = Backoff(uniform=middle)
    assert [backoff.seconds(times) for times in (1, 2, 3, 9, 10, 10_000)] == [2, 4, 8, 512, 900, 900]


def test_the_pause_varies_by_half_up_and_down_within_its_cap() -> None:
    assert Backoff(uniform=lambda low, _high: low).seconds(4) == 8
    assert Backoff(uniform=lambda _low, high: high).seconds(4) == 24
    assert Backoff(uniform=lambda _low, high: high).seconds(20) == 900
    assert Backoff(base=1, uniform=lambda _low, _high: 0.1).seconds(1) == 1


@pytest.mark.parametrize(
    ("left", "pause"), [(-86_400.0, 1), (0.0, 1), (0.2, 1), (41.2, 42), (899.5, 900), (1e12, 900)]
)
def test_a_wait_ends_no_earlier_than_what_it_waits_for_within_its_bounds(left: float, pause: int) -> None:
    assert Backoff().bounded(left) == pause


def test_two_messages_do_not_come_back_in_step() -> None:
    assert len({Backoff().seconds(8) for _ in range(50)}) > 1


def test_ten_entries_go_in_one_request() -> None:
    asked: list[list[Any]] = []

    class Sqs:
        def change_message_visibility_batch(self, **request: Any) -> dict[str, Any]:
            assert request["QueueUrl"] == "https://queue"
            asked.append(request["Entries"])
            return {}

    records = records_of(sqs_event(*(sqs_record("{}", f"m{number}") for number in range(21))))
    visibility = Visibility(Sqs(), "https://queue", Logger(service="charge"))  # type: ignore[arg-type]
    visibility.change(dict.fromkeys(records, 7))
    assert [len(entries) for entries in asked] == [10, 10, 1]
    assert asked[0][3] == {"Id": "3", "ReceiptHandle": "receipt-m3", "VisibilityTimeout": 7}
    assert [entry["ReceiptHandle"] for entries in asked for entry in entries] == [
        f"receipt-m{number}" for number in range(21)
    ]


def test_nothing_to_change_asks_nothing() -> None:
    Visibility(None, "https://queue", Logger(service="charge")).change({})  # type: ignore[arg-type]


@pytest.mark.parametrize("times", range(1, 12))
def test_every_pause_is_one_that_sqs_takes(times: int) -> None:
    assert all(1 <= Backoff().seconds(times) <= 43_200 for _ in range(20))
