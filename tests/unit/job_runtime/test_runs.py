"""The run row: who may move it, and what is counted once."""

import pytest

from job_runtime import aws
from job_runtime.clock import timestamp
from job_runtime.directory import Cursor
from job_runtime.runs import Counts, Run, Runs, RunState, SupersededError
from tests.support.clock import FakeClock
from tests.support.job import JOB_TABLE, Job

TIME = "2026-11-30T18:00:00Z"
HERE = Cursor("t1", "employee#e1")
THERE = Cursor("t2", "employee#e9")


def runs(clock: FakeClock, writer: str = "w1") -> Runs:
    return Runs(aws.dynamodb(), JOB_TABLE, clock=clock, writer=writer)


def begin(clock: FakeClock, fire: str = "f1", writer: str = "w1") -> Run:
    return runs(clock, writer).begin("charge", "2026-11", fire=fire, scheduled_time=TIME)[0]


def test_a_run_starts_with_nothing_counted(job: Job, clock: FakeClock) -> None:
    run, counted = runs(clock).begin("charge", "2026-11", fire="f1", scheduled_time=TIME)
    assert counted
    assert run == Run("charge", "2026-11", RunState.DISPATCHING, Counts(), 1, None, None, TIME)
    assert run.run_id == "charge-2026-11"
    assert job.row("run#charge", "2026-11") == {
        "pk": "run#charge",
        "sk": "2026-11",
        "run_id": "charge-2026-11",
        "state": "dispatching",
        "scheduled_time": TIME,
        "started_at": timestamp(clock.now()),
        "fires": 1,
        "fire_ids": {"f1"},
        "expected": 0,
        "sent": 0,
        "skipped": 0,
        "failed": 0,
    }


def test_a_firing_that_is_tried_again_is_counted_once_and_another_one_too(job: Job, clock: FakeClock) -> None:
    begin(clock, "f1")
    again, counted = runs(clock).begin("charge", "2026-11", fire="f1", scheduled_time=TIME)
    assert (again.fires, counted) == (1, False)
    other, counted = runs(clock).begin("charge", "2026-11", fire="f2", scheduled_time="2026-11-30T19:00:00Z")
    assert (other.fires, counted) == (2, True)
    row = job.row("run#charge", "2026-11")
    assert row is not None
    assert row["scheduled_time"] == TIME


def test_runs_of_other_jobs_and_months_are_apart(job: Job, clock: FakeClock) -> None:
    begin(clock)
    assert runs(clock).read("co2", "2026-11") is None
    assert runs(clock).read("charge", "2026-12") is None
    assert runs(clock).read("charge", "2026-11") == begin(clock)


def test_a_checkpoint_moves_the_cursor_and_adds_up(job: Job, clock: FakeClock) -> None:
    run = runs(clock).checkpoint(begin(clock), Counts(sent=8, skipped=1, failed=1), HERE)
    assert (run.cursor, run.counts, run.finished_at) == (HERE, Counts(8, 1, 1), None)
    run = runs(clock).checkpoint(run, Counts(sent=10), THERE)
    assert (run.cursor, run.counts.sent) == (THERE, 18)
    row = job.row("run#charge", "2026-11")
    assert row is not None
    assert (row["expected"], row["sent"], row["skipped"], row["failed"]) == (19, 18, 1, 1)


def test_the_last_checkpoint_finishes_the_run(job: Job, clock: FakeClock) -> None:
    run = runs(clock).checkpoint(begin(clock), Counts(sent=3), HERE)
    clock.advance(60)
    run = runs(clock).checkpoint(run, Counts(sent=2), None)
    assert (run.state, run.cursor, run.counts) == (RunState.DISPATCHED, None, Counts(sent=5))
    assert run.finished_at == timestamp(clock.now())
    assert run.succeeded


@pytest.mark.parametrize("next_cursor", [HERE, THERE, None])
def test_a_straggler_cannot_move_the_cursor_back_or_count_a_page_twice(
    job: Job, clock: FakeClock, next_cursor: Cursor | None
) -> None:
    straggler = begin(clock)
    ahead = runs(clock, "w2").checkpoint(begin(clock), Counts(sent=10), HERE)
    ahead = runs(clock, "w2").checkpoint(ahead, Counts(sent=10), THERE)
    with pytest.raises(SupersededError, match="charge-2026-11"):
        runs(clock, "w1").checkpoint(straggler, Counts(sent=10), next_cursor)
    assert runs(clock).read("charge", "2026-11") == ahead


@pytest.mark.parametrize("next_cursor", [HERE, None])
def test_a_straggler_cannot_reopen_a_finished_run(
    job: Job, clock: FakeClock, next_cursor: Cursor | None
) -> None:
    straggler = begin(clock)
    finished = runs(clock, "w2").checkpoint(begin(clock), Counts(sent=10), None)
    with pytest.raises(SupersededError):
        runs(clock, "w1").checkpoint(straggler, Counts(sent=10), next_cursor)
    assert runs(clock).read("charge", "2026-11") == finished


