"""The door for the demo and the tests: `/_fanout/…`, on the emulator's own port.

| request | answer |
|---|---|
| `GET /_fanout/state` | refusals of IAM, faults done, schedule fires, processes of functions |
| `GET /_fanout/queues/NAME` | every message of a queue, untouched: group, sequence number, text attributes |
| `POST /_fanout/detach` | the emulator outlives its parent from now on; SIGTERM ends it |
| `PUT /_fanout/faults` | puts a fault plan in force |
| `POST /_fanout/schedules` | `{"schedule": "group/name", "times": 1}`: moves the clock there and fires |
| `GET /_fanout/alarms` | CloudWatch's clock, every change of an alarm's state, what became of each message |
| `POST /_fanout/alarms/points` | `{"points": [...], "account": …, "region": …}`: stores them, evaluates |
| `POST /_fanout/alarms/clock` | `{"seconds": 600}`: moves CloudWatch's clock minute by minute |
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

from ministack import app as ministack
from ministack.core import lambda_runtime

from local.emulator.server import permissions, queues, schedules
from local.emulator.server.faults import FAULTS, Plan
from local.emulator.server.monitoring import runner
from local.emulator.server.replacing import replace

PREFIX = "/_fanout/"

DETACHED = threading.Event()
"""Set once the process that started this one wants to leave it running."""


def _processes() -> list[dict[str, Any]]:
    with lambda_runtime._lock:
        workers = [worker for pool in lambda_runtime._workers.values() for worker in pool]
    return [
        {"function": w.func_name, "pid": w._proc.pid} for w in workers if w._proc and w._proc.poll() is None
    ]


def _state(_values: dict[str, Any]) -> dict[str, Any]:
    return {
        "denials": permissions.denials(),
        "faults": FAULTS.report(),
        "fires": schedules.fires(),
        "processes": _processes(),
    }


def _detach(_values: dict[str, Any]) -> dict[str, Any]:
    DETACHED.set()
    return {}


def _faults(values: dict[str, Any]) -> dict[str, Any]:
    FAULTS.set(Plan.of(values))
    return FAULTS.report()


_ROUTES: Mapping[tuple[str, str], Callable[[dict[str, Any]], dict[str, Any]]] = {
    ("GET", "state"): _state,
    ("POST", "detach"): _detach,
    ("PUT", "faults"): _faults,
    ("POST", "schedules"): lambda values: schedules.fire(values["schedule"], int(values.get("times", 1))),
    ("GET", "alarms"): lambda _values: runner.report(),
    ("POST", "alarms/points"): lambda values: runner.publish(
        values["points"], values["account"], values["region"]
    ),
    ("POST", "alarms/clock"): lambda values: runner.advance(float(values["seconds"])),
}


def _answer(method: str, path: str, body: bytes) -> tuple[int, dict[str, Any]]:
    what = path.removeprefix(PREFIX)
    if method == "GET" and what.startswith("queues/"):
        return 200, {"messages": queues.peek(what.removeprefix("queues/"))}
    route = _ROUTES.get((method, what))
    if route is None:
        return 404, {"message": f"{method} {path} is not known"}
    return 200, route(json.loads(body or b"{}"))


def with_control(app: Any) -> Any:
    """Wrap the ASGI application so that `/_fanout/…` is answered here and all else by MiniStack."""

    async def controlled(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(PREFIX):
            await app(scope, receive, send)
            return
        body, more = b"", True
        while more:
            part = await receive()
            body, more = body + part.get("body", b""), part.get("more_body", False)
        try:
            # In a thread: a long step of a clock must not hold up what the functions ask for.
            status, content = await asyncio.to_thread(_answer, scope["method"], scope["path"], body)
        except (LookupError, ValueError) as error:
            status, content = 400, {"message": str(error)}
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(content).encode()})

    return controlled


def install() -> None:
    """Take loopback for TLS: nothing leaves the machine, and TLS-only policies must not refuse it all."""
    replace(ministack, "pin_request_origin", lambda pin: lambda address, _secure: pin(address, True))
