"""A consumer: each failure has one outcome. The effect under test is whatever the test says."""

import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from job_runtime import aws
from job_runtime.config import Settings
from job_runtime.consumer import Consumer
from job_runtime.effects import Effect
from job_runtime.envelope import Contract, Message
from job_runtime.failures import (
    PayloadMismatchError,
    RejectedError,
    TransientError,
    UnknownOutcomeError,
    WaitingError,
)
from job_runtime.payload_schemas import PAYLOAD_SCHEMAS
from job_runtime.records import Record
from job_runtime.visibility import Backoff, Visibility
from job_runtime.wiring import consumer_from
from tests.support.clock import FakeClock
from tests.support.faulty import Faulty, cancelled, client_error, timeout
from tests.support.job import Job, classes
from tests.support.lambda_context import FakeContext
from tests.support.output import Output
from tests.support.sqs_events import charge, failures, sqs_event, sqs_record

SECRET = "Taro Yamada 4111111111111111"


class Effects:
    """The effect: raises what is set for an employee, else takes effect; `applied` lists the employees."""

    def __init__(self) -> None:
        self.applied: list[str] = []
        self.raising: dict[str, Exception | list[Exception]] = {}
        self.duplicates: set[str] = set()

    def __call__(self, message: Message, record: Record) -> Effect:
        assert record.body
        error = self.raising.get(message.employee_id)
        if isinstance(error, list):
            error = error.pop(0) if error else None
        if error is not None:
            raise error
        self.applied.append(message.employee_id)
        return Effect.DUPLICATE if message.employee_id in self.duplicates else Effect.APPLIED


class Sqs(Faulty):
    """Remembers every visibility that was set: receipt and seconds."""

    def __init__(self, client: Any, **faults: Any) -> None:
        super().__init__(client, **faults)
        self.visibilities: list[dict[str, int]] = []
        self.failed: list[dict[str, Any]] = []

    def change_message_visibility_batch(self, *, QueueUrl: str, Entries: list[Mapping[str, Any]]) -> Any:  # noqa: N803
        assert QueueUrl.endswith("/charge.fifo")
        self.calls.append("change_message_visibility_batch")
        assert len({entry["Id"] for entry in Entries}) == len(Entries) <= 10
        self.visibilities.append({entry["ReceiptHandle"]: entry["VisibilityTimeout"] for entry in Entries})
        pending = self.faults.get("change_message_visibility_batch")
        fault = pending.pop(0) if pending else None
        if isinstance(fault, Exception):
            raise fault
        return {"Successful": [], "Failed": self.failed}


@pytest.fixture
def effects() -> Effects:
    return Effects()


@pytest.fixture
def sqs(job: Job, monkeypatch: pytest.MonkeyPatch) -> Sqs:
    client = Sqs(job.sqs)
    monkeypatch.setattr(aws, "sqs", lambda: client)
    return client


@pytest.fixture
def dynamodb(job: Job, monkeypatch: pytest.MonkeyPatch) -> Faulty:
    client = Faulty(job.dynamodb)
    monkeypatch.setattr(aws, "dynamodb", lambda: client)
    return client


Make = Callable[..., Consumer]


@pytest.fixture
def make(job: Job, clock: FakeClock, effects: Effects, sqs: Sqs, dynamodb: Faulty) -> Make:
    def consumer(**environment: str) -> Consumer:
        made = consumer_from(
            Settings(job.environment(**environment)),
            contract=Contract("charge", PAYLOAD_SCHEMAS["charge"]),
            apply=effects,
            done_metric="Charged",
            clock=clock,
        )
        object.__setattr__(made, "backoff", Backoff(uniform=lambda low, high: (low + high) / 2))
        return made

    return consumer


def event(*employees: str, tenant: str = "t1", receives: int = 1) -> dict[str, Any]:
    """One message an employee, with the message id `m-<employee>`; all in the tenant's group."""
    return sqs_event(
        *(sqs_record(charge(tenant, employee), f"m-{employee}", receives=receives) for employee in employees)
    )


