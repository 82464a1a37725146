"""One message, one charge: rows, duplicates, refusals, and what it costs in requests."""

import json
import threading
from typing import Any

import pytest

from charge_consumer.wiring import build
from job_runtime import aws
from job_runtime.config import ConfigurationError, Settings
from job_runtime.consumer import Consumer
from job_runtime.tenants import KNOWN_FOR
from tests.support.clock import FakeClock
from tests.support.faulty import Faulty, Lost, cancelled, client_error, timeout
from tests.support.job import JOB_TABLE, Job, classes
from tests.support.lambda_context import FakeContext
from tests.support.limits import HANG_SECONDS
from tests.support.sqs_events import STANDARD_ARN, charge, failures, sqs_event, sqs_record


@pytest.fixture
def dynamodb(job: Job, monkeypatch: pytest.MonkeyPatch) -> Faulty:
    client = Faulty(job.dynamodb)
    monkeypatch.setattr(aws, "dynamodb", lambda: client)
    return client


@pytest.fixture
def consumer(job: Job, clock: FakeClock, dynamodb: Faulty) -> Consumer:
    return build(Settings(job.environment()), clock)


def handle(consumer: Consumer, *messages: Any) -> list[str]:
    """One batch; message ids are m1, m2, ..."""
    batch = sqs_event(*(sqs_record(message, f"m{place}") for place, message in enumerate(messages, 1)))
    return failures(consumer(batch, FakeContext()))


def balance(job: Job, tenant: str = "t1", employee: str = "e1") -> tuple[int, int]:
    row = job.row(tenant, f"balance#{employee}")
    return (int(row["balance"]), int(row["charges"])) if row else (0, 0)


def test_a_charge_leaves_its_permanent_row(job: Job, consumer: Consumer) -> None:
    message = charge(amount=1200)
    assert handle(consumer, message) == []
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


def test_charges_of_several_months_add_up_in_the_balance(job: Job, consumer: Consumer) -> None:
    for message in (charge(amount=1200), charge(amount=300, period="2026-12")):
        assert handle(consumer, message) == []
    assert job.row("t1", "balance#e1") == {
        "pk": "t1",
        "sk": "balance#e1",
        "balance": 1500,
        "charges": 2,
        "currency": "JPY",
        "updated_at": "2026-11-30T18:00:00.000000Z",
    }


def test_an_amount_of_zero_is_charged(job: Job, consumer: Consumer) -> None:
    assert handle(consumer, charge(amount=0)) == []
    row = job.row("t1", "charge#2026-11#e1")
    assert row is not None
    assert row["amount"] == 0
    assert balance(job) == (0, 1)


def test_a_second_delivery_charges_nothing(job: Job, consumer: Consumer) -> None:
    assert [handle(consumer, charge()) for _ in range(3)] == [[], [], []]
    assert balance(job) == (1000, 1)


def test_a_redelivery_under_other_message_and_deduplication_ids_charges_nothing(
    job: Job, consumer: Consumer
) -> None:
    handle(consumer, charge())
    moved = sqs_record(charge(), "other", attributes={"MessageDeduplicationId": "m1"})
    assert failures(consumer(sqs_event(moved), FakeContext())) == []
    assert balance(job) == (1000, 1)


def test_a_redelivered_batch_with_other_members_charges_each_once(job: Job, consumer: Consumer) -> None:
    handle(consumer, charge(employee="a"), charge(employee="b"))
    handle(consumer, charge(employee="b"), charge(employee="c"))
    assert [balance(job, employee=name) for name in "abc"] == [(1000, 1)] * 3


def test_a_late_redelivery_charges_nothing(job: Job, consumer: Consumer, clock: FakeClock) -> None:
    handle(consumer, charge())
    clock.advance(400 * 24 * 3600)
    assert handle(consumer, charge()) == []
    assert balance(job) == (1000, 1)
    row = job.row("t1", "charge#2026-11#e1")
    assert row is not None
    assert "ttl" not in row


