"""The Lambda entry of the job `charge`."""

import os

from charge_consumer.wiring import build
from job_runtime.clock import SystemClock
from job_runtime.config import Settings

handler = build(Settings(os.environ), SystemClock())
"""`handler(event, context)`: one batch of the SQS mapping."""