def test_a_message_that_takes_effect_is_done(make: Make, output: Callable[[], Output]) -> None:
    assert failures(make()(event("e1", "e2"), FakeContext())) == []
    assert output().metrics == {"Charged": 2}


def test_a_duplicate_is_a_success_of_its_own_kind(
    make: Make, effects: Effects, output: Callable[[], Output]
) -> None:
    effects.duplicates.add("e1")
    assert failures(make()(event("e1", "e2"), FakeContext())) == []
    printed = output()
    assert printed.metrics == {"Charged": 1, "Duplicate": 1}
    assert [line["outcome"] for line in printed.messages] == ["duplicate", "applied"]


@pytest.mark.parametrize(
    ("error", "failure_class", "metrics"),
    [
        (RejectedError("rule"), "rejected", {"Quarantined": 1}),
        (PayloadMismatchError("other"), "rejected", {"Quarantined": 1, "PayloadMismatch": 1}),
    ],
)
def test_a_rejected_message_is_quarantined_at_once_and_its_group_goes_on(
    make: Make,
    job: Job,
    effects: Effects,
    output: Callable[[], Output],
    error: Exception,
    failure_class: str,
    metrics: dict[str, int],
) -> None:
    effects.raising["e1"] = error
    assert failures(make()(event("e1", "e2"), FakeContext())) == []
    assert effects.applied == ["e2"]
    (letter,) = job.dead_letters()
    assert letter.body == charge(employee="e1").body()
    assert letter.group == "t1#2026-11"
    assert letter.attributes == {
        "failure_class": failure_class,
        "exception": type(error).__name__,
        "summary": str(error),
        "attempts": "1",
        "idempotency_key": charge(employee="e1").idempotency_key,
        "source_message_id": "m-e1",
        "source_sequence": "18850000000000000000",
    }
    assert output().metrics == {**metrics, "Charged": 1}


def test_a_malformed_message_is_quarantined_at_once_without_a_key(
    make: Make, job: Job, effects: Effects
) -> None:
    batch = sqs_event(
        sqs_record(charge("t1"), "m1"),
        sqs_record("{not json", "m2", group="g"),
        sqs_record(charge("t2"), "m3"),
    )
    assert failures(make()(batch, FakeContext())) == []
    assert len(effects.applied) == 2
    (letter,) = job.dead_letters()
    assert letter.body == "{not json"
    assert letter.group == "g"
    assert letter.attributes == {
        "failure_class": "malformed",
        "exception": "MalformedMessageError",
        "summary": "body: must be JSON (RFC 8259)",
        "attempts": "1",
        "source_message_id": "m2",
        "source_sequence": "18850000000000000000",
    }


@pytest.mark.parametrize("key", [..., None, ""])
def test_a_message_without_its_key_is_never_applied(make: Make, job: Job, effects: Effects, key: Any) -> None:
    body = json.loads(charge().body())
    body["idempotency_key"] = key
    text = json.dumps({name: value for name, value in body.items() if value is not ...})
    for _ in range(2):
        assert failures(make()(sqs_event(sqs_record(text, "m1")), FakeContext())) == []
    assert effects.applied == []
    assert set(classes(job.dead_letters())) == {"malformed"}


@pytest.mark.parametrize(
    "error",
    [
        TransientError("busy"),
        timeout(),
        client_error("ThrottlingException"),
        client_error("InternalServerError", status=500),
        cancelled("None", "TransactionConflict"),
    ],
)
def test_a_transient_failure_comes_back_and_is_never_quarantined(
    make: Make, job: Job, effects: Effects, dynamodb: Faulty, error: Exception, output: Callable[[], Output]
) -> None:
    effects.raising["e1"] = error
    consumer = make(MAX_ATTEMPTS="1")
    for _ in range(3):
        assert failures(consumer(event("e1", "e2"), FakeContext())) == ["m-e1", "m-e2"]
    assert job.dead_letters() == []
    assert effects.applied == []
    assert output().metrics == {"Retried": 3}
    assert dynamodb.calls == []


