"""The charge consumer of this project, as it is deployed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from benchmarks.consumer.latency import Distance
from charge_consumer.wiring import build
from job_runtime import aws
from job_runtime.clock import SystemClock
from job_runtime.config import Settings

_QUEUE = "https://sqs.ap-northeast-1.amazonaws.com/111122223333/charge"


def consumer(distance: Distance) -> Any:
    """Return the handler, its client behind DISTANCE."""
    distance.put_before(aws.dynamodb())
    settings = Settings(
        {
            **os.environ,
            "JOB_NAME": "charge",
            "JOB_TABLE": "jobs",
            "DIRECTORY_TABLE": "directory",
            "QUEUE_URL": f"{_QUEUE}.fifo",
            "DLQ_URL": f"{_QUEUE}-dlq.fifo",
        }
    )
    consume = build(settings, SystemClock())

    def handler(event: Mapping[str, Any], context: Any) -> Any:
        return consume(event, context)

    return handler
