"""What a Python function's failure looks like: in its answer, and in its log group.

Lambda's runtime names the exception's class, shows the stack and writes the error as one event, also for a
module that cannot be imported. MiniStack calls every error `Runtime.HandlerError`, and logs nothing of a
function that does not start. Source: AWS Lambda Developer Guide, "Lambda function handler errors in Python",
"Troubleshoot configuration and invocation issues" (Runtime.ImportModuleError) and "INIT_REPORT".
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import wraps
from typing import Any

from ministack.core import lambda_runtime
from ministack.services import lambda_svc

from local.emulator.server.replacing import replace
from local.limits import HANG_SECONDS

Fault = dict[str, Any]
_INIT_FAILED, _EXITED = "Worker init failed: ", "Worker process exited immediately"
_NBSP = "\N{NO-BREAK SPACE}"
_fault: ContextVar[Fault | None] = ContextVar("fault", default=None)

_FAULTS = '''
import sys, traceback

def _fault(error, module_name=None, handler_name=None):
    """What the runtime tells of an exception; of one while MODULE_NAME was imported, if it is given."""
    if module_name and isinstance(error, SyntaxError):
        message = f"Syntax error in module '{module_name}': {error}"
        stack = [f'  File "{error.filename}" Line {error.lineno}\\n    {error.text}']
        return {"errorType": "Runtime.UserCodeSyntaxError", "errorMessage": message, "stackTrace": stack}
    if module_name and isinstance(error, ImportError):
        message = f"Unable to import module '{module_name}': {error}"
        return {"errorType": "Runtime.ImportModuleError", "errorMessage": message, "stackTrace": []}
    if module_name and module_name in sys.modules and not hasattr(sys.modules[module_name], handler_name):
        message = f"Handler '{handler_name}' missing on module '{module_name}'"
        return {"errorType": "Runtime.HandlerNotFound", "errorMessage": message, "stackTrace": []}
    frames = traceback.extract_tb(error.__traceback__)
    while frames and frames[0].filename == __file__:
        frames.pop(0)
    kind, message = type(error).__name__, str(error)
    return {"errorType": kind, "errorMessage": message, "stackTrace": traceback.format_list(frames)}
'''
_AT_START = 'json.dumps({"status": "error", "error": str(e)})'
_IN_HANDLER = 'json.dumps({"status": "error", "error": str(e), "trace": traceback.format_exc()})'


def _telling(script: str) -> str:
    """The worker's script, with what the runtime tells of an exception in place of its text alone."""
    if script.count(_AT_START) != 1 or script.count(_IN_HANDLER) != 1:
        raise AttributeError(
            "MiniStack's worker no longer tells errors as it did: tell them in another place"
        )
    at_start = '{"status": "error", "error": json.dumps(_fault(e, module_name, handler_name))}'
    in_handler = '{"status": "error", "error": str(e), "fault": _fault(e)}'
    script = script.replace(_AT_START, f"json.dumps({at_start})")
    return _FAULTS + script.replace(_IN_HANDLER, f"json.dumps({in_handler})")


class _Events(str):
    """The text of several events, each of which may have several lines."""

    __slots__ = ("_events",)
    _events: list[str]

    @classmethod
    def of(cls, events: list[str]) -> _Events:
        text = cls("\n".join(events))
        text._events = events
        return text

    def splitlines(self, keepends: bool = False) -> list[str]:  # noqa: ARG002 - str's own arguments
        """The events: what is written is one for each."""
        return self._events


def _event(fault: Mapping[str, Any]) -> str:
    """An error as the runtime writes it."""
    lines = [f"[ERROR] {fault['errorType']}: {fault['errorMessage']}", "Traceback (most recent call last):"]
    for frame in fault["stackTrace"]:
        for line in frame.splitlines():
            text = line.lstrip(" ")
            lines.append(_NBSP * (len(line) - len(text)) + text)
    return "\n".join(lines)


def _invoking(invoke: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """A worker that does not start has failed the invocation; what it has printed belongs to it."""

    @wraps(invoke)
    def invoked(worker: Any, event: Any, request_id: str, **more: Any) -> dict[str, Any]:
        started = time.monotonic()
        try:
            result = invoke(worker, event, request_id, **more)
        except RuntimeError as error:
            fault = _fault_at_start(worker, str(error), request_id)
            if fault is None:
                raise
            duration = round((time.monotonic() - started) * 1000, 2)
            report = (
                f"Init Duration: {duration} ms\tPhase: init\tStatus: error\tError Type: {fault['errorType']}"
            )
            printed = worker._drain_stderr().splitlines()
            _fault.set({**fault, "events": [*printed, _event(fault), f"INIT_REPORT {report}"]})
            return {"status": "error", "error": fault["errorMessage"], "cold_start": True, "log": ""}
        if (fault := result.pop("fault", None)) is not None:
            printed = str(result.get("log", "")).splitlines()
            _fault.set({**fault, "events": [*printed, _event(fault)]})
        return result

    return invoked


def _fault_at_start(worker: Any, told: str, request_id: str) -> Fault | None:
    """What kept a worker from starting; None if it was nothing of the function's."""
    process, worker._proc = worker._proc, None  # the next invocation starts another one
    if process is None:
        return None
    status = process.wait(HANG_SECONDS)
    worker._stderr_thread.join(HANG_SECONDS)
    if told.startswith(_EXITED):
        message = f"RequestId: {request_id} Error: Runtime exited with error: exit status {status}"
        return {"errorType": "Runtime.ExitError", "errorMessage": message, "stackTrace": []}
    try:
        fault: Fault = json.loads(told.removeprefix(_INIT_FAILED))
    except ValueError:
        return None
    return fault


def _answering(execute: Any) -> Any:
    @wraps(execute)
    def executed(function: dict[str, Any], event: Any, request_id: str) -> dict[str, Any]:
        token = _fault.set(None)
        try:
            result: dict[str, Any] = execute(function, event, request_id)
            fault = _fault.get()
        finally:
            _fault.reset(token)
        if fault is not None:
            told = {name: fault[name] for name in ("errorMessage", "errorType", "stackTrace")}
            result = {**result, "body": {**told, "requestId": request_id}, "log": _Events.of(fault["events"])}
        return result

    return executed


def install() -> None:
    """Patch the runtime of Python functions in this process; before `outputs`, which marks its answers."""
    replace(lambda_runtime, "_PYTHON_WORKER_SCRIPT", _telling)
    replace(lambda_runtime.Worker, "invoke", _invoking)
    replace(lambda_svc, "_execute_function_warm", _answering)