def test_an_unknown_failure_is_quarantined_after_the_last_attempt(
    make: Make, job: Job, effects: Effects, output: Callable[[], Output]
) -> None:
    effects.raising["e1"] = ValueError(SECRET)
    consumer = make(MAX_ATTEMPTS="3")
    for _ in range(2):
        assert failures(consumer(event("e1", "e2"), FakeContext())) == ["m-e1", "m-e2"]
        assert job.dead_letters() == []
    assert failures(consumer(event("e1", "e2"), FakeContext())) == []
    (letter,) = job.dead_letters()
    assert letter.attributes["failure_class"] == "unknown"
    assert letter.attributes["exception"] == "ValueError"
    assert letter.attributes["attempts"] == "3"
    assert "Taro" not in letter.attributes["summary"]
    assert effects.applied == ["e2"]
    printed = output()
    assert printed.metrics == {"Retried": 2, "Quarantined": 1, "Charged": 1}
    assert [line["attempts"] for line in printed.messages] == [1, 2, 3, 1]


def test_receives_are_no_attempts(make: Make, job: Job, effects: Effects) -> None:
    effects.raising["e1"] = ValueError("bug")
    consumer = make(MAX_ATTEMPTS="3")
    assert failures(consumer(event("e1", receives=50), FakeContext())) == ["m-e1"]
    assert job.dead_letters() == []


def test_group_mates_behind_a_failure_use_up_no_attempt(make: Make, job: Job, effects: Effects) -> None:
    effects.raising["e1"] = [ValueError("bug")] * 4
    effects.raising["e2"] = [ValueError("bug")]
    consumer = make(MAX_ATTEMPTS="5")
    for _ in range(4):
        consumer(event("e1", "e2"), FakeContext())
    assert failures(consumer(event("e1", "e2"), FakeContext())) == ["m-e2"]
    assert job.dead_letters() == []


def test_a_redriven_message_has_all_its_attempts_again(make: Make, job: Job, effects: Effects) -> None:
    effects.raising["e1"] = ValueError("bug")
    consumer = make(MAX_ATTEMPTS="2")
    for _ in range(2):
        consumer(event("e1"), FakeContext())
    assert classes(job.dead_letters()) == ["unknown"]
    redriven = sqs_event(sqs_record(charge(employee="e1"), "m-other"))
    assert failures(consumer(redriven, FakeContext())) == ["m-other"]
    assert failures(consumer(redriven, FakeContext())) == []


def test_an_attempt_that_cannot_be_counted_is_not_the_last(
    make: Make, job: Job, effects: Effects, dynamodb: Faulty, output: Callable[[], Output]
) -> None:
    effects.raising["e1"] = ValueError("bug")
    consumer = make(MAX_ATTEMPTS="1")
    dynamodb.faults["update_item"] = [client_error("AccessDeniedException", "UpdateItem")]
    assert failures(consumer(event("e1"), FakeContext())) == ["m-e1"]
    assert job.dead_letters() == []
    told = [line for line in output().lines if line["message"] == "attempt not counted"]
    assert [(line["message_id"], line["summary"]) for line in told] == [
        ("m-e1", "UpdateItem: AccessDeniedException")
    ]


def test_an_unknown_outcome_is_counted_as_such_and_stays(
    make: Make, effects: Effects, output: Callable[[], Output]
) -> None:
    effects.raising["e1"] = UnknownOutcomeError("who knows")
    assert failures(make()(event("e1"), FakeContext())) == ["m-e1"]
    assert output().metrics == {"UnknownOutcome": 1, "Retried": 1}


