"""The Lambda entry of the job `co2`."""

import os
from collections.abc import Mapping
from typing import Any

from co2_consumer.wiring import build
from job_runtime.batch import LambdaContext
from job_runtime.clock import SystemClock
from job_runtime.config import Settings

_consume = build(Settings(os.environ), SystemClock())


def handler(event: Mapping[str, Any], context: LambdaContext) -> dict[str, list[dict[str, str]]]:
    """One batch of the SQS mapping; the answer names the messages to deliver again."""
    return _consume(event, context)
