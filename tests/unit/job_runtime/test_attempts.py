"""Counting failed attempts."""

from datetime import timedelta

import pytest
from botocore.exceptions import ClientError

from job_runtime.attempts import Attempts
from job_runtime.records import Record, records_of
from tests.support.clock import FakeClock
from tests.support.faulty import Faulty, client_error
from tests.support.job import JOB_TABLE, Job
from tests.support.sqs_events import charge, sqs_event, sqs_record


@pytest.fixture
def attempts(job: Job, clock: FakeClock) -> Attempts:
    return Attempts(job.dynamodb, JOB_TABLE, clock)


def test_attempts_of_a_message_add_up_and_are_kept_fifteen_days(
    job: Job, attempts: Attempts, clock: FakeClock
) -> None:
    assert [attempts.count(charge(), "m1") for _ in range(3)] == [1, 2, 3]
    assert job.row("t1", f"attempt#{charge().idempotency_key}") == {
        "pk": "t1",
        "sk": f"attempt#{charge().idempotency_key}",
        "attempts": 3,
        "message_id": "m1",
        "ttl": int((clock.now() + timedelta(days=15)).timestamp()),
        "updated_at": "2026-11-30T18:00:00.000000Z",
    }


def test_keys_are_counted_apart(attempts: Attempts) -> None:
    attempts.count(charge(employee="e1"), "m1")
    assert attempts.count(charge(employee="e2"), "m2") == 1


def test_another_message_with_the_key_begins_again(attempts: Attempts) -> None:
    for _ in range(5):
        attempts.count(charge(), "m1")
    assert [attempts.count(charge(), "m2") for _ in range(2)] == [1, 2]


def test_a_row_that_expired_and_was_not_swept_counts_as_absent(attempts: Attempts, clock: FakeClock) -> None:
    attempts.count(charge(), "m1")
    clock.advance(timedelta(days=15).total_seconds() - 1)
    assert attempts.count(charge(), "m1") == 2
    clock.advance(timedelta(days=15).total_seconds())
    assert attempts.count(charge(), "m1") == 1


def delivery(receives: int, message_id: str = "m1") -> Record:
    (record,) = records_of(sqs_event(sqs_record(charge(), message_id, receives=receives)))
    return record


def test_deliveries_are_counted_from_the_fourth_receive_on_and_kept_fifteen_days(
    job: Job, attempts: Attempts, clock: FakeClock
) -> None:
    assert [attempts.begin(delivery(receives)) for receives in (1, 3, 4, 150)] == [0, 0, 1, 2]
    assert attempts.begin(delivery(4, "m2")) == 1
    assert job.row("delivery#m1", "delivery") == {
        "pk": "delivery#m1",
        "sk": "delivery",
        "deliveries": 2,
        "ttl": int((clock.now() + timedelta(days=15)).timestamp()),
    }


def test_only_a_delivery_that_was_counted_is_taken_back(job: Job, attempts: Attempts) -> None:
    attempts.take_back(delivery(3))
    assert job.rows() == []
    attempts.begin(delivery(4))
    attempts.take_back(delivery(4))
    assert attempts.begin(delivery(5)) == 1


def test_a_fault_of_the_table_is_no_count(job: Job, clock: FakeClock) -> None:
    denied = Faulty(job.dynamodb, update_item=[client_error("AccessDeniedException")])
    with pytest.raises(ClientError):
        Attempts(denied, JOB_TABLE, clock).count(charge(), "m1")  # type: ignore[arg-type]
    assert job.rows() == []