def test_what_cannot_be_quarantined_is_not_done(
    make: Make, job: Job, effects: Effects, sqs: Sqs, output: Callable[[], Output]
) -> None:
    effects.raising["e1"] = RejectedError("rule")
    consumer = make()
    sqs.faults["send_message"] = [client_error("AccessDenied", "SendMessage")]
    assert failures(consumer(event("e1", "e2"), FakeContext())) == ["m-e1", "m-e2"]
    assert effects.applied == []
    printed = output()
    assert printed.metrics == {"Retried": 1}
    assert "not quarantined" in [line["message"] for line in printed.lines]
    assert failures(consumer(event("e1", "e2"), FakeContext())) == []
    assert classes(job.dead_letters()) == ["rejected"]


def test_a_quarantine_whose_answer_was_lost_leaves_one_copy(make: Make, job: Job, effects: Effects) -> None:
    effects.raising["e1"] = RejectedError("rule")
    consumer = make()
    for _ in range(2):
        assert failures(consumer(event("e1"), FakeContext())) == []
    assert len(job.dead_letters()) == 1


def test_the_trace_header_goes_along_into_quarantine(
    make: Make, job: Job, effects: Effects, sqs: Sqs
) -> None:
    effects.raising["e1"] = RejectedError("rule")
    header = "Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1"
    make()(
        sqs_event(sqs_record(charge(employee="e1"), "m1", attributes={"AWSTraceHeader": header})),
        FakeContext(),
    )
    (message,) = job.sqs.receive_message(QueueUrl=job.dlq_url, AttributeNames=["AWSTraceHeader"])["Messages"]
    assert message["Attributes"]["AWSTraceHeader"] == header


def test_by_default_a_group_goes_on_without_asking_whether_it_is_halted(
    make: Make, effects: Effects, dynamodb: Faulty
) -> None:
    effects.raising["e1"] = RejectedError("rule")
    make()(event("e1", "e2"), FakeContext())
    assert effects.applied == ["e2"]
    assert dynamodb.calls == []


def test_a_halted_group_follows_its_head_in_order_until_it_is_released(
    make: Make, job: Job, effects: Effects, dynamodb: Faulty, output: Callable[[], Output]
) -> None:
    effects.raising["e1"] = RejectedError("rule")
    consumer = make(ON_QUARANTINE="halt-group")
    assert failures(consumer(event("e1", "e2", "e3"), FakeContext())) == []
    assert failures(consumer(event("e4", "e5"), FakeContext())) == []
    other = event("e6", tenant="t2")
    assert failures(consumer(other, FakeContext())) == []
    letters = job.dead_letters()
    assert classes(letters) == ["rejected", "halted", "halted", "halted", "halted"]
    assert [json.loads(letter.body)["employee_id"] for letter in letters] == ["e1", "e2", "e3", "e4", "e5"]
    assert effects.applied == ["e6"]
    assert output().metrics == {"Quarantined": 5, "Charged": 1}
    assert consumer.halts is not None
    consumer.halts.settle("t1#2026-11", "18850000000000000000")
    assert consumer.halts.release("t1#2026-11")
    assert failures(consumer(event("e7"), FakeContext())) == []
    assert effects.applied == ["e6", "e7"]


def test_the_halt_is_read_once_for_a_group_in_a_batch(make: Make, dynamodb: Faulty) -> None:
    make(ON_QUARANTINE="halt-group")(event(*(f"e{n}" for n in range(10))), FakeContext())
    assert dynamodb.calls == ["get_item"]


def test_a_malformed_head_halts_its_group_too(make: Make, job: Job, effects: Effects) -> None:
    consumer = make(ON_QUARANTINE="halt-group")
    assert failures(consumer(sqs_event(sqs_record("{", "m0", group="t1#2026-11")), FakeContext())) == []
    assert failures(consumer(event("e1"), FakeContext())) == []
    assert classes(job.dead_letters()) == ["malformed", "halted"]
    assert effects.applied == []


