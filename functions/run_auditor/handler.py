"""The Lambda entry of the auditor."""

import os
from typing import Any

from job_runtime.clock import SystemClock
from job_runtime.config import Settings
from run_auditor.auditor import LambdaContext
from run_auditor.wiring import build

_audit = build(Settings(os.environ), SystemClock())


def handler(event: Any, context: LambdaContext) -> dict[str, Any]:
    """One audit; the answer sums up what was found."""
    return _audit(event, context)
