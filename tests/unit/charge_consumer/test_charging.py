"""One message, one charge."""

from typing import Any

import pytest

from charge_consumer.wiring import build
from job_runtime.config import Settings
from tests.support.clock import FakeClock
from tests.support.job import Job, classes
from tests.support.lambda_context import FakeContext
from tests.support.sqs_events import charge, failures, sqs_event, sqs_record


@pytest.fixture
def consumer(job: Job, clock: FakeClock) -> Any:
    return build(Settings(job.environment()), clock)


def test_a_charge_leaves_its_permanent_row_and_the_balance(job: Job, consumer: Any) -> None:
    message = charge(amount=1200)
    assert failures(consumer(sqs_event(sqs_record(message, "m1")), FakeContext())) == []
    assert job.row("t1", "charge#2026-11#e1") == {
        "pk": "t1",
        "sk": "charge#2026-11#e1",
        "idempotency_key": message.idempotency_key,
        "payload_hash": message.payload_hash,
        "amount": 1200,
        "currency": "JPY",
        "run_id": "charge-2026-11",
        "message_id": "m1",
        "sequence_number": "18850000000000000000",
        "charged_at": "2026-11-30T18:00:00.000000Z",
    }
    balance = job.row("t1", "balance#e1")
    assert balance is not None
    assert (balance["balance"], balance["charges"]) == (1200, 1)


def test_unknown_tenant(job: Job, consumer: Any) -> None:
    assert failures(consumer(sqs_event(sqs_record(charge("nobody"), "m1")), FakeContext())) == []
    assert classes(job.dead_letters()) == ["rejected"]
    assert job.rows() == []
