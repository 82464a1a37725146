"""A consumer and the copies that the release of a halted group sends: each in its turn, or not at all."""

from collections.abc import Callable
from typing import Any

import pytest

from job_runtime import aws
from job_runtime.clock import Clock
from job_runtime.config import Settings
from job_runtime.effects import Effect
from job_runtime.envelope import Contract, Message
from job_runtime.failures import RejectedError
from job_runtime.halt import Halts
from job_runtime.payload_schemas import PAYLOAD_SCHEMAS
from job_runtime.records import Record
from job_runtime.wiring import consumer_from
from tests.support.faulty import Faulty, client_error
from tests.support.job import JOB_TABLE, Job, classes
from tests.support.lambda_context import FakeContext
from tests.support.output import Output
from tests.support.sqs_events import charge, failures, sqs_event, sqs_record

GROUP = "t1#2026-11"


@pytest.fixture
def applied() -> list[str]:
    return []


@pytest.fixture
def rejecting() -> set[str]:
    return set()


@pytest.fixture
def dynamodb(job: Job, monkeypatch: pytest.MonkeyPatch) -> Faulty:
    client = Faulty(job.dynamodb)
    monkeypatch.setattr(aws, "dynamodb", lambda: client)
    return client


@pytest.fixture
def sqs(job: Job, monkeypatch: pytest.MonkeyPatch) -> Faulty:
    client = Faulty(job.sqs)
    monkeypatch.setattr(aws, "sqs", lambda: client)
    return client


@pytest.fixture
def halts(job: Job, clock: Clock) -> Halts:
    return Halts(job.dynamodb, JOB_TABLE, "charge", clock)


Consume = Callable[..., list[str]]


@pytest.fixture
def consume(job: Job, clock: Clock, applied: list[str], rejecting: set[str], dynamodb: Faulty) -> Consume:
    """Handles the records as one batch; the ids that come again."""

    def apply(message: Message, record: Record) -> Effect:
        if message.employee_id in rejecting:
            raise RejectedError("rule")
        applied.append(message.employee_id)
        return Effect.APPLIED

    def consume(*records: dict[str, Any]) -> list[str]:
        consumer = consumer_from(
            Settings(job.environment(ON_QUARANTINE="halt-group")),
            contract=Contract("charge", PAYLOAD_SCHEMAS["charge"]),
            apply=apply,
            done_metric="Charged",
            clock=clock,
        )
        return failures(consumer(sqs_event(*records), FakeContext()))

    return consume


def copy(employee: str, *, window: str = "w1", after: str | None = None, receives: int = 1) -> dict[str, Any]:
    """The copy of the dead letter `d-<employee>`, as Lambda hands it over."""
    names = {"redrives": "1", "redrive_run": window, "redrive_of": f"d-{employee}"}
    if after:
        names["redrive_after"] = f"d-{after}"
    record = sqs_record(charge(employee=employee), f"copy-{employee}", receives=receives)
    attributes = {name: {"stringValue": value, "dataType": "String"} for name, value in names.items()}
    return {**record, "messageAttributes": attributes}


def test_copies_of_the_window_pass_in_their_turn_and_everything_else_waits(
    consume: Consume, job: Job, halts: Halts, applied: list[str]
) -> None:
    halts.open_window(GROUP, "w1")
    batch = (
        sqs_record(charge(employee="e9"), "m9"),
        copy("e1"),
        copy("e2", after="e1"),
        copy("e3", after="e2"),
    )
    assert consume(*batch) == []
    assert applied == ["e1", "e2", "e3"]
    halt = halts.read(GROUP)
    assert halt is not None
    assert halt.effective == {"d-e1", "d-e2", "d-e3"}
    assert classes(job.dead_letters()) == ["halted"]


def test_a_copy_whose_predecessor_did_not_take_effect_is_dropped_and_ends_the_window(
    output: Callable[[], Output], consume: Consume, job: Job, halts: Halts, applied: list[str]
) -> None:
    halts.open_window(GROUP, "w1")
    assert consume(copy("e2", after="e1")) == []
    assert applied == []
    assert job.dead_letters() == []
    halt = halts.read(GROUP)
    assert halt is not None
    assert halt.release is None
    assert [line["outcome"] for line in output().messages] == ["superseded"]


