"""Asynchronous invocations: Lambda tries one again under the same request id, MiniStack under a new one."""

from __future__ import annotations

from contextvars import ContextVar
from functools import wraps
from typing import Any

from ministack.core.responses import new_uuid
from ministack.services import lambda_svc

from local.emulator.server.replacing import replace

_request_id: ContextVar[str | None] = ContextVar("asynchronous_request_id", default=None)


def _with_one_request_id(invoke: Any) -> Any:
    @wraps(invoke)
    def invoke_asynchronously(function: dict[str, Any], event: Any) -> None:
        token = _request_id.set(new_uuid())
        try:
            invoke(function, event)  # its thread inherits the context
        finally:
            _request_id.reset(token)

    return invoke_asynchronously


def _keeping_request_id(dispatch: Any) -> Any:
    @wraps(dispatch)
    def execute(
        function: dict[str, Any], config: dict[str, Any], event: Any, request_id: str, started: float
    ) -> Any:
        return dispatch(function, config, event, _request_id.get() or request_id, started)

    return execute


def install() -> None:
    """Patch the Lambda service in this process."""
    replace(lambda_svc, "invoke_async_with_retry", _with_one_request_id)
    replace(lambda_svc, "_execute_function_dispatch", _keeping_request_id)
