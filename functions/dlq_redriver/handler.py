"""The Lambda entry of the redriver."""

import os
from collections.abc import Mapping
from typing import Any

from dlq_redriver.redriver import LambdaContext
from dlq_redriver.wiring import build
from job_runtime.clock import SystemClock
from job_runtime.config import Settings

_redrive = build(Settings(os.environ), SystemClock())


def handler(event: Mapping[str, Any], context: LambdaContext) -> dict[str, Any]:
    """One firing of the schedule; the answer sums up what was put back."""
    return _redrive(event, context)
