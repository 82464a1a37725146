"""Lambda's limit on a function's policy, which MiniStack does not keep.

A function, and each of its aliases and versions, has a policy of 20,480 bytes at most
(https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html).
"""

from __future__ import annotations

import json
from functools import wraps
from http import HTTPStatus
from typing import Any

from ministack.core.responses import error_response_json
from ministack.services import lambda_svc

from local.emulator.server.replacing import replace

LIMIT_BYTES = 20_480


def _size(policy: dict[str, Any], resource: str) -> int:
    """Bytes of the policy of one resource (function, alias or version) as Lambda writes it."""
    statements = [statement for statement in policy["Statement"] if statement["Resource"] == resource]
    return len(json.dumps({**policy, "Statement": statements}, separators=(",", ":")).encode())


def _limited(add: Any) -> Any:
    @wraps(add)
    def add_permission(name: str, *arguments: Any) -> Any:
        answer = add(name, *arguments)
        if answer[0] != HTTPStatus.CREATED:
            return answer
        policy = lambda_svc._functions[name]["policy"]
        added = policy["Statement"][-1]
        size = _size(policy, added["Resource"])
        if size <= LIMIT_BYTES:
            return answer
        policy["Statement"].remove(added)
        return error_response_json(
            "PolicyLengthExceededException",
            f"The final policy size ({size}) is bigger than the limit ({LIMIT_BYTES}).",
            HTTPStatus.BAD_REQUEST,
        )

    return add_permission


def install() -> None:
    """Patch the Lambda service in this process."""
    replace(lambda_svc, "_add_permission", _limited)