def test_a_halt_that_cannot_be_read_lets_nothing_pass(make: Make, effects: Effects, dynamodb: Faulty) -> None:
    consumer = make(ON_QUARANTINE="halt-group")
    dynamodb.faults["get_item"] = [client_error("InternalServerError", status=500)]
    assert failures(consumer(event("e1", "e2"), FakeContext())) == ["m-e1", "m-e2"]
    assert effects.applied == []


def test_a_halt_that_cannot_be_written_keeps_the_head_in_the_queue(
    make: Make, job: Job, effects: Effects, dynamodb: Faulty
) -> None:
    effects.raising["e1"] = RejectedError("rule")
    consumer = make(ON_QUARANTINE="halt-group")
    dynamodb.faults["transact_write_items"] = [timeout()]
    assert failures(consumer(event("e1", "e2"), FakeContext())) == ["m-e1", "m-e2"]
    assert failures(consumer(event("e1", "e2"), FakeContext())) == []
    assert classes(job.dead_letters()) == ["rejected", "halted"]


@pytest.mark.parametrize(("receives", "seconds"), [(1, 2), (2, 4), (3, 8), (50, 16)])
def test_a_transient_failure_and_what_is_behind_it_come_back_after_a_growing_pause(
    make: Make, effects: Effects, sqs: Sqs, receives: int, seconds: int
) -> None:
    effects.raising["e1"] = TransientError("busy")
    make()(event("e1", "e2", receives=receives), FakeContext())
    assert sqs.visibilities == [{"receipt-m-e1": seconds, "receipt-m-e2": seconds}]


def test_a_transient_failure_that_does_not_end_goes_to_the_dead_letter_queue_after_its_deliveries(
    make: Make, effects: Effects, sqs: Sqs, job: Job
) -> None:
    effects.raising["e1"] = TransientError("busy")
    consumer = make(MAX_DELIVERIES="4")
    for receives in range(1, 8):
        assert failures(consumer(event("e1", receives=receives), FakeContext())) == ["m-e1"]
    assert [visibility["receipt-m-e1"] for visibility in sqs.visibilities] == [2, 4, 8, 16, 32, 64, 128]
    assert failures(consumer(event("e1", receives=8), FakeContext())) == []
    assert classes(job.dead_letters()) == ["exhausted"]


def test_a_message_behind_poison_heads_costs_nothing_until_its_turn(
    make: Make, effects: Effects, job: Job, dynamodb: Faulty
) -> None:
    effects.raising["e1"] = TransientError("busy")
    consumer = make(MAX_DELIVERIES="100")
    for receives in range(1, 60):
        consumer(event("e1", "e2", receives=receives), FakeContext())
    assert job.row("delivery#m-e2", "delivery") is None
    del effects.raising["e1"]
    assert failures(consumer(event("e1", "e2", receives=60), FakeContext())) == []
    assert job.dead_letters() == []


def test_a_delivery_that_cannot_be_counted_begins_nothing(
    make: Make, effects: Effects, dynamodb: Faulty
) -> None:
    dynamodb.faults["update_item"] = [client_error("ThrottlingException")]
    assert failures(make()(event("e1", receives=9), FakeContext())) == ["m-e1"]
    assert effects.applied == []


def test_to_meet_the_lease_of_another_delivery_is_a_wait_and_no_attempt(
    make: Make, effects: Effects, job: Job, sqs: Sqs
) -> None:
    effects.raising["e1"] = WaitingError("another delivery holds the lease of this key", 41.2)
    consumer = make(MAX_DELIVERIES="2")
    for receives in range(1, 40):
        assert failures(consumer(event("e1", receives=receives), FakeContext())) == ["m-e1"]
    assert sqs.visibilities[-1] == {"receipt-m-e1": 42}
    row = job.row("delivery#m-e1", "delivery")
    assert row is not None
    assert row["deliveries"] == 0
    assert job.dead_letters() == []