@pytest.mark.parametrize("next_cursor", [HERE, None])
def test_a_checkpoint_whose_answer_was_lost_is_known_again_and_counted_once(
    job: Job, clock: FakeClock, next_cursor: Cursor | None
) -> None:
    run = begin(clock)
    landed = runs(clock).checkpoint(run, Counts(sent=10), next_cursor)
    assert runs(clock).checkpoint(run, Counts(sent=10), next_cursor) == landed
    with pytest.raises(SupersededError):
        runs(clock, "another writer").checkpoint(run, Counts(sent=10), next_cursor)


@pytest.mark.parametrize("next_cursor", [THERE, None])
def test_a_lost_answer_is_not_mistaken_for_another_checkpoint_of_the_same_writer(
    job: Job, clock: FakeClock, next_cursor: Cursor | None
) -> None:
    run = begin(clock)
    runs(clock).checkpoint(run, Counts(sent=10), HERE)
    with pytest.raises(SupersededError):
        runs(clock).checkpoint(run, Counts(sent=10), next_cursor)


def test_a_lost_answer_is_not_mistaken_for_a_restart_after_the_same_writer(
    job: Job, clock: FakeClock
) -> None:
    run = runs(clock).checkpoint(begin(clock), Counts(sent=10), HERE)
    finished = runs(clock).checkpoint(run, Counts(failed=1), None)
    restarted = runs(clock).restart(finished)
    with pytest.raises(SupersededError):
        runs(clock).checkpoint(run, Counts(failed=1), None)
    assert runs(clock).read("charge", "2026-11") == restarted


def test_a_run_with_failed_sends_is_finished_but_did_not_succeed(job: Job, clock: FakeClock) -> None:
    run = runs(clock).checkpoint(begin(clock), Counts(sent=3, failed=1), None)
    assert run.finished_at
    assert not run.succeeded


def test_a_restart_begins_from_the_first_page_with_nothing_counted(job: Job, clock: FakeClock) -> None:
    finished = runs(clock).checkpoint(begin(clock), Counts(3, 2, 1), None)
    restarted = runs(clock).restart(finished)
    assert (restarted.state, restarted.counts, restarted.cursor, restarted.finished_at) == (
        RunState.DISPATCHING,
        Counts(),
        None,
        None,
    )


def test_of_two_restarts_the_second_joins_the_first(job: Job, clock: FakeClock) -> None:
    finished = runs(clock).checkpoint(begin(clock), Counts(failed=1), None)
    restarted = runs(clock).restart(finished)
    moved = runs(clock).checkpoint(restarted, Counts(sent=4), HERE)
    assert runs(clock, "w2").restart(finished) == moved


def test_a_finished_run_with_nothing_missing_is_verified(job: Job, clock: FakeClock) -> None:
    finished = runs(clock).checkpoint(begin(clock), Counts(sent=3), None)
    clock.advance(3600)
    assert runs(clock).judge("charge", "2026-11", finished, missing=0, extra=2) is RunState.VERIFIED
    row = job.row("run#charge", "2026-11")
    assert row is not None
    assert (row["state"], row["missing"], row["extra"]) == ("verified", 0, 2)
    assert row["audited_at"] == timestamp(clock.now())
    verified = runs(clock).read("charge", "2026-11")
    assert verified is not None
    assert verified.succeeded


def test_a_run_with_something_missing_is_incomplete(job: Job, clock: FakeClock) -> None:
    finished = runs(clock).checkpoint(begin(clock), Counts(sent=3), None)
    assert runs(clock).judge("charge", "2026-11", finished, missing=1, extra=0) is RunState.INCOMPLETE
    incomplete = runs(clock).read("charge", "2026-11")
    assert incomplete is not None
    assert incomplete.state is RunState.INCOMPLETE
    assert not incomplete.succeeded


def test_a_run_that_is_not_finished_is_incomplete_and_can_go_on(job: Job, clock: FakeClock) -> None:
    run = runs(clock).checkpoint(begin(clock), Counts(sent=3), HERE)
    assert runs(clock).judge("charge", "2026-11", run, missing=0, extra=0) is RunState.INCOMPLETE
    incomplete = runs(clock).read("charge", "2026-11")
    assert incomplete is not None
    assert incomplete.state is RunState.INCOMPLETE
    assert runs(clock).checkpoint(run, Counts(sent=1), None).state is RunState.DISPATCHED


def test_a_run_that_never_started_is_written_down_as_incomplete_and_can_start(
    job: Job, clock: FakeClock
) -> None:
    assert runs(clock).judge("charge", "2026-11", None, missing=7, extra=0) is RunState.INCOMPLETE
    row = job.row("run#charge", "2026-11")
    assert row is not None
    assert (row["state"], row["missing"]) == ("incomplete", 7)
    late = begin(clock)
    assert runs(clock).checkpoint(late, Counts(sent=7), None).state is RunState.DISPATCHED


def test_a_verdict_does_not_overwrite_a_run_that_has_changed_since(job: Job, clock: FakeClock) -> None:
    seen = begin(clock)
    finished = runs(clock).checkpoint(seen, Counts(sent=3), None)
    assert runs(clock).judge("charge", "2026-11", seen, missing=3, extra=0) is None
    assert runs(clock).judge("charge", "2026-11", None, missing=3, extra=0) is None
    assert runs(clock).read("charge", "2026-11") == finished
