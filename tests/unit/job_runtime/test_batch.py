"""A batch: groups side by side, order inside a group, an end in time, a valid answer."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from job_runtime import batch as batch_module
from job_runtime.batch import Deadline, State, run_batch, run_within
from job_runtime.records import Record, records_of
from tests.support.lambda_context import FakeContext
from tests.support.limits import HANG_SECONDS
from tests.support.sqs_events import FIFO_ARN, STANDARD_ARN, failures, sqs_event, sqs_record


def records(*ids_and_groups: tuple[str, str], arn: str = FIFO_ARN) -> list[Record]:
    return records_of(
        sqs_event(*(sqs_record("{}", name, group=group, arn=arn) for name, group in ids_and_groups))
    )


class Handler:
    """Remembers what it handled; fails for the ids in `failing`, raises for those in `raising`."""

    def __init__(self, failing: Sequence[str] = (), raising: Sequence[str] = ()) -> None:
        self.handled: list[str] = []
        self.failing, self.raising = failing, raising

    def __call__(self, record: Record) -> bool:
        self.handled.append(record.message_id)
        if record.message_id in self.raising:
            raise SystemExit
        return record.message_id not in self.failing


def run(batch: list[Record], handler: Any, *, threads: int = 10, context: FakeContext | None = None) -> Any:
    return run_batch(batch, handler, threads=threads, deadline=Deadline(context or FakeContext()))


MIXED = [("m1", "a"), ("m2", "b"), ("m3", "a"), ("m4", "c"), ("m5", "b")]


@pytest.mark.parametrize("threads", [1, 2, 10])
def test_a_failure_stops_its_own_group_only(threads: int) -> None:
    handler = Handler(failing=["m1"])
    progress = run(records(*MIXED), handler, threads=threads)
    assert failures(progress.response()) == ["m1", "m3"]
    assert sorted(handler.handled) == ["m1", "m2", "m4", "m5"]
    assert progress.states["m3"] is State.BEHIND


def test_records_of_a_group_run_in_delivery_order() -> None:
    handler = Handler()
    run(records(*((f"m{n}", "a") for n in range(10))), handler)
    assert handler.handled == [f"m{n}" for n in range(10)]


def test_when_all_fail_all_are_returned_and_nothing_is_raised() -> None:
    everything = run(records(*MIXED), Handler(failing=["m1", "m2", "m4"]))
    assert failures(everything.response()) == ["m1", "m2", "m3", "m4", "m5"]
    assert failures(run(records(("m1", "a")), Handler(failing=["m1"])).response()) == ["m1"]


def test_what_ends_a_thread_is_no_success_and_does_not_escape() -> None:
    progress = run(records(*MIXED), Handler(raising=["m1"]))
    assert failures(progress.response()) == ["m1", "m3"]
    assert [type(error) for error in progress.broken] == [SystemExit]
    assert progress.states["m1"] is State.IN_HAND


def test_groups_run_side_by_side() -> None:
    barrier = threading.Barrier(5, timeout=HANG_SECONDS)

    def together(_record: Record) -> bool:
        barrier.wait()
        return True

    batch = records(*((f"m{n}", f"g{n}") for n in range(5)))
    assert failures(run(batch, together, threads=5).response()) == []


def test_no_more_groups_run_side_by_side_than_there_are_threads() -> None:
    another = threading.Event()
    names: list[str] = []

    def alone(_record: Record) -> bool:
        names.append(threading.current_thread().name)
        if len(names) > 1:
            another.set()
        else:
            assert not another.wait(0.05)
        return True

    progress = run(records(*MIXED), alone, threads=1)
    assert failures(progress.response()) == []
    assert set(names) == {"group_0"}


def test_on_a_standard_queue_a_group_id_makes_no_order() -> None:
    handler = Handler(failing=["m1"])
    progress = run(records(("m1", "a"), ("m2", "a"), ("m3", "a"), arn=STANDARD_ARN), handler)
    assert failures(progress.response()) == ["m1"]
    assert sorted(handler.handled) == ["m1", "m2", "m3"]


def test_what_cannot_be_started_in_time_is_handed_back_untouched() -> None:
    context = FakeContext(12_000)
    handler = Handler()

    def slow(record: Record) -> bool:
        context.remaining -= 4_000
        return handler(record)

    progress = run(records(("m1", "a"), ("m2", "a"), ("m3", "a")), slow, context=context)
    assert handler.handled == ["m1", "m2"]
    assert failures(progress.response()) == ["m3"]
    assert progress.states["m3"] is State.UNTOUCHED


def test_a_message_is_started_in_all_but_the_last_quarter_of_a_short_invocation() -> None:
    for given, reserve in ((4_000, 1_000), (20_000, 5_000), (900_000, 5_000)):
        context = FakeContext(given)
        deadline = Deadline(context)
        context.remaining = reserve + 1
        assert deadline.allows_another()
        context.remaining = reserve
        assert not deadline.allows_another()


def test_a_message_as_long_as_the_longest_so_far_must_fit() -> None:
    context = FakeContext(60_000)
    deadline = Deadline(context)
    deadline.took(7.0)
    deadline.took(4.0)
    context.remaining = 9_001
    assert deadline.allows_another()
    context.remaining = 9_000
    assert not deadline.allows_another()


def test_the_length_of_a_message_is_learnt_from_the_batch() -> None:
    context = FakeContext(60_000)
    handler = Handler()

    def slow(record: Record) -> bool:
        context.remaining -= 20_000
        return handler(record)

    progress = run(records(("m1", "a"), ("m2", "a"), ("m3", "a")), slow, context=context)
    assert handler.handled == ["m1", "m2"]
    assert failures(progress.response()) == ["m3"]


def test_the_wait_for_what_is_in_hand_leaves_time_to_hand_back() -> None:
    context = FakeContext(60_000)
    deadline = Deadline(context)
    context.remaining = 5_000
    assert (deadline.patience(), deadline.spare()) == pytest.approx((3.0, 4.0))
    context.remaining = 500
    assert (deadline.patience(), deadline.spare()) == (0.0, 0.0)


def test_a_short_invocation_keeps_a_tenth_to_hand_back() -> None:
    context = FakeContext(5_000)
    deadline = Deadline(context)
    assert (deadline.patience(), deadline.spare()) == pytest.approx((4.5, 4.75))


def test_an_action_that_takes_too_long_is_left_behind() -> None:
    release = threading.Event()
    assert not run_within(0.01, lambda: release.wait(HANG_SECONDS))
    release.set()
    assert run_within(10, lambda: None)
    with pytest.raises(ZeroDivisionError):
        run_within(10, lambda: 1 / 0)


def test_threads_that_came_back_serve_the_next_batch() -> None:
    run(records(*MIXED), Handler())
    before = set(threading.enumerate())
    run(records(*MIXED), Handler())
    assert set(threading.enumerate()) <= before  # those of other tests may have ended meanwhile


def test_a_record_that_does_not_come_back_in_time_is_left_behind_and_nothing_follows_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    idle: dict[int, ThreadPoolExecutor] = {}
    monkeypatch.setattr(batch_module, "_idle", idle)
    before = set(threading.enumerate())
    release = threading.Event()
    finished = threading.Event()
    handler = Handler()

    def stuck(record: Record) -> bool:
        if record.message_id == "m1":
            release.wait(HANG_SECONDS)
            finished.set()
        return handler(record)

    context = FakeContext(100)
    progress = run(records(*MIXED), stuck, context=context)
    assert failures(progress.response()) == ["m1", "m3"]
    release.set()
    assert finished.wait(HANG_SECONDS)
    for thread in set(threading.enumerate()) - before:
        thread.join(HANG_SECONDS)
        assert not thread.is_alive()
    assert not idle, "a thread that was left behind must not serve another batch"
    assert "m3" not in handler.handled
    assert failures(progress.response()) == ["m1", "m3"]


def test_an_empty_batch_is_a_success() -> None:
    assert failures(run([], Handler()).response()) == []


def test_states_select_records_in_delivery_order() -> None:
    progress = run(records(*MIXED), Handler(failing=["m1", "m2"]))
    assert [record.message_id for record in progress.in_state(State.FAILED)] == ["m1", "m2"]
    assert [record.message_id for record in progress.in_state(State.BEHIND, State.DONE)] == ["m3", "m4", "m5"]


def test_a_groupless_record_on_a_fifo_queue_is_taken_as_one_group() -> None:
    batch = records_of(
        sqs_event(
            *(
                {**sqs_record("{}", name), "attributes": {"ApproximateReceiveCount": "1"}}
                for name in ("m1", "m2")
            )
        )
    )
    assert [record.group for record in batch] == [None, None]
    assert failures(run(batch, Handler(failing=["m1"])).response()) == ["m1", "m2"]
