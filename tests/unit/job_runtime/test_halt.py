"""Halted groups."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from job_runtime.halt import Halt, Halts
from tests.support.clock import FakeClock
from tests.support.faulty import Faulty, client_error
from tests.support.job import JOB_TABLE, Job

GROUP = "t1#2026-11"
FIRST, SECOND, THIRD = (f"{number:020}" for number in (9, 10, 11))


@pytest.fixture
def halts(job: Job, clock: FakeClock) -> Halts:
    return Halts(job.dynamodb, JOB_TABLE, clock)


def test_a_group_is_halted_behind_its_first_message(halts: Halts, job: Job, clock: FakeClock) -> None:
    assert halts.read(GROUP) is None
    halts.halt(GROUP, "m1", FIRST)
    clock.advance(60)
    halts.halt(GROUP, "m2", SECOND)
    assert job.rows() == [
        {
            "pk": "halt#t1#2026-11",
            "sk": "halt",
            "message_id": "m1",
            "halted_at": "2026-11-30T18:00:00.000000Z",
            "last_sequence": SECOND,
        }
    ]
    assert halts.read("t1#2026-12") is None


def test_a_group_goes_on_only_when_the_latest_parked_message_is_settled(halts: Halts) -> None:
    halts.halt(GROUP, "m1", FIRST)
    halts.halt(GROUP, "m2", SECOND)
    halts.settle(GROUP, FIRST)
    assert not halts.release(GROUP)
    halts.settle(GROUP, SECOND)
    assert halts.release(GROUP)
    assert halts.read(GROUP) is None


def test_a_message_that_is_parked_or_settled_again_is_no_later_one(halts: Halts) -> None:
    halts.halt(GROUP, "m1", FIRST)
    halts.halt(GROUP, "m2", SECOND)
    halts.halt(GROUP, "m1", FIRST)
    halts.settle(GROUP, SECOND)
    halts.settle(GROUP, FIRST)
    assert halts.read(GROUP) == Halt("m1", "2026-11-30T18:00:00.000000Z", SECOND, SECOND)


def test_a_message_parked_after_the_end_of_a_release_halts_the_group_anew(halts: Halts) -> None:
    halts.halt(GROUP, "m1", FIRST)
    halts.settle(GROUP, FIRST)
    assert halts.release(GROUP)
    halts.halt(GROUP, "m2", SECOND)
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


def test_a_group_with_nothing_parked_goes_on(halts: Halts) -> None:
    halts.open_window(GROUP, "first")
    assert halts.release(GROUP)


@pytest.mark.parametrize("call", ["halt", "release"])
def test_what_dynamodb_refuses_for_another_reason_is_raised(job: Job, clock: FakeClock, call: str) -> None:
    denied = client_error("AccessDeniedException")
    halts: Any = Halts(
        Faulty(job.dynamodb, update_item=[denied], delete_item=[denied]),  # type: ignore[arg-type]
        JOB_TABLE,
        clock,
    )
    arguments = (GROUP, "m1", FIRST) if call == "halt" else (GROUP,)
    with pytest.raises(ClientError, match="AccessDenied"):
        getattr(halts, call)(*arguments)


def test_a_halt_is_read_consistently(clock: FakeClock) -> None:
    asked: list[dict[str, Any]] = []

    class Table:
        def get_item(self, **request: Any) -> dict[str, Any]:
            asked.append(request)
            return {}

    assert Halts(Table(), "job", clock).read("g") is None  # type: ignore[arg-type]
    assert asked == [
        {"TableName": "job", "Key": {"pk": {"S": "halt#g"}, "sk": {"S": "halt"}}, "ConsistentRead": True}
    ]
