"""AWS at a fixed distance: every call is counted, takes 10 ms and succeeds."""

from __future__ import annotations

import threading
import time
from typing import Any

from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders

SECONDS = 0.010
# A tenant that is known is the only row that anybody here asks for.
_ANSWERS = {"GetItem": b'{"Item": {"status": {"S": "active"}}}'}


class _Body:
    """A response's raw stream, as botocore reads it."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def stream(self, **_: Any) -> list[bytes]:
        """The whole content as one chunk."""
        return [self._content]


class Distance:
    """Stands between a boto3 client and the network: what is sent is answered here, SECONDS later."""

    def __init__(self) -> None:
        self.requests = 0
        self._lock = threading.Lock()

    def put_before(self, client: Any) -> None:
        """Answer every call of CLIENT from now on."""
        client.meta.events.register("before-send", self._answer)

    def _answer(self, request: Any, **_: Any) -> AWSResponse:
        with self._lock:
            self.requests += 1
        time.sleep(SECONDS)
        operation = request.headers["X-Amz-Target"].decode().rpartition(".")[2]
        body = _ANSWERS.get(operation, b"{}")
        headers = HTTPHeaders.from_dict({"Content-Type": "application/x-amz-json-1.0"})
        return AWSResponse(request.url, 200, headers, _Body(body))
