"""The Lambda entry of the notifier."""

import os
from collections.abc import Mapping
from typing import Any

from alarm_notifier.wiring import build
from job_runtime.batch import LambdaContext
from job_runtime.clock import SystemClock
from job_runtime.config import Settings

_notify = build(Settings(os.environ), SystemClock())


def handler(event: Mapping[str, Any], context: LambdaContext) -> dict[str, Any]:
    """A batch of the queue, or a delivery of log lines."""
    return _notify(event, context)
