"""Charging with a capture at an outside payment API: exactly one capture a key, whatever the API does."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from charge_consumer import wiring
from charge_consumer.payment import PaymentApi
from job_runtime import aws
from job_runtime.config import Settings
from job_runtime.consumer import Consumer
from job_runtime.failures import (
    PayloadMismatchError,
    RejectedError,
    TransientError,
    UnknownOutcomeError,
)
from local.payment_stub import Fault, PaymentStub
from tests.support.clock import FakeClock
from tests.support.faulty import Faulty, client_error
from tests.support.job import Job, classes
from tests.support.lambda_context import FakeContext
from tests.support.output import Output
from tests.support.sqs_events import charge, failures, sqs_event, sqs_record

BRIEF = 0.2


@pytest.fixture
def dynamodb(job: Job, monkeypatch: pytest.MonkeyPatch) -> Faulty:
    client = Faulty(job.dynamodb)
    monkeypatch.setattr(aws, "dynamodb", lambda: client)
    monkeypatch.setattr(wiring, "PaymentApi", lambda endpoint: PaymentApi(endpoint, timeout=BRIEF))
    return client


@pytest.fixture
def start(
    job: Job, clock: FakeClock, dynamodb: Faulty
) -> Iterator[Callable[..., tuple[PaymentStub, Consumer]]]:
    """Start a stub with faults; without `replays` it has no idempotency of its own, so any second request
    shows."""
    stubs: list[PaymentStub] = []

    def make(
        faults: dict[Fault, int] | None = None, *, replays: bool = False
    ) -> tuple[PaymentStub, Consumer]:
        stub = PaymentStub(faults=faults, replays=replays).__enter__()
        stubs.append(stub)
        return stub, wiring.build(Settings(job.environment(PAYMENT_ENDPOINT=stub.endpoint)), clock)

    yield make
    for stub in stubs:
        stub.close()


Start = Callable[..., tuple[PaymentStub, Consumer]]


def handle(consumer: Consumer, message: Any = None) -> list[str]:
    return failures(consumer(sqs_event(sqs_record(message or charge(), "m1")), FakeContext()))


def charged(job: Job) -> Any:
    return job.row("t1", "charge#2026-11#e1")


def test_the_money_is_taken_and_entered_once(start: Start, job: Job) -> None:
    stub, consumer = start()
    assert [handle(consumer) for _ in range(3)] == [[], [], []]
    (capture,) = stub.captures
    assert (capture.key, capture.amount, capture.currency) == (charge().idempotency_key, 1000, "JPY")
    assert charged(job)["capture_id"] == capture.id


@pytest.mark.parametrize("fault", [Fault.TOOK_503, Fault.TOOK_HANGS, Fault.TOOK_DROPS])
def test_money_that_was_taken_without_a_good_answer_is_looked_up_and_not_taken_again(
    start: Start, job: Job, fault: Fault
) -> None:
    stub, consumer = start({fault: 1})
    assert handle(consumer) == []
    assert len(stub.captures) == 1
    assert stub.requests == {"capture": 1, "find": 1}
    assert charged(job)["capture_id"] == stub.captures[0].id


def test_an_error_without_effect_is_looked_up_and_tried_at_the_next_delivery(start: Start, job: Job) -> None:
    stub, consumer = start({Fault.REFUSED_503: 1})
    assert handle(consumer) == ["m1"]
    assert (stub.captures, charged(job)) == ([], None)
    stub.faults = {}
    assert handle(consumer) == []
    assert len(stub.captures) == 1
    assert job.dead_letters() == []


def test_a_declined_payment_is_quarantined_and_enters_nothing(start: Start, job: Job) -> None:
    stub, consumer = start({Fault.DECLINED: 1})
    assert handle(consumer) == []
    (letter,) = job.dead_letters()
    assert letter.attributes["summary"] == "payment: declined with HTTP 402"
    assert (stub.captures, charged(job)) == ([], None)


def test_a_declined_payment_can_be_charged_after_its_redrive(start: Start, job: Job) -> None:
    stub, consumer = start({Fault.DECLINED: 1})
    handle(consumer)
    stub.faults = {}
    assert handle(consumer) == []
    assert charged(job)["capture_id"] == stub.captures[0].id


def test_an_api_that_asks_to_slow_down_is_a_passing_fault(start: Start, job: Job) -> None:
    stub, consumer = start({Fault.SLOW_DOWN: 1})
    assert handle(consumer) == ["m1"]
    assert job.dead_letters() == []
    stub.faults = {}
    assert handle(consumer) == []


def test_an_api_that_is_down_is_a_passing_fault_and_nothing_was_sent(
    job: Job, clock: FakeClock, dynamodb: Faulty
) -> None:
    with PaymentStub() as gone:
        endpoint = gone.endpoint
    consumer = wiring.build(Settings(job.environment(PAYMENT_ENDPOINT=endpoint, MAX_ATTEMPTS="1")), clock)
    assert handle(consumer) == ["m1"]
    assert job.dead_letters() == []


def test_an_outcome_that_cannot_be_looked_up_is_counted_and_never_guessed(
    start: Start, job: Job, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, output: Callable[[], Output]
) -> None:
    stub, consumer = start({Fault.TOOK_503: 1})

    def down(_self: PaymentApi, _message: Any) -> str | None:
        raise UnknownOutcomeError("payment: HTTP 500 does not say whether there is a capture")

    with monkeypatch.context() as patch:
        patch.setattr(PaymentApi, "find", down)
        assert handle(consumer) == ["m1"]
    assert output().metrics == {"UnknownOutcome": 1, "Retried": 1}
    assert charged(job) is None
    clock.advance(60)
    assert handle(consumer) == []
    assert len(stub.captures) == 1


@pytest.mark.parametrize(("after", "taken_over"), [(5, False), (6, True)])
def test_a_lease_is_taken_over_once_its_holder_must_be_gone(
    start: Start, job: Job, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, after: int, taken_over: bool
) -> None:
    stub, _ = start()
    environment = job.environment(PAYMENT_ENDPOINT=stub.endpoint, LEASE_SECONDS="6")
    consumer = wiring.build(Settings(environment), clock)

    def killed(_self: PaymentApi, _message: Any) -> str:
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(PaymentApi, "perform", killed)
        assert handle(consumer) == ["m1"]
    clock.advance(after)
    assert handle(consumer) == ([] if taken_over else ["m1"])
    assert len(stub.captures) == int(taken_over)


def test_a_crash_between_capture_and_entry_resumes_at_the_entry(
    start: Start, job: Job, dynamodb: Faulty
) -> None:
    stub, consumer = start()
    dynamodb.faults["transact_write_items"] = [client_error("ProvisionedThroughputExceededException")]
    assert handle(consumer) == ["m1"]
    assert (len(stub.captures), charged(job)) == (1, None)
    assert handle(consumer) == []
    assert (stub.requests["capture"], charged(job)["capture_id"]) == (1, stub.captures[0].id)


def test_another_amount_under_the_key_takes_no_money(start: Start, job: Job) -> None:
    stub, consumer = start()
    handle(consumer, charge(amount=1000))
    assert handle(consumer, charge(amount=9800)) == []
    assert classes(job.dead_letters()) == ["rejected"]
    assert [capture.amount for capture in stub.captures] == [1000]


def test_an_entry_outlives_its_lease_and_a_late_redelivery_takes_no_money(
    start: Start, job: Job, clock: FakeClock
) -> None:
    stub, consumer = start()
    handle(consumer)
    clock.advance(91 * 24 * 3600)
    assert handle(consumer) == []
    assert len(stub.captures) == 1


def test_nothing_to_capture_is_charged_without_asking(start: Start, job: Job) -> None:
    stub, consumer = start()
    assert handle(consumer, charge(amount=0)) == []
    assert (stub.requests, "capture_id" in charged(job)) == ({}, False)


def test_an_unknown_tenant_takes_no_money(start: Start, job: Job) -> None:
    stub, consumer = start()
    assert handle(consumer, charge("nobody")) == []
    assert stub.captures == []
    assert classes(job.dead_letters()) == ["rejected"]


def test_without_an_endpoint_no_lease_is_taken(job: Job, clock: FakeClock, dynamodb: Faulty) -> None:
    assert handle(wiring.build(Settings(job.environment()), clock)) == []
    assert dynamodb.calls == ["get_item", "transact_write_items"]


@contextmanager
def api(
    faults: dict[Fault, int] | None = None, *, replays: bool = True
) -> Iterator[tuple[PaymentStub, PaymentApi]]:
    with PaymentStub(faults=faults, replays=replays) as stub:
        yield stub, PaymentApi(stub.endpoint, timeout=BRIEF)


def test_a_repeated_request_is_answered_with_the_capture_there_is() -> None:
    with api() as (stub, payment):
        assert payment.perform(charge()) == payment.perform(charge()) == payment.find(charge()) == "cap-1"
        assert len(stub.captures) == 1


def test_a_capture_that_is_not_there_is_told_apart_from_no_answer() -> None:
    with api() as (_, payment):
        assert payment.find(charge()) is None
    with pytest.raises(UnknownOutcomeError, match="cannot be asked"):
        payment.find(charge())


def test_an_api_that_cannot_be_reached_was_sent_nothing() -> None:
    with api() as (_, payment):
        pass
    with pytest.raises(TransientError, match="nothing was sent"):
        payment.perform(charge())


def test_an_api_that_knows_the_key_with_another_amount_is_a_mismatch() -> None:
    with api() as (_, payment):
        payment.perform(charge(amount=1000))
        with pytest.raises(PayloadMismatchError):
            payment.perform(charge(amount=9800))
        with pytest.raises(PayloadMismatchError, match="another amount"):
            payment.find(charge(amount=9800))


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (400, RejectedError),
        (402, RejectedError),
        (422, RejectedError),
        (409, PayloadMismatchError),
        (429, TransientError),
        (401, UnknownOutcomeError),
        (408, UnknownOutcomeError),
        (500, UnknownOutcomeError),
        (503, UnknownOutcomeError),
        (302, UnknownOutcomeError),
    ],
)
def test_what_each_answer_to_a_capture_means(
    monkeypatch: pytest.MonkeyPatch, status: int, expected: type[Exception]
) -> None:
    payment = PaymentApi("http://127.0.0.1:9")
    monkeypatch.setattr(payment, "_request", lambda *_arguments: (status, b"{}"))
    with pytest.raises(expected) as told:
        payment.perform(charge())
    assert type(told.value) is expected


@pytest.mark.parametrize("status", [400, 401, 429, 500, 503])
def test_an_answer_to_a_look_up_that_says_nothing_is_no_no(
    monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    payment = PaymentApi("http://127.0.0.1:9")
    monkeypatch.setattr(payment, "_request", lambda *_arguments: (status, b"{}"))
    with pytest.raises(UnknownOutcomeError):
        payment.find(charge())


@pytest.mark.parametrize(
    "answer", [b"", b"{}", b"[]", b"null", b'{"id": "", "amount": 1000, "currency": "JPY"}', b"\xff"]
)
def test_an_answer_that_is_no_capture_leaves_the_outcome_unknown(
    monkeypatch: pytest.MonkeyPatch, answer: bytes
) -> None:
    payment = PaymentApi("http://127.0.0.1:9")
    monkeypatch.setattr(payment, "_request", lambda *_arguments: (200, answer))
    with pytest.raises(UnknownOutcomeError, match="is no capture"):
        payment.perform(charge())


def test_an_https_endpoint_is_asked_over_tls_and_a_path_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str, float]] = []

    class Connection:
        def __init__(self, netloc: str, timeout: float) -> None:
            self._netloc, self._timeout = netloc, timeout

        def connect(self) -> None:
            return

        def request(self, method: str, path: str, body: str, headers: dict[str, str]) -> None:
            assert headers["Idempotency-Key"] == charge().idempotency_key
            assert json.loads(body) == {"amount": 1000, "currency": "JPY"}
            asked.append((method, self._netloc + path, self._timeout))
            raise ConnectionResetError

        def close(self) -> None:
            asked.append(("CLOSE", "", 0))

    monkeypatch.setattr("http.client.HTTPSConnection", Connection)
    with pytest.raises(UnknownOutcomeError, match="no answer"):
        PaymentApi("https://pay.example:8443/v1").perform(charge())
    assert asked == [("POST", "pay.example:8443/v1/captures", 10.0), ("CLOSE", "", 0)]
