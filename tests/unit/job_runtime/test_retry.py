"""Trying again: how often, how long between, and only where botocore does not."""

from collections.abc import Callable

import pytest
from botocore.exceptions import ClientError

from job_runtime.retry import Retry, is_worth_retrying_here
from tests.support.clock import FakeClock
from tests.support.faulty import cancelled, client_error, timeout


def failing(*errors: Exception) -> Callable[[], str]:
    pending = list(errors)

    def action() -> str:
        if pending:
            raise pending.pop(0)
        return "done"

    return action


CONFLICT = client_error("TransactionConflictException")


def test_what_succeeds_at_once_does_not_wait(clock: FakeClock) -> None:
    assert Retry(clock)(failing()) == "done"
    assert clock.pauses == []


def test_pauses_start_at_50_ms_and_double(clock: FakeClock) -> None:
    middle = Retry(clock, uniform=lambda low, high: (low + high) / 2)
    assert middle(failing(CONFLICT, cancelled("TransactionConflict"))) == "done"
    assert clock.pauses == pytest.approx([0.05, 0.1])


def test_pauses_vary_by_half_up_and_down(clock: FakeClock) -> None:
    Retry(clock, uniform=lambda low, _high: low)(failing(CONFLICT))
    Retry(clock, uniform=lambda _low, high: high)(failing(CONFLICT))
    assert clock.pauses == pytest.approx([0.025, 0.075])


def test_two_retries_do_not_wait_equally_long(clock: FakeClock) -> None:
    for _ in range(10):
        Retry(clock)(failing(CONFLICT))
    assert len(set(clock.pauses)) > 1


def test_the_third_failure_is_the_last(clock: FakeClock) -> None:
    last = client_error("TransactionConflictException", "Third")
    with pytest.raises(ClientError, match="Third"):
        Retry(clock)(failing(CONFLICT, CONFLICT, last))
    assert len(clock.pauses) == 2


def test_what_is_not_worth_it_is_raised_at_once(clock: FakeClock) -> None:
    with pytest.raises(ValueError, match="bug"):
        Retry(clock)(failing(ValueError("bug")))
    assert clock.pauses == []


def test_a_caller_may_say_what_is_worth_it(clock: FakeClock) -> None:
    assert (
        Retry(clock)(failing(ValueError("bug")), when=lambda error: isinstance(error, ValueError)) == "done"
    )


@pytest.mark.parametrize(
    ("error", "worth"),
    [
        (CONFLICT, True),
        (cancelled("None", "TransactionConflict"), True),
        (cancelled("ThrottlingError"), True),
        (cancelled("ConditionalCheckFailed", "TransactionConflict"), False),
        (client_error("TransactionConflict"), False),
        (client_error("ThrottlingException"), False),
        (client_error("ProvisionedThroughputExceededException"), False),
        (client_error("InternalServerError", status=500), False),
        (client_error("ConditionalCheckFailedException"), False),
        (timeout(), False),
        (ValueError("bug"), False),
    ],
)
def test_only_what_botocore_gives_up_at_once_is_retried_here(error: Exception, worth: bool) -> None:
    assert is_worth_retrying_here(error) is worth
