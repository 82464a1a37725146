"""What a function has printed is complete when its answer is.

MiniStack waits 50 ms for the first line; on a busy machine the last lines of an invocation would come with
the next one, if there is one. So the worker marks the end of each invocation in the pipe of its lines.
"""

from __future__ import annotations

import queue
import time
from typing import Any

from ministack.core import lambda_runtime

from local.emulator.server.replacing import replace
from local.limits import HANG_SECONDS

_MARK = "\x1e"  # ASCII's record separator, alone on a line
_ANSWER = "        _real_stdout.flush()\n\nrun()\n"
_LOOK_SECONDS = 0.05


def _marking(script: str) -> str:
    """The worker's script, with the mark before each answer."""
    if script.count(_ANSWER) != 1:
        raise AttributeError(
            "MiniStack's worker no longer answers as it did: mark its answers in another place"
        )
    return script.replace(_ANSWER, f"        print({_MARK!r}, file=sys.stderr, flush=True)\n{_ANSWER}")


def _up_to_the_mark(_former: Any) -> Any:
    def drain(worker: Any, **_: Any) -> str:
        lines: list[str] = []
        until = time.monotonic() + HANG_SECONDS
        while time.monotonic() < until:
            try:
                line = worker._stderr_queue.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                if worker._stderr_thread is None or not worker._stderr_thread.is_alive():
                    break  # it died, and what it had printed is read
                continue
            if line == _MARK:
                break
            lines.append(line)
        return "\n".join(lines)

    return drain


def _without_marks(drain: Any) -> Any:
    def drained(worker: Any) -> str:
        return "\n".join(line for line in drain(worker).split("\n") if line != _MARK)

    return drained


def install() -> None:
    """Patch the runtime of Python functions in this process."""
    replace(lambda_runtime, "_PYTHON_WORKER_SCRIPT", _marking)
    replace(lambda_runtime.Worker, "_drain_stderr_bounded", _up_to_the_mark)
    replace(lambda_runtime.Worker, "_drain_stderr", _without_marks)
