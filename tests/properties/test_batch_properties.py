"""Whatever fails in a batch: the order of each group holds, and nothing that failed is acknowledged."""

from collections.abc import Mapping
from threading import Lock

from hypothesis import given
from hypothesis import strategies as st

from job_runtime.batch import Deadline, run_batch
from job_runtime.records import Record, records_of
from tests.support.lambda_context import FakeContext
from tests.support.sqs_events import FIFO_ARN, STANDARD_ARN, failures, sqs_event, sqs_record

OUTCOMES = ["done", "failed", "raised", "killed"]

batches = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(OUTCOMES)), max_size=10)


class Killed(BaseException):
    """Ends a thread."""


class Handler:
    """Gives each record the outcome that was drawn for it; remembers what ran in each group."""

    def __init__(self, outcomes: Mapping[str, str]) -> None:
        self.outcomes = outcomes
        self.ran: dict[str, list[str]] = {}
        self._lock = Lock()

    def __call__(self, record: Record) -> bool:
        with self._lock:
            self.ran.setdefault(record.order_scope, []).append(record.message_id)
        outcome = self.outcomes[record.message_id]
        if outcome == "raised":
            raise ValueError
        if outcome == "killed":
            raise Killed
        return outcome == "done"


def run(
    drawn: list[tuple[str, str]], arn: str, threads: int, remaining: int
) -> tuple[Handler, list[str], list[Record]]:
    names = [f"m{place}" for place in range(len(drawn))]
    handler = Handler({name: outcome for name, (_, outcome) in zip(names, drawn, strict=True)})
    records = records_of(
        sqs_event(
            *(
                sqs_record("{}", name, group=group, arn=arn)
                for name, (group, _) in zip(names, drawn, strict=True)
            )
        )
    )
    progress = run_batch(records, handler, threads=threads, deadline=Deadline(FakeContext(remaining)))
    return handler, failures(progress.response()), records


@given(batches, st.integers(1, 10))
def test_a_group_is_done_up_to_its_first_failure_and_returned_from_there(
    drawn: list[tuple[str, str]], threads: int
) -> None:
    handler, returned, records = run(drawn, FIFO_ARN, threads, 60_000)
    assert returned == [record.message_id for record in records if record.message_id in returned]
    for group in "abcd":
        names = [record.message_id for record in records if record.group == group]
        bad = [place for place, name in enumerate(names) if handler.outcomes[name] != "done"]
        first = bad[0] if bad else len(names)
        assert handler.ran.get(f"group:{group}", []) == names[: first + 1]
        assert [name for name in names if name in returned] == names[first:]


@given(batches, st.integers(1, 10))
def test_on_a_standard_queue_exactly_what_failed_is_returned(
    drawn: list[tuple[str, str]], threads: int
) -> None:
    handler, returned, records = run(drawn, STANDARD_ARN, threads, 60_000)
    assert returned == [
        record.message_id for record in records if handler.outcomes[record.message_id] != "done"
    ]


@given(batches, st.sampled_from([0, 1]))
def test_without_time_nothing_is_lost(drawn: list[tuple[str, str]], remaining: int) -> None:
    handler, returned, records = run(drawn, FIFO_ARN, 10, remaining)
    acknowledged = {record.message_id for record in records} - set(returned)
    ran = {name for names in handler.ran.values() for name in names}
    assert acknowledged <= {name for name in ran if handler.outcomes[name] == "done"}
