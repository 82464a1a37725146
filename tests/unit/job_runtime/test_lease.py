"""The lease of an outside effect: who may ask, and what is done when nobody knows."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from job_runtime.effects.lease import Leases
from job_runtime.envelope import Message
from job_runtime.failures import (
    PayloadMismatchError,
    RejectedError,
    TransientError,
    UnknownOutcomeError,
    WaitingError,
)
from tests.support.clock import FakeClock
from tests.support.faulty import Faulty, Lost, client_error, timeout
from tests.support.job import JOB_TABLE, Job
from tests.support.sqs_events import charge


@dataclass
class Outside:
    """An API without any idempotency of its own: it takes effect each time it is asked to."""

    keys: set[str] = field(default_factory=set)
    performed: int = 0
    asked: int = 0
    then: list[Exception] = field(default_factory=list)
    before: list[Exception] = field(default_factory=list)
    when_asked: list[Exception] = field(default_factory=list)
    during: Callable[[], None] = lambda: None

    def perform(self, message: Message) -> str:
        """`before`: fails without effect; `then`: takes effect and fails."""
        self.keys.add(message.idempotency_key)
        if self.before:
            raise self.before.pop(0)
        self.performed += 1
        self.during()
        if self.then:
            raise self.then.pop(0)
        return f"capture-{self.performed}"

    def find(self, message: Message) -> str | None:
        self.keys.add(message.idempotency_key)
        self.asked += 1
        if self.when_asked:
            raise self.when_asked.pop(0)
        return f"capture-{self.performed}" if self.performed else None


class Killed(BaseException):
    """The process ends here."""


def leases(job: Job, clock: FakeClock, client: Any = None) -> Leases:
    return Leases(client or job.dynamodb, JOB_TABLE, clock)


def lease_row(job: Job, message: Message) -> dict[str, Any]:
    row = job.row(message.tenant_id, f"effect#{message.idempotency_key}")
    assert row is not None
    return row


def test_it_happens_once_and_its_result_is_remembered(job: Job, clock: FakeClock) -> None:
    outside = Outside()
    assert [leases(job, clock).once(charge(), outside) for _ in range(3)] == ["capture-1"] * 3
    assert (outside.performed, outside.asked) == (1, 0)
    row = lease_row(job, charge())
    assert (row["state"], row["outcome"]) == ("COMPLETE", "capture-1")
    assert row["ttl"] == int((clock.now() + timedelta(days=90)).timestamp())


def test_a_second_delivery_waits_while_the_first_is_at_it(job: Job, clock: FakeClock) -> None:
    def overlap() -> None:
        with pytest.raises(WaitingError, match=r"^another delivery holds the lease of this key$") as met:
            leases(job, clock).once(charge(), outside)
        assert met.value.seconds == 60

    outside = Outside(during=overlap)
    assert leases(job, clock).once(charge(), outside) == "capture-1"
    assert outside.performed == 1


def test_a_crash_before_the_outside_call_is_taken_over_when_the_lease_has_run_out(
    job: Job, clock: FakeClock
) -> None:
    outside = Outside(before=[Killed()])  # type: ignore[list-item]
    with pytest.raises(Killed):
        leases(job, clock).once(charge(), outside)
    clock.advance(59.9)
    with pytest.raises(TransientError, match="another delivery"):
        leases(job, clock).once(charge(), outside)
    assert outside.performed == 0
    clock.advance(0.1)
    assert leases(job, clock).once(charge(), outside) == "capture-1"


def test_a_crash_after_the_outside_call_is_found_by_asking(job: Job, clock: FakeClock) -> None:
    outside = Outside(then=[Killed()])  # type: ignore[list-item]
    with pytest.raises(Killed):
        leases(job, clock).once(charge(), outside)
    clock.advance(60)
    assert leases(job, clock).once(charge(), outside) == "capture-1"
    assert (outside.performed, outside.asked) == (1, 1)


def test_an_unknown_outcome_is_looked_up_at_once(job: Job, clock: FakeClock) -> None:
    outside = Outside(then=[UnknownOutcomeError("503")])
    assert leases(job, clock).once(charge(), outside) == "capture-1"
    assert (outside.performed, outside.asked) == (1, 1)
    assert outside.keys == {charge().idempotency_key}


def test_an_unknown_outcome_that_turns_out_as_not_happened_is_tried_again_soon(
    job: Job, clock: FakeClock
) -> None:
    outside = Outside(before=[UnknownOutcomeError("503")])
    with pytest.raises(TransientError, match=r"^the outside effect did not happen"):
        leases(job, clock).once(charge(), outside)
    assert leases(job, clock).once(charge(), outside) == "capture-1"
    assert outside.performed == 1


def test_an_outcome_that_cannot_be_looked_up_keeps_its_lease(job: Job, clock: FakeClock) -> None:
    outside = Outside(then=[UnknownOutcomeError("503")], when_asked=[UnknownOutcomeError("down")] * 2)
    with pytest.raises(UnknownOutcomeError):
        leases(job, clock).once(charge(), outside)
    row = lease_row(job, charge())
    assert row["state"] == "INPROGRESS"
    assert row["lease_until"] == int((clock.now() + timedelta(seconds=60)).timestamp() * 1000)
    with pytest.raises(TransientError, match="another delivery"):
        leases(job, clock).once(charge(), outside)
    clock.advance(60)
    with pytest.raises(UnknownOutcomeError):
        leases(job, clock).once(charge(), outside)
    clock.advance(60)
    assert leases(job, clock).once(charge(), outside) == "capture-1"
    assert outside.performed == 1


@pytest.mark.parametrize("refusal", [RejectedError("declined"), TransientError("slow down")])
def test_what_certainly_did_not_happen_frees_the_lease(
    job: Job, clock: FakeClock, refusal: Exception
) -> None:
    outside = Outside(before=[refusal])
    with pytest.raises(type(refusal)):
        leases(job, clock).once(charge(), outside)
    assert leases(job, clock).once(charge(), outside) == "capture-1"


def test_another_payload_under_the_key_never_reaches_the_outside(job: Job, clock: FakeClock) -> None:
    outside = Outside()
    leases(job, clock).once(charge(amount=1000), outside)
    with pytest.raises(
        PayloadMismatchError, match=r"^this key stands for another payload at the outside API$"
    ):
        leases(job, clock).once(charge(amount=9800), outside)
    assert outside.performed == 1


def test_another_payload_does_not_take_over_an_unfinished_lease(job: Job, clock: FakeClock) -> None:
    with pytest.raises(Killed):
        leases(job, clock).once(charge(amount=1000), Outside(then=[Killed()]))  # type: ignore[list-item]
    clock.advance(600)
    with pytest.raises(PayloadMismatchError):
        leases(job, clock).once(charge(amount=9800), Outside())


def test_a_holder_whose_lease_ran_out_cannot_overwrite_its_successors_result(
    job: Job, clock: FakeClock
) -> None:
    outside = Outside()

    def overtaken() -> None:
        outside.during = lambda: None
        clock.advance(61)
        assert leases(job, clock).once(charge(), outside) == "capture-1"
        before.update(lease_row(job, charge()))

    before: dict[str, Any] = {}
    outside.during = overtaken
    with pytest.raises(TransientError, match=r"^the lease ran out and another delivery has taken it over$"):
        leases(job, clock).once(charge(), outside)
    assert lease_row(job, charge()) == before
    assert outside.performed == 1


def test_a_holder_whose_lease_ran_out_cannot_free_its_successors(job: Job, clock: FakeClock) -> None:
    successor = Outside(then=[Killed()])  # type: ignore[list-item]

    class Slow(Outside):
        def perform(self, message: Message) -> str:
            clock.advance(61)
            with pytest.raises(Killed):
                leases(job, clock).once(charge(), successor)
            self.keys.add(message.idempotency_key)
            raise RejectedError("declined")

    with pytest.raises(TransientError, match="taken it over"):
        leases(job, clock).once(charge(), Slow())
    assert lease_row(job, charge())["lease_until"] > clock.now().timestamp() * 1000


def test_an_expired_row_that_was_not_swept_counts_as_absent(job: Job, clock: FakeClock) -> None:
    leases(job, clock).once(charge(amount=1), Outside())
    clock.advance(timedelta(days=90).total_seconds())
    later = Outside()
    assert leases(job, clock).once(charge(amount=2), later) == "capture-1"
    assert later.performed == 1


def test_a_row_is_kept_to_its_last_second(job: Job, clock: FakeClock) -> None:
    leases(job, clock).once(charge(), Outside())
    clock.advance(timedelta(days=90).total_seconds() - 1)
    assert leases(job, clock).once(charge(), later := Outside()) == "capture-1"
    assert later.performed == 0


def test_a_lost_answer_whose_repetition_meets_its_own_row_still_holds_the_lease(
    job: Job, clock: FakeClock
) -> None:
    class Repeating:
        """As botocore does it: the same request again after a lost answer."""

        def update_item(self, **arguments: Any) -> Any:
            if "REMOVE" in arguments["UpdateExpression"]:
                job.dynamodb.update_item(**arguments)
            return job.dynamodb.update_item(**arguments)

    outside = Outside()
    assert leases(job, clock, Repeating()).once(charge(), outside) == "capture-1"
    assert (outside.performed, outside.asked) == (1, 1)


def test_a_failing_completion_is_resumed_without_asking_for_the_effect_again(
    job: Job, clock: FakeClock
) -> None:
    outside = Outside()
    with pytest.raises(type(timeout())):
        leases(job, clock, Faulty(job.dynamodb, update_item=[None, timeout()])).once(charge(), outside)
    clock.advance(60)
    assert leases(job, clock).once(charge(), outside) == "capture-1"
    assert outside.performed == 1


def test_a_completion_whose_answer_is_lost_is_found_complete(job: Job, clock: FakeClock) -> None:
    outside = Outside()
    with pytest.raises(type(timeout())):
        leases(job, clock, Faulty(job.dynamodb, update_item=[None, Lost(timeout())])).once(charge(), outside)
    assert leases(job, clock).once(charge(), outside) == "capture-1"
    assert (outside.performed, outside.asked) == (1, 0)


def test_other_faults_of_the_table_are_not_taken_for_an_answer(job: Job, clock: FakeClock) -> None:
    denied = client_error("AccessDeniedException")
    for faults in ([denied], [None, denied]):
        with pytest.raises(type(denied), match="AccessDenied"):
            leases(job, clock, Faulty(job.dynamodb, update_item=list(faults))).once(charge(), Outside())
        clock.advance(61)


def test_each_attempt_is_another_owner(job: Job, clock: FakeClock) -> None:
    assert len({Leases(job.dynamodb, JOB_TABLE, clock).new_owner() for _ in range(100)}) == 100
