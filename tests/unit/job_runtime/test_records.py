"""The SQS event as records."""

from typing import Any

import pytest

from job_runtime.records import records_of
from tests.support.sqs_events import STANDARD_ARN, charge, sqs_event, sqs_record


def test_a_record_carries_what_the_runtime_needs() -> None:
    message = charge()
    (record,) = records_of(
        sqs_event(sqs_record(message, "m1", receives=3, attributes={"AWSTraceHeader": "Root=1-a"}))
    )
    assert record.message_id == "m1"
    assert record.receipt_handle == "receipt-m1"
    assert record.body == message.body()
    assert record.group == "t1#2026-11"
    assert record.receive_count == 3
    assert record.sequence_number == "18850000000000000000"
    assert record.trace_header == "Root=1-a"
    assert record.fifo


def test_a_standard_queue_is_told_by_its_arn() -> None:
    (record,) = records_of(sqs_event(sqs_record("{}", "m1", arn=STANDARD_ARN)))
    assert not record.fifo
    assert record.order_scope == "message:m1"


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"Records": None},
        {"Records": {}},
        {"Records": [{"eventSource": "aws:kinesis"}]},
        {"Records": [{}]},
    ],
)
def test_an_event_of_another_source_is_refused(event: dict[str, Any]) -> None:
    with pytest.raises(
        ValueError,
        match=r"^event: must be a batch of SQS records; invoke this function through its mapping only$",
    ):
        records_of(event)
