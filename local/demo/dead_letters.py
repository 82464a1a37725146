"""What lies in a dead-letter queue, and whether a halted group went there in order."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from typing import Any


def by_class(messages: list[dict[str, Any]]) -> dict[str, int]:
    """Count messages (as `Emulator.peek` returns them) by failure class; those without, SQS itself moved."""
    classes = (m["attributes"].get("failure_class", "moved by maxReceiveCount") for m in messages)
    return dict(sorted(Counter(classes).items()))


def out_of_order(messages: list[dict[str, Any]], tenant: str) -> int:
    """Count the messages of TENANT that lie before one of an earlier employee; the dispatcher sends by id."""
    bodies = (json.loads(m["body"]) for m in messages if m["attributes"].get("failure_class") != "malformed")
    employees = [body["employee_id"] for body in bodies if body["tenant_id"] == tenant]
    return sum(earlier > later for earlier, later in pairwise(employees))
