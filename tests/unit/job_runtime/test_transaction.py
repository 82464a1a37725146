"""The effect in one transaction."""

from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from job_runtime.effects import Effect
from job_runtime.effects.transaction import apply_once, compare
from job_runtime.failures import FailureClass, PayloadMismatchError, RejectedError, TransientError, classify
from job_runtime.retry import Retry
from tests.support.clock import FakeClock
from tests.support.faulty import Faulty, Lost, cancelled, timeout
from tests.support.job import JOB_TABLE, Job


def enter(
    client: Any, clock: FakeClock, *, amount: int = 5, condition: str = "attribute_not_exists(closed)"
) -> Effect:
    """A proof with the amount as its hash, and a sum that grows by the amount."""
    return apply_once(
        client,
        table=JOB_TABLE,
        proof={"pk": {"S": "t1"}, "sk": {"S": "proof"}, "payload_hash": {"S": str(amount)}},
        actions=[
            {
                "Update": {
                    "TableName": JOB_TABLE,
                    "Key": {"pk": {"S": "t1"}, "sk": {"S": "sum"}},
                    "UpdateExpression": "ADD entered :amount",
                    "ConditionExpression": condition,
                    "ExpressionAttributeValues": {":amount": {"N": str(amount)}},
                }
            }
        ],
        retry=Retry(clock),
    )


def total(job: Job) -> int:
    row = job.row("t1", "sum")
    return int(row["entered"]) if row else 0


def test_the_first_time_it_takes_effect_and_the_second_it_is_a_duplicate(job: Job, clock: FakeClock) -> None:
    assert [enter(job.dynamodb, clock), enter(job.dynamodb, clock)] == [Effect.APPLIED, Effect.DUPLICATE]
    assert total(job) == 5


def test_another_payload_under_the_key_is_refused_and_what_is_stored_stays(
    job: Job, clock: FakeClock
) -> None:
    enter(job.dynamodb, clock, amount=5)
    with pytest.raises(PayloadMismatchError, match=r"^this key has taken effect with another payload$"):
        enter(job.dynamodb, clock, amount=9)
    assert total(job) == 5
    assert job.row("t1", "proof") == {"pk": "t1", "sk": "proof", "payload_hash": "5"}


def test_a_lost_answer_is_a_duplicate_at_the_next_attempt(job: Job, clock: FakeClock) -> None:
    client = Faulty(job.dynamodb, transact_write_items=[Lost(timeout())])
    with pytest.raises(ReadTimeoutError):
        enter(client, clock)
    assert enter(client, clock) is Effect.DUPLICATE
    assert total(job) == 5


def test_a_conflict_whose_attempt_landed_after_all_is_a_duplicate(job: Job, clock: FakeClock) -> None:
    client = Faulty(job.dynamodb, transact_write_items=[Lost(cancelled("None", "TransactionConflict"))])
    assert enter(client, clock) is Effect.DUPLICATE
    assert total(job) == 5


def test_conflicts_are_retried_and_nothing_is_left_when_they_do_not_end(job: Job, clock: FakeClock) -> None:
    conflict = cancelled("None", "TransactionConflict")
    assert enter(Faulty(job.dynamodb, transact_write_items=[conflict, conflict]), clock) is Effect.APPLIED
    job.dynamodb.delete_item(TableName=JOB_TABLE, Key={"pk": {"S": "t1"}, "sk": {"S": "proof"}})
    with pytest.raises(ClientError):
        enter(Faulty(job.dynamodb, transact_write_items=[conflict] * 3), clock)
    assert job.row("t1", "proof") is None


@pytest.mark.parametrize(
    "passing", ["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]
)
def test_a_refusal_beside_a_contended_proof_is_tried_again(job: Job, clock: FakeClock, passing: str) -> None:
    mixed = cancelled(passing, "ConditionalCheckFailed")
    assert enter(Faulty(job.dynamodb, transact_write_items=[mixed, mixed]), clock) is Effect.APPLIED


def test_a_refusal_beside_a_contended_proof_is_never_final(job: Job, clock: FakeClock) -> None:
    mixed = cancelled("TransactionConflict", "ConditionalCheckFailed")
    with pytest.raises(TransientError) as raised:
        enter(Faulty(job.dynamodb, transact_write_items=[mixed] * 3), clock)
    assert classify(raised.value) is FailureClass.TRANSIENT
    assert job.rows() == []


def test_a_refused_proof_beside_a_conflict_is_a_duplicate(job: Job, clock: FakeClock) -> None:
    enter(job.dynamodb, clock)
    refused = cancelled("ConditionalCheckFailed", "TransactionConflict")
    refused.response["CancellationReasons"][0]["Item"] = {"payload_hash": {"S": "5"}}  # type: ignore[typeddict-unknown-key]
    assert enter(Faulty(job.dynamodb, transact_write_items=[refused]), clock) is Effect.DUPLICATE


def test_a_refusing_action_leaves_no_proof(job: Job, clock: FakeClock) -> None:
    with pytest.raises(RejectedError, match="action 1"):
        enter(job.dynamodb, clock, condition="attribute_exists(opened)")
    assert job.rows() == []


def test_a_key_that_has_taken_effect_is_a_duplicate_even_if_an_action_refuses_now(
    job: Job, clock: FakeClock
) -> None:
    enter(job.dynamodb, clock)
    assert enter(job.dynamodb, clock, condition="attribute_exists(opened)") is Effect.DUPLICATE


def test_a_crash_inside_leaves_nothing_that_looks_like_done(job: Job, clock: FakeClock) -> None:
    class Killed(BaseException):
        pass

    class Dying:
        def transact_write_items(self, **_arguments: Any) -> None:
            raise Killed

    with pytest.raises(Killed):
        enter(Dying(), clock)
    assert job.rows() == []
    assert enter(job.dynamodb, clock) is Effect.APPLIED


def test_one_request_is_all_it_takes(job: Job, clock: FakeClock) -> None:
    client = Faulty(job.dynamodb)
    enter(client, clock)
    assert client.calls == ["transact_write_items"]


def test_a_stored_row_without_a_hash_is_no_duplicate() -> None:
    with pytest.raises(PayloadMismatchError):
        compare({}, "5")
