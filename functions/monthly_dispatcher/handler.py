"""The Lambda entry of the dispatcher."""

import os
from typing import Any

from job_runtime.clock import SystemClock
from job_runtime.config import Settings
from monthly_dispatcher.dispatcher import LambdaContext
from monthly_dispatcher.wiring import build

_dispatch = build(Settings(os.environ), SystemClock())


def handler(event: Any, context: LambdaContext) -> dict[str, Any]:
    """One firing of the schedule, or the continuation of one; the answer sums the run up."""
    return _dispatch(event, context)