@pytest.mark.parametrize("halted", [True, False])
def test_a_copy_of_an_earlier_release_is_dropped(
    consume: Consume, job: Job, halts: Halts, applied: list[str], halted: bool
) -> None:
    if halted:
        halts.open_window(GROUP, "w2")
    assert consume(copy("e1", window="w1")) == []
    assert applied == []
    assert job.dead_letters() == []
    halt = halts.read(GROUP)
    assert (halt.release if halt else None) == ("w2" if halted else None)


def test_a_copy_that_fails_for_good_ends_the_window_and_its_original_stays_where_it_is(
    consume: Consume, job: Job, halts: Halts, applied: list[str], rejecting: set[str]
) -> None:
    halts.open_window(GROUP, "w1")
    rejecting.add("e2")
    batch = (copy("e1"), copy("e2", after="e1"), copy("e3", after="e2"))
    assert consume(*batch) == []
    assert applied == ["e1"]
    assert job.dead_letters() == []
    halt = halts.read(GROUP)
    assert halt is not None
    assert (halt.release, halt.refused) == (None, "rejected: rule")
    assert halt.effective == {"d-e1"}


def test_a_copy_whose_effect_could_not_be_told_comes_again(
    consume: Consume, halts: Halts, applied: list[str], dynamodb: Faulty
) -> None:
    halts.open_window(GROUP, "w1")
    dynamodb.faults["update_item"] = [client_error("ThrottlingException")]
    assert consume(copy("e1"), copy("e2", after="e1")) == [
        "copy-e1",
        "copy-e2",
    ]
    assert consume(copy("e1"), copy("e2", after="e1")) == []
    assert applied == ["e1", "e1", "e2"]


def test_a_message_that_is_begun_too_often_halts_its_group_before_sqs_moves_it_in_silence(
    consume: Consume, job: Job, halts: Halts, applied: list[str]
) -> None:
    begun(job, "m-e1", 10)
    batch = [sqs_record(charge(employee=name), f"m-{name}", receives=150) for name in ("e1", "e2")]
    assert consume(*batch) == []
    assert applied == []
    letters = job.dead_letters()
    assert classes(letters) == ["exhausted", "halted"]
    assert letters[0].attributes["exception"] == "DeliveriesExhaustedError"
    assert halts.read(GROUP) is not None


def test_a_message_that_was_received_often_and_never_begun_takes_effect(
    consume: Consume, job: Job, applied: list[str]
) -> None:
    assert consume(sqs_record(charge(employee="e1"), "m-e1", receives=150)) == []
    assert applied == ["e1"]
    assert job.dead_letters() == []


def test_a_copy_that_is_begun_too_often_ends_the_window(consume: Consume, job: Job, halts: Halts) -> None:
    halts.open_window(GROUP, "w1")
    begun(job, "copy-e1", 10)
    assert consume(copy("e1", receives=150)) == []
    halt = halts.read(GROUP)
    assert halt is not None
    assert halt.refused is not None
    assert halt.refused.startswith("exhausted: ")
    assert job.dead_letters() == []


def test_a_head_whose_letter_was_lost_on_the_way_is_parked_for_its_first_reason_and_not_tried_again(
    consume: Consume, job: Job, applied: list[str], rejecting: set[str], sqs: Faulty
) -> None:
    rejecting.add("e1")
    batch = [sqs_record(charge(employee=name), f"m-{name}") for name in ("e1", "e2")]
    sqs.faults["send_message"] = [client_error("ServiceUnavailable", status=503)]
    assert consume(*batch) == ["m-e1", "m-e2"]
    rejecting.clear()
    assert consume(*batch) == []
    assert applied == []
    letters = job.dead_letters()
    assert classes(letters) == ["rejected", "halted"]
    assert letters[0].attributes["summary"] == "rule"


def begun(job: Job, message_id: str, times: int) -> None:
    """The message has been begun so often, and never came to an end."""
    job.dynamodb.put_item(
        TableName=JOB_TABLE,
        Item={
            "pk": {"S": f"delivery#{message_id}"},
            "sk": {"S": "delivery"},
            "deliveries": {"N": str(times)},
        },
    )