def test_members_in_another_order_and_a_decimal_point_are_the_same_charge(
    job: Job, consumer: Consumer
) -> None:
    body = charge(amount=1200).body()
    other = json.dumps(dict(reversed(json.loads(body).items())), indent=1).replace("1200", "1200.0")
    assert handle(consumer, body) == []
    assert handle(consumer, other) == []
    assert balance(job) == (1200, 1)
    assert job.dead_letters() == []


def test_another_amount_under_the_key_is_quarantined_and_the_row_stays(job: Job, consumer: Consumer) -> None:
    handle(consumer, charge(amount=1000))
    before = job.row("t1", "charge#2026-11#e1")
    assert handle(consumer, charge(amount=9800)) == []
    (letter,) = job.dead_letters()
    assert letter.attributes["failure_class"] == "rejected"
    assert letter.attributes["exception"] == "PayloadMismatchError"
    assert job.row("t1", "charge#2026-11#e1") == before
    assert balance(job) == (1000, 1)


@pytest.mark.parametrize("status", [None, "suspended"])
def test_a_tenant_that_is_not_active_is_rejected(job: Job, consumer: Consumer, status: str | None) -> None:
    if status:
        job.enter_tenants("nobody", status=status)
    assert handle(consumer, charge("nobody"), charge("t1")) == []
    assert classes(job.dead_letters()) == ["rejected"]
    assert job.row("nobody", "charge#2026-11#e1") is None
    assert balance(job) == (1000, 1)


def test_a_tenant_that_is_entered_later_is_known_at_once(job: Job, consumer: Consumer) -> None:
    handle(consumer, charge("late"))
    job.enter_tenants("late")
    assert handle(consumer, charge("late")) == []
    assert balance(job, "late") == (1000, 1)


def test_a_known_tenant_is_looked_up_again_after_a_while(
    job: Job, consumer: Consumer, clock: FakeClock, dynamodb: Faulty
) -> None:
    handle(consumer, charge())
    job.enter_tenants("t1", status="suspended")
    clock.advance(KNOWN_FOR.total_seconds() - 1)
    handle(consumer, charge(employee="e2"))
    assert job.dead_letters() == []
    clock.advance(1)
    handle(consumer, charge(employee="e3"))
    assert classes(job.dead_letters()) == ["rejected"]
    assert dynamodb.calls.count("get_item") == 2


def test_a_balance_in_another_currency_is_left_alone(job: Job, consumer: Consumer) -> None:
    job.dynamodb.put_item(
        TableName=JOB_TABLE,
        Item={
            "pk": {"S": "t1"},
            "sk": {"S": "balance#e1"},
            "balance": {"N": "7"},
            "charges": {"N": "1"},
            "currency": {"S": "USD"},
        },
    )
    assert handle(consumer, charge()) == []
    assert classes(job.dead_letters()) == ["rejected"]
    assert job.row("t1", "charge#2026-11#e1") is None
    assert balance(job) == (7, 1)


def test_once_its_tenant_is_known_a_message_costs_one_request(consumer: Consumer, dynamodb: Faulty) -> None:
    handle(consumer, charge(employee="e0"))
    dynamodb.calls.clear()
    handle(consumer, *(charge(employee=f"e{number}") for number in range(1, 11)))
    assert dynamodb.calls == ["transact_write_items"] * 10


def test_a_write_that_did_not_arrive_is_charged_at_the_redelivery(
    job: Job, consumer: Consumer, dynamodb: Faulty
) -> None:
    dynamodb.faults["transact_write_items"] = [timeout()]
    assert handle(consumer, charge()) == ["m1"]
    assert balance(job) == (0, 0)
    assert handle(consumer, charge()) == []
    assert balance(job) == (1000, 1)


