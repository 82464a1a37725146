"""Serve MiniStack on loopback until told to stop, or until the process that started this one is gone."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from ministack.app import app

from local.emulator.server import (
    control,
    failures,
    faults,
    function_policies,
    implied,
    invocations,
    lambda_roles,
    leading_keys,
    logs,
    mappings,
    naming,
    outputs,
    permissions,
    queues,
    recovery,
    schedules,
    simulation,
    topics,
    web_identity,
)
from local.emulator.server.monitoring import api as alarms
from local.emulator.server.monitoring import functions as function_metrics
from local.emulator.server.monitoring import permissions as alarm_permissions
from local.emulator.server.monitoring import protocols
from local.emulator.server.monitoring import queues as queue_metrics
from local.emulator.server.monitoring import tables as table_metrics


def end(*_: object) -> None:
    """End this process and every Lambda worker (they share its process group); remove the scratch folder."""
    shutil.rmtree(os.environ["TMPDIR"], ignore_errors=True)
    os.killpg(os.getpgid(0), signal.SIGKILL)


def end_with_parent() -> None:
    """End as soon as standard input closes: the parent holds the other end for as long as it lives.

    Unless it has let go first (`control.DETACHED`).
    """

    def watch() -> None:
        while os.read(sys.stdin.fileno(), 1024):
            pass
        if not control.DETACHED.is_set():
            end()

    threading.Thread(target=watch, name="end-with-parent", daemon=True).start()


class _Server(uvicorn.Server):  # type: ignore[misc]
    """A server that leaves signals to `end`: there is nothing to save, and nothing to wait for."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle no signal."""
        yield


def main() -> None:
    """Install the differences, then serve on 127.0.0.1:GATEWAY_PORT."""
    end_with_parent()
    for number in (signal.SIGTERM, signal.SIGINT):  # an ignored SIGINT would be inherited by the workers
        signal.signal(number, end)
    for difference in (  # each wraps what those before it have made
        permissions,
        naming,
        implied,
        simulation,
        recovery,
        web_identity,
        leading_keys,
        alarm_permissions,
        queues,
        queue_metrics,
        mappings,
        invocations,
        failures,
        outputs,
        lambda_roles,
        function_policies,
        schedules,
        topics,
        logs,
        faults,
        function_metrics,
        table_metrics,
        alarms,
        protocols,
        control,
    ):
        difference.install()
    # The event loop gives way at every write; it must not wait 5 ms for a busy thread each time.
    sys.setswitchinterval(0.0005)
    settings = uvicorn.Config(
        control.with_control(app),
        host="127.0.0.1",
        port=int(os.environ["GATEWAY_PORT"]),
        http="httptools",
        ws="none",
        lifespan="on",
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=75,
    )
    _Server(settings).run()


if __name__ == "__main__":
    main()