def test_an_unknown_failure_pauses_by_its_attempts(make: Make, effects: Effects, sqs: Sqs) -> None:
    effects.raising["e1"] = ValueError("bug")
    consumer = make()
    for _ in range(3):
        consumer(event("e1", receives=40), FakeContext())
    assert [seconds for batch in sqs.visibilities for seconds in batch.values()] == [2, 4, 8]


def test_what_was_not_started_in_time_comes_back_at_once(make: Make, effects: Effects, sqs: Sqs) -> None:
    context = FakeContext(20_000)
    applied = effects.__call__

    def slow(message: Message, record: Record) -> Effect:
        context.remaining = 4_000
        return applied(message, record)

    consumer = make()
    object.__setattr__(consumer, "apply", slow)
    assert failures(consumer(event("e1", "e2", "e3"), context)) == ["m-e2", "m-e3"]
    assert effects.applied == ["e1"]
    assert sqs.visibilities == [{"receipt-m-e2": 0, "receipt-m-e3": 0}]


def test_a_batch_that_is_done_sets_no_visibility(make: Make, sqs: Sqs) -> None:
    make()(event("e1"), FakeContext())
    assert sqs.calls == []


def test_a_visibility_that_cannot_be_set_is_logged_and_no_more(
    make: Make, effects: Effects, sqs: Sqs, output: Callable[[], Output]
) -> None:
    effects.raising["e1"] = TransientError("busy")
    sqs.faults["change_message_visibility_batch"] = [client_error("ReceiptHandleIsInvalid", "Change")]
    assert failures(make()(event("e1"), FakeContext())) == ["m-e1"]
    assert [line["summary"] for line in output().lines if line["message"] == "visibility not changed"] == [
        "Change: ReceiptHandleIsInvalid"
    ]


def test_a_visibility_that_takes_too_long_does_not_hold_up_the_answer(
    make: Make, effects: Effects, sqs: Sqs, monkeypatch: pytest.MonkeyPatch, output: Callable[[], Output]
) -> None:
    release = threading.Event()
    effects.raising["e1"] = TransientError("busy")
    monkeypatch.setattr(Visibility, "change", lambda _self, _delays: release.wait(10))
    assert failures(make()(event("e1"), FakeContext(100))) == ["m-e1"]
    release.set()
    assert [line["summary"] for line in output().lines if line["message"] == "visibility not changed"] == [
        "time is up"
    ]


def test_entries_whose_visibility_was_refused_are_logged(
    make: Make, effects: Effects, sqs: Sqs, output: Callable[[], Output]
) -> None:
    effects.raising["e1"] = TransientError("busy")
    sqs.failed = [{"Id": "0", "Code": "MessageNotInflight", "SenderFault": True}]
    make()(event("e1"), FakeContext())
    assert [line["summary"] for line in output().lines if line["message"] == "visibility not changed"] == [
        "MessageNotInflight"
    ]


def test_a_killed_worker_leaves_its_message_undone(
    make: Make, effects: Effects, output: Callable[[], Output]
) -> None:
    effects.raising["e1"] = SystemExit()  # type: ignore[assignment]
    assert failures(make()(event("e1", "e2"), FakeContext())) == ["m-e1", "m-e2"]
    (line,) = [line for line in output().lines if line["level"] == "ERROR"]
    assert line["message"] == "group ended"
    assert line["summary"].startswith("at ")


def test_one_line_a_message_with_what_is_needed_to_find_it(make: Make, output: Callable[[], Output]) -> None:
    make()(event("e1", receives=2), FakeContext())
    (line,) = output().messages
    message = charge(employee="e1")
    assert (
        line.items()
        >= {
            "level": "INFO",
            "service": "charge",
            "message_id": "m-e1",
            "group": "t1#2026-11",
            "receive_count": 2,
            "outcome": "applied",
            "done": True,
            "attempts": 1,
            "duration_ms": 0.0,
            "idempotency_key": message.idempotency_key,
            "run_id": "charge-2026-11",
        }.items()
    )
    assert line["timestamp"].endswith("+00:00")


