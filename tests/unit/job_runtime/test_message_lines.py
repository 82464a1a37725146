"""What the log says of a batch: one line a message, one for what goes back."""

import threading
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from job_runtime.config import Settings
from job_runtime.effects import Effect
from job_runtime.envelope import Contract, Message
from job_runtime.failures import TransientError
from job_runtime.payload_schemas import PAYLOAD_SCHEMAS
from job_runtime.wiring import consumer_from
from tests.support.clock import FakeClock
from tests.support.job import Job
from tests.support.lambda_context import FakeContext
from tests.support.output import Output
from tests.support.sqs_events import charge, failures, sqs_event, sqs_record

Run = Callable[..., list[str]]


@pytest.fixture
def run(job: Job, clock: FakeClock) -> Run:
    """Handle records with an effect, in an environment; the ids handed back."""

    def batch(
        apply: Callable[[Message], Effect], *records: Mapping[str, Any], **environment: str
    ) -> list[str]:
        consumer = consumer_from(
            Settings(job.environment(**environment)),
            contract=Contract("charge", PAYLOAD_SCHEMAS["charge"]),
            apply=lambda message, _record: apply(message),
            done_metric="Charged",
            clock=clock,
        )
        return failures(consumer(sqs_event(*records), FakeContext()))

    return batch


def test_the_line_of_a_failure_says_what_failed_and_how_long_it_took(
    run: Run, clock: FakeClock, output: Callable[[], Output]
) -> None:
    clock.advance(100)

    def slow(_message: Message) -> Effect:
        clock.advance(0.01234)
        raise TransientError("busy")

    header = "Root=1-5759e988-bd862e3fe1be46a994272793"
    run(slow, sqs_record(charge(), "m1", attributes={"AWSTraceHeader": header}))
    (line,) = output().messages
    assert (
        line.items()
        >= {
            "level": "WARNING",
            "outcome": "transient",
            "done": False,
            "duration_ms": 12.3,
            "exception": "TransientError",
            "summary": "busy",
            "sender_trace": header,
        }.items()
    )


def test_the_line_of_a_success_names_no_failure(run: Run, output: Callable[[], Output]) -> None:
    run(lambda _message: Effect.APPLIED, sqs_record(charge(), "m1"))
    (line,) = output().messages
    assert not {"exception", "summary", "sender_trace"} & line.keys()


def test_a_batch_that_goes_back_in_part_says_how_far_it_got(run: Run, output: Callable[[], Output]) -> None:
    def second_fails(message: Message) -> Effect:
        if message.employee_id == "e2":
            raise TransientError("busy")
        return Effect.APPLIED

    run(second_fails, *(sqs_record(charge(employee=name), name) for name in ("e1", "e2", "e3")))
    (line,) = [line for line in output().lines if line["message"] == "batch handed back in part"]
    assert {name: line[name] for name in ("done", "failed", "behind", "in_hand", "untouched")} == {
        "done": 1,
        "failed": 1,
        "behind": 1,
        "in_hand": 0,
        "untouched": 0,
    }


def test_groups_take_turns_when_there_is_one_thread(run: Run) -> None:
    another = threading.Event()
    begun: list[str] = []

    def alone(message: Message) -> Effect:
        begun.append(message.tenant_id)
        if len(begun) > 1:
            another.set()
        else:
            assert not another.wait(0.05)
        return Effect.APPLIED

    records = [sqs_record(charge(tenant), tenant) for tenant in ("t1", "t2")]
    assert run(alone, *records, BATCH_THREADS="1") == []
    assert begun == ["t1", "t2"]
