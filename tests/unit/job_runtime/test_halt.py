"""Halted groups."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from job_runtime.halt import Halt, Halts
from job_runtime.quarantine import Reason
from tests.support.clock import FakeClock
from tests.support.faulty import Faulty, cancelled, client_error
from tests.support.job import JOB_TABLE, Job

GROUP = "t1#2026-11"
REASON = Reason("rejected", "RejectedError", "rule", 1, "key")
LATER = Reason("halted", "HaltedGroupError", "an earlier message", 1, None)
FIRST, SECOND, THIRD = (f"{number:020}" for number in (9, 10, 11))


@pytest.fixture
def halts(job: Job, clock: FakeClock) -> Halts:
    return Halts(job.dynamodb, JOB_TABLE, "charge", clock)


def test_a_group_is_halted_behind_its_first_message(halts: Halts, job: Job, clock: FakeClock) -> None:
    assert halts.read(GROUP) is None
    halts.halt(GROUP, "m1", FIRST, REASON)
    clock.advance(60)
    halts.halt(GROUP, "m2", SECOND, LATER)
    assert job.rows() == [
        {"pk": "halt#charge#", "sk": "t1#2026-11"},
        {
            "pk": "halt#charge#t1#2026-11",
            "sk": "halt",
            "message_id": "m1",
            "reason": '{"attempts":1,"exception":"RejectedError","failure_class":"rejected",'
            '"idempotency_key":"key","summary":"rule"}',
            "halted_at": "2026-11-30T18:00:00.000000Z",
            "last_sequence": SECOND,
            "last_message_id": "m2",
        },
    ]
    halt = halts.read(GROUP)
    assert halt is not None
    assert halt.reason == REASON
    assert halts.read("t1#2026-12") is None


def test_a_group_goes_on_only_when_the_latest_parked_message_is_settled(halts: Halts) -> None:
    halts.halt(GROUP, "m1", FIRST, REASON)
    halts.halt(GROUP, "m2", SECOND, REASON)
    halts.settle(GROUP, FIRST)
    assert not halts.release(GROUP)
    halts.settle(GROUP, SECOND)
    assert halts.release(GROUP)
    assert halts.read(GROUP) is None


def test_a_message_that_is_parked_or_settled_again_is_no_later_one(halts: Halts) -> None:
    halts.halt(GROUP, "m1", FIRST, REASON)
    halts.halt(GROUP, "m2", SECOND, REASON)
    halts.halt(GROUP, "m1", FIRST, REASON)
    halts.settle(GROUP, SECOND)
    halts.settle(GROUP, FIRST)
    assert halts.read(GROUP) == Halt(
        "m1", "2026-11-30T18:00:00.000000Z", SECOND, SECOND, reason=REASON, last_id="m2"
    )


def test_a_message_parked_after_the_end_of_a_release_halts_the_group_anew(halts: Halts) -> None:
    halts.halt(GROUP, "m1", FIRST, REASON)
    halts.settle(GROUP, FIRST)
    assert halts.release(GROUP)
    halts.halt(GROUP, "m2", SECOND, REASON)
    halt = halts.read(GROUP)
    assert halt is not None
    assert (halt.head, halt.is_settled) == ("m2", False)


def test_settling_halts_nothing(halts: Halts, job: Job) -> None:
    halts.settle(GROUP, FIRST)
    assert job.rows() == []
    assert halts.release(GROUP)


def test_a_window_is_known_by_its_token_alone(halts: Halts) -> None:
    halts.open_window(GROUP, "first")
    assert halts.took_effect(GROUP, "first", "d1")
    halts.open_window(GROUP, "second")
    assert not halts.took_effect(GROUP, "first", "d2")
    assert not halts.refuse(GROUP, "first", "rejected: rule")
    assert halts.took_effect(GROUP, "second", "d1")
    assert halts.took_effect(GROUP, "second", "d2")
    halt = halts.read(GROUP)
    assert halt is not None
    assert (halt.release, halt.refused) == ("second", None)
    assert halt.effective == {"d1", "d2"}


def test_a_window_is_over_once_a_copy_is_refused_until_the_next_one(halts: Halts) -> None:
    halts.open_window(GROUP, "first")
    assert halts.refuse(GROUP, "first", "rejected: rule")
    assert not halts.took_effect(GROUP, "first", "d1")
    halt = halts.read(GROUP)
    assert halt is not None
    assert (halt.release, halt.refused) == (None, "rejected: rule")
    halts.open_window(GROUP, "second")
    halt = halts.read(GROUP)
    assert halt is not None
    assert (halt.release, halt.refused) == ("second", None)


def test_groups_of_one_name_in_two_jobs_are_halted_apart(halts: Halts, job: Job, clock: FakeClock) -> None:
    other = Halts(job.dynamodb, JOB_TABLE, "co2", clock)
    halts.halt(GROUP, "m1", FIRST, REASON)
    assert other.read(GROUP) is None
    assert other.listed() == frozenset()


def test_the_list_names_the_groups_that_are_halted_and_no_others(halts: Halts, job: Job) -> None:
    halts.halt(GROUP, "m1", FIRST, REASON)
    halts.open_window("t2#2026-11", "token")
    assert halts.listed() == {GROUP, "t2#2026-11"}
    assert halts.release("t2#2026-11")
    assert halts.listed() == {GROUP}
    assert job.row("halt#charge#", "t2#2026-11") is None


@pytest.mark.parametrize("call", range(4))
def test_a_group_that_is_halted_again_at_any_call_of_its_release_is_on_the_list(
    halts: Halts, job: Job, clock: FakeClock, call: int
) -> None:
    halts.halt(GROUP, "m1", FIRST, REASON)
    halts.settle(GROUP, FIRST)
    made = 0

    class Interrupted:
        def __getattr__(self, name: str) -> Any:
            def interrupted(**request: Any) -> Any:
                nonlocal made
                if made == call:
                    halts.halt(GROUP, "m2", SECOND, LATER)
                made += 1
                return getattr(job.dynamodb, name)(**request)

            return interrupted

    releasing: Any = Interrupted()
    Halts(releasing, JOB_TABLE, "charge", clock).release(GROUP)
    if made <= call:
        halts.halt(GROUP, "m2", SECOND, LATER)
    assert halts.read(GROUP) is not None
    assert halts.listed() == {GROUP}


def test_a_group_whose_release_died_before_its_last_step_is_still_on_the_list(
    job: Job, clock: FakeClock
) -> None:
    away = client_error("ServiceUnavailable", status=503)
    dying: Any = Faulty(job.dynamodb, transact_write_items=[None, away], delete_item=[away])
    halts = Halts(dying, JOB_TABLE, "charge", clock)
    halts.halt(GROUP, "m1", FIRST, REASON)
    halts.settle(GROUP, FIRST)
    with pytest.raises(ClientError):
        halts.release(GROUP)
    later = Halts(job.dynamodb, JOB_TABLE, "charge", clock)
    assert later.listed() == {GROUP}
    assert later.release(GROUP)
    assert later.listed() == frozenset()


@pytest.mark.parametrize(
    "conflict", [cancelled("None", "TransactionConflict"), cancelled("TransactionConflict")]
)
def test_a_write_that_another_one_of_the_row_is_in_the_way_of_is_made_again(
    job: Job, clock: FakeClock, conflict: ClientError
) -> None:
    single = client_error("TransactionConflictException")
    contended: Any = Faulty(job.dynamodb, transact_write_items=[conflict], update_item=[single])
    halts = Halts(contended, JOB_TABLE, "charge", clock)
    halts.open_window(GROUP, "token")
    assert halts.took_effect(GROUP, "token", "d1")


def test_a_group_with_nothing_parked_goes_on(halts: Halts) -> None:
    halts.open_window(GROUP, "first")
    assert halts.release(GROUP)


@pytest.mark.parametrize("call", ["halt", "release"])
def test_what_dynamodb_refuses_for_another_reason_is_raised(job: Job, clock: FakeClock, call: str) -> None:
    denied = client_error("AccessDeniedException")
    halts: Any = Halts(
        Faulty(job.dynamodb, transact_write_items=[denied]),  # type: ignore[arg-type]
        JOB_TABLE,
        "charge",
        clock,
    )
    arguments = (GROUP, "m1", FIRST, REASON) if call == "halt" else (GROUP,)
    with pytest.raises(ClientError, match="AccessDenied"):
        getattr(halts, call)(*arguments)


def test_a_halt_is_read_consistently(clock: FakeClock) -> None:
    asked: list[dict[str, Any]] = []

    class Table:
        def get_item(self, **request: Any) -> dict[str, Any]:
            asked.append(request)
            return {}

    assert Halts(Table(), "job", "charge", clock).read("g") is None  # type: ignore[arg-type]
    assert asked == [
        {
            "TableName": "job",
            "Key": {"pk": {"S": "halt#charge#g"}, "sk": {"S": "halt"}},
            "ConsistentRead": True,
        }
    ]