def test_nothing_of_one_message_is_in_the_line_of_another(make: Make, output: Callable[[], Output]) -> None:
    consumer = make()
    consumer(
        sqs_event(sqs_record(charge(employee="e1"), "m1"), sqs_record("{", "m2", group="other")),
        FakeContext(),
    )
    consumer(sqs_event(sqs_record("{", "m3", group="another")), FakeContext())
    first, *broken = sorted(output().messages, key=lambda line: line["message_id"])
    assert first["idempotency_key"] == charge(employee="e1").idempotency_key
    assert [line["message_id"] for line in broken] == ["m2", "m3"]
    for line in broken:
        assert not {"idempotency_key", "run_id"} & line.keys()
        assert "e1" not in json.dumps(line["group"])


def test_no_line_and_no_reason_repeats_a_body(
    make: Make, job: Job, effects: Effects, output: Callable[[], Output]
) -> None:
    effects.raising["e1"] = ValueError(SECRET)
    effects.raising["e2"] = client_error("ValidationException", "PutItem")
    effects.raising["e3"] = KeyError(SECRET)
    broken = json.dumps({**json.loads(charge().body()), "holder": SECRET})
    make(MAX_ATTEMPTS="1")(
        sqs_event(*event("e1", "e2", "e3")["Records"], sqs_record(broken, "m-broken", group="x")),
        FakeContext(),
    )
    letters = job.dead_letters()
    assert sorted(classes(letters)) == ["malformed", "unknown", "unknown", "unknown"]
    text = output().text + "".join(json.dumps(letter.attributes) for letter in letters)
    assert "Taro" not in text
    assert "4111" not in text
    assert '"amount"' not in text


def test_one_dimension_however_many_messages_and_tenants(
    make: Make, job: Job, output: Callable[[], Output]
) -> None:
    consumer = make()
    for number in range(30):
        consumer(
            event(*(f"e{number}-{place}" for place in range(10)), tenant=f"tenant-{number}"), FakeContext()
        )
    printed = output()
    assert printed.dimensions == {(("service", "charge"),)}
    assert printed.namespaces == {"FanoutOnce"}
    assert printed.metrics == {"Charged": 300}


def test_metrics_are_published_when_the_invocation_fails_after_all(
    make: Make, monkeypatch: pytest.MonkeyPatch, output: Callable[[], Output], effects: Effects
) -> None:
    consumer = make()
    monkeypatch.setattr("job_runtime.consumer.Progress.response", lambda _self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        consumer(event("e1"), FakeContext())
    assert output().metrics == {"Charged": 1}


def test_an_event_that_is_no_batch_is_refused(make: Make) -> None:
    with pytest.raises(ValueError, match="must be a batch of SQS records"):
        make()({"job": "charge"}, FakeContext())


def test_a_referenced_payload_without_a_bucket_is_rejected(make: Make, job: Job, effects: Effects) -> None:
    body = json.loads(charge().body())
    del body["payload"]
    body["payload_ref"] = {"bucket": "payloads", "key": "k", "sha256": "a" * 64, "bytes": 5}
    assert failures(make()(sqs_event(sqs_record(json.dumps(body), "m1")), FakeContext())) == []
    assert [letter.attributes["summary"] for letter in job.dead_letters()] == [
        "payload_ref: this consumer takes none; set PAYLOAD_BUCKET"
    ]
    assert effects.applied == []


def test_a_failure_before_the_message_is_known_is_never_the_last_attempt(
    make: Make, job: Job, dynamodb: Faulty
) -> None:
    consumer = make(ON_QUARANTINE="halt-group", MAX_ATTEMPTS="1")
    dynamodb.faults["get_item"] = [client_error("AccessDeniedException", "GetItem")]
    assert failures(consumer(event("e1"), FakeContext())) == ["m-e1"]
    assert job.dead_letters() == []
