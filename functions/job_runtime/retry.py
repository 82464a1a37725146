"""Trying again, for the few failures that pass quickly and that botocore does not retry itself."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from botocore.exceptions import ClientError

from job_runtime.clock import Clock
from job_runtime.failures import error_code, is_cancelled_for_now

T = TypeVar("T")


def is_worth_retrying_here(error: Exception) -> bool:
    """A cancelled transaction or a conflicting write: botocore's standard mode gives them one attempt.

    Everything else that can pass was already retried by botocore, and a refusal does not get better.
    """
    return isinstance(error, ClientError) and (
        error_code(error) == "TransactionConflictException" or is_cancelled_for_now(error)
    )


@dataclass(frozen=True)
class Retry:
    """Up to `attempts` tries, with pauses of `base_seconds` x 2^n, each varied by +-`jitter` (a share)."""

    clock: Clock
    attempts: int = 3
    base_seconds: float = 0.05
    jitter: float = 0.5
    uniform: Callable[[float, float], float] = field(default=random.uniform)

    def __call__(
        self, action: Callable[[], T], *, when: Callable[[Exception], bool] = is_worth_retrying_here
    ) -> T:
        """The result of `action`; the last error of it when no attempt succeeded or `when` says no."""
        for attempt in range(1, self.attempts):
            try:
                return action()
            except Exception as error:
                if not when(error):
                    raise
            pause = self.base_seconds * 2 ** (attempt - 1)
            self.clock.sleep(pause * self.uniform(1 - self.jitter, 1 + self.jitter))
        return action()
