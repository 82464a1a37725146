"""A payment API to run here: it takes the money once for a key, and fails in the ways that such APIs fail.

    python -m local.payment_stub --port 8099 --fault took-503:10 --fault took-hangs:25

`POST /captures` with the header `Idempotency-Key` and `{"amount", "currency"}` captures (201) or, for a
key that it knows, answers with the capture there is (200; 409 when the amount differs). `GET
/captures/<key>` tells (200, 404). `GET /captures` lists every time money was taken, which is what a test
counts. It listens on loopback only.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from http.server import BaseHTTPRequestHandler
from typing import Any, cast

from local.stub_server import StubServer, arguments


class Fault(StrEnum):
    """What goes wrong with a capture."""

    TOOK_503 = "took-503"
    """The money is taken, the answer is 503."""
    TOOK_HANGS = "took-hangs"
    """The money is taken, no answer comes."""
    TOOK_DROPS = "took-drops"
    """The money is taken, the connection is closed without an answer."""
    REFUSED_503 = "refused-503"
    """Nothing is taken, the answer is 503."""
    SLOW_DOWN = "slow-down"
    """Nothing is taken, the answer is 429."""
    DECLINED = "declined"
    """Nothing is taken, the answer is 402."""


@dataclass(frozen=True)
class Capture:
    """One time that money was taken; `amount` in minor units."""

    id: str
    key: str
    amount: int
    currency: str


class PaymentStub(StubServer[Fault]):
    """The server. Use it as a context; `endpoint` is its address, `captures` every time it took money,
    `requests` how often it was asked to capture and to find, `met` how often each fault was met.

    `faults` maps a fault to n: every n-th request to capture meets it, the rarer fault winning where two
    fall together. With `replays` off it takes the money again for a key that it knows, as an API without
    idempotency would.
    """

    def __init__(
        self, port: int = 0, faults: Mapping[Fault, int] | None = None, *, replays: bool = True
    ) -> None:
        """`port`: 0 for a free one. Raises ValueError for an n below 1."""
        super().__init__(port, _Handler, faults or {})
        self.captures: list[Capture] = []
        self._first: dict[str, Capture] = {}
        self._replays = replays
        self.endpoint = self.root

    def find(self, key: str) -> Capture | None:
        """The first capture under a key."""
        with self._lock:
            return self._first.get(key)

    def capture(self, key: str, amount: int, currency: str) -> tuple[Fault | None, Capture | None, bool]:
        """One request to capture: the fault it meets, the capture there is now, and whether it is a new
        one."""
        with self._lock:
            self.requests["capture"] += 1
            known = self._first.get(key)
            if known is not None and self._replays:
                return None, known, False
            fault = self._fault_of(self.requests["capture"])
            if fault in {Fault.REFUSED_503, Fault.SLOW_DOWN, Fault.DECLINED}:
                return fault, None, False
            taken = Capture(f"cap-{len(self.captures) + 1}", key, amount, currency)
            self.captures.append(taken)
            self._first.setdefault(key, taken)
            return fault, taken, True


class _Handler(BaseHTTPRequestHandler):
    @property
    def _stub(self) -> PaymentStub:
        return cast("PaymentStub", self.server.stub)  # type: ignore[attr-defined]

    def do_GET(self) -> None:
        if self.path == "/captures":
            self._answer(200, [asdict(capture) for capture in self._stub.captures])
            return
        self._stub.requests["find"] += 1
        found = self._stub.find(self.path.removeprefix("/captures/"))
        self._answer(200 if found else 404, asdict(found) if found else {"error": "no such capture"})

    def do_POST(self) -> None:
        key = self.headers.get("Idempotency-Key")
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))))
        if self.path != "/captures" or not key:
            self._answer(400, {"error": "POST /captures with an Idempotency-Key"})
            return
        fault, capture, new = self._stub.capture(key, body["amount"], body["currency"])
        match fault:
            case Fault.TOOK_503 | Fault.REFUSED_503:
                self._answer(503, {"error": "try again later"})
            case Fault.SLOW_DOWN:
                self._answer(429, {"error": "slow down"})
            case Fault.DECLINED:
                self._answer(402, {"error": "declined"})
            case Fault.TOOK_HANGS:
                self._stub.hang()
                self.close_connection = True
            case Fault.TOOK_DROPS:
                self.close_connection = True
            case None if capture and (capture.amount, capture.currency) != (body["amount"], body["currency"]):
                self._answer(409, {"error": "this key has another amount"})
            case None if capture:
                self._answer(201 if new else 200, asdict(capture))

    def _answer(self, status: int, body: Any) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """A request has no line of its own: `GET /captures` tells what happened."""


def main() -> None:
    """Run the stub until it is interrupted, after printing its address."""
    stub = PaymentStub(*arguments("python -m local.payment_stub", __doc__, Fault))
    print(stub.endpoint, flush=True)
    stub.serve()


if __name__ == "__main__":
    main()