def test_a_lost_answer_is_a_duplicate_at_the_redelivery(
    job: Job, consumer: Consumer, dynamodb: Faulty
) -> None:
    dynamodb.faults["transact_write_items"] = [Lost(timeout())]
    assert handle(consumer, charge()) == ["m1"]
    assert handle(consumer, charge()) == []
    assert balance(job) == (1000, 1)


def test_conflicts_are_waited_out_within_the_handler(
    job: Job, consumer: Consumer, dynamodb: Faulty, clock: FakeClock
) -> None:
    dynamodb.faults["transact_write_items"] = [cancelled("None", "TransactionConflict")] * 2
    assert handle(consumer, charge()) == []
    assert balance(job) == (1000, 1)
    assert len(clock.pauses) == 2


def test_throttling_that_botocore_has_retried_is_not_retried_again(
    consumer: Consumer, dynamodb: Faulty, clock: FakeClock
) -> None:
    dynamodb.faults["transact_write_items"] = [client_error("ThrottlingException")]
    assert handle(consumer, charge()) == ["m1"]
    assert clock.pauses == []
    assert dynamodb.calls.count("transact_write_items") == 1


def test_two_overlapping_deliveries_charge_once(
    job: Job, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    barrier = threading.Barrier(2, timeout=HANG_SECONDS)

    one_at_a_time = threading.Lock()

    class Meeting(Faulty):
        def __getattr__(self, operation: str) -> Any:
            call = super().__getattr__(operation)

            def meet(**arguments: Any) -> Any:
                if operation == "transact_write_items":
                    barrier.wait()
                with one_at_a_time:  # moto's transactions are not isolated from each other as DynamoDB's are
                    return call(**arguments)

            return meet

    monkeypatch.setattr(aws, "dynamodb", lambda: Meeting(job.dynamodb))
    consumer = build(Settings(job.environment()), clock)
    batch = sqs_event(sqs_record(charge(), "m1", group="a"), sqs_record(charge(), "m2", group="b"))
    assert failures(consumer(batch, FakeContext())) == []
    assert balance(job) == (1000, 1)


def test_ids_outside_ascii_are_charged_under_their_own_name(job: Job, consumer: Consumer) -> None:
    assert handle(consumer, charge("t2", "社員 #1")) == []
    assert balance(job, "t2", "社員 #1") == (1000, 1)


@pytest.mark.parametrize("name", ["JOB_NAME", "JOB_TABLE", "DIRECTORY_TABLE", "QUEUE_URL", "DLQ_URL"])
def test_a_missing_variable_stops_the_start_by_name(job: Job, clock: FakeClock, name: str) -> None:
    environment = job.environment()
    del environment[name]
    with pytest.raises(ConfigurationError, match=f"^{name} "):
        build(Settings(environment), clock)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("JOB_NAME", "co2"),
        ("QUEUE_URL", "charge.fifo"),
        ("DLQ_URL", "https://sqs.example/1/charge-dlq"),
        ("MAX_ATTEMPTS", "0"),
        ("ON_QUARANTINE", "stop"),
        ("BATCH_THREADS", "many"),
        ("PAYMENT_ENDPOINT", "payment"),
        ("LEASE_SECONDS", "1"),
        ("POWERTOOLS_LOGGER_LOG_EVENT", "true"),
    ],
)
def test_a_wrong_variable_stops_the_start_by_name(job: Job, clock: FakeClock, name: str, value: str) -> None:
    environment = job.environment(**{"PAYMENT_ENDPOINT": "https://payments.example", name: value})
    with pytest.raises(ConfigurationError, match=f"^{name} must"):
        build(Settings(environment), clock)


def test_a_charge_from_a_standard_queue_has_no_sequence_number(job: Job, consumer: Consumer) -> None:
    batch = sqs_event(sqs_record(charge(), "m1", arn=STANDARD_ARN))
    assert failures(consumer(batch, FakeContext())) == []
    row = job.row("t1", "charge#2026-11#e1")
    assert row is not None
    assert "sequence_number" not in row
