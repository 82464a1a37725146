"""What the stand-ins for outside APIs share: a server on loopback that may hang, and faults now and then."""

import argparse
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Generic, Self, TypeVar

F = TypeVar("F", bound=StrEnum)


class StubServer(Generic[F]):
    """A server on loopback; use it as a context. `root` is its address, `faults` maps a fault to n, for every
    n-th request, `requests` counts what was asked for, `met` how often each fault was met."""

    def __init__(self, port: int, handler: type[BaseHTTPRequestHandler], faults: Mapping[F, int]) -> None:
        """`port`: 0 for a free one. The handler finds this object as `server.stub`. Raises ValueError for an
        n below 1."""
        if any(every < 1 for every in faults.values()):
            raise ValueError("faults: n must be at least 1, as in NAME:10")
        self.faults = dict(faults)
        self.requests: Counter[str] = Counter()
        self.met: Counter[F] = Counter()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), handler)
        self._server.daemon_threads = True
        self._server.stub = self  # type: ignore[attr-defined]
        self.root = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the server and whatever hangs in it."""
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def serve(self) -> None:
        """Serve in the calling thread until interrupted."""
        with suppress(KeyboardInterrupt):
            self._server.serve_forever()

    def hang(self) -> None:
        """Give no answer for as long as the server lives."""
        self._closing.wait()

    def _fault_of(self, count: int) -> F | None:
        """The fault that the `count`-th request meets, counted: the rarer where two fall together."""
        due = [(every, fault) for fault, every in self.faults.items() if count % every == 0]
        if not due:
            return None
        fault = max(due)[1]
        self.met[fault] += 1
        return fault


def arguments(program: str, description: str | None, kind: type[F]) -> tuple[int, dict[F, int]]:
    """Port and faults from the command line, as `--port 8099 --fault NAME:N`."""
    parser = argparse.ArgumentParser(prog=program, description=description)
    parser.add_argument("--port", type=int, default=0, help="0 (the default) takes a free one")
    parser.add_argument("--fault", type=_fault(kind), action="append", default=[], metavar="NAME:N")
    given = parser.parse_args()
    return given.port, dict(given.fault)


def _fault(kind: type[F]) -> Callable[[str], tuple[F, int]]:
    def read(text: str) -> tuple[F, int]:
        name, _, every = text.partition(":")
        try:
            return kind(name), int(every)
        except ValueError:
            raise argparse.ArgumentTypeError(f"write NAME:N with one of {', '.join(kind)}") from None

    return read
