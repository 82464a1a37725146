"""CloudWatch: the condition key `cloudwatch:namespace`, which MiniStack leaves out.

It holds the namespace that PutMetricData names; without it a policy for one namespace would admit nobody.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

from ministack.core import iam_actions

from local.emulator.server.replacing import replace


def _with_namespace(context_of: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    @wraps(context_of)
    def context(service: str, action: str, body: bytes, params: dict[str, Any]) -> dict[str, Any]:
        found = context_of(service, action, body, params)
        if action != "cloudwatch:PutMetricData" or not body.startswith(b"{"):
            return found
        return {**found, "cloudwatch:namespace": json.loads(body).get("Namespace", "")}

    return context


def install() -> None:
    """Patch the conditions of CloudWatch's requests in this process."""
    replace(iam_actions, "request_tag_context", _with_namespace)
