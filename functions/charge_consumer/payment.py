"""Captures at an outside payment API.

`POST <endpoint>/captures` with the header `Idempotency-Key` takes the money once for a key and answers
with the capture; `GET <endpoint>/captures/<key>` tells whether it was taken. A capture is `{"id": str,
"amount": int (minor units), "currency": str}`.
"""

import http.client
import json
from collections.abc import Mapping
from typing import Any

from job_runtime.envelope import MalformedMessageError, Message, compile_schema
from job_runtime.failures import PayloadMismatchError, RejectedError, TransientError, UnknownOutcomeError
from job_runtime.outside_http import TIMEOUT_SECONDS, OutsideApi

_DECLINED = frozenset({400, 402, 403, 410, 422})
_OTHER_PAYLOAD = 409
_TOO_MANY = 429
_NOT_FOUND = 404

_CAPTURE_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "required": ["id", "amount", "currency"],
    "properties": {
        "id": {"type": "string", "minLength": 1, "maxLength": 128},
        "amount": {"type": "integer"},
        "currency": {"type": "string"},
    },
}


class PaymentApi:
    """The captures of one payment API, as an outside effect (`job_runtime.effects.lease.OutsideEffect`).

    With the look-up, an attempt stays well inside a lease of 60 s.
    """

    def __init__(self, endpoint: str, timeout: float = TIMEOUT_SECONDS) -> None:
        """`endpoint`: an absolute URL without a trailing slash."""
        self._api = OutsideApi("payment", endpoint, timeout)
        self._validate = compile_schema(_CAPTURE_SCHEMA, root="capture")

    def perform(self, message: Message) -> str:
        """Capture the message's amount under its key; the capture's id.

        Raises RejectedError when the API declines, PayloadMismatchError when it knows the key with another
        amount, TransientError when the request was not taken, UnknownOutcomeError when there is no
        telling.
        """
        status, answer = self._request("POST", "/captures", message)
        if status in {http.client.OK, http.client.CREATED}:
            return self._capture_id(message, answer)
        if status in _DECLINED:
            raise RejectedError(f"payment: declined with HTTP {status}")
        if status == _OTHER_PAYLOAD:
            raise PayloadMismatchError("payment: the API knows this key with another payload")
        if status == _TOO_MANY:
            raise TransientError("payment: the API asks to slow down")
        raise UnknownOutcomeError(f"payment: HTTP {status} does not say whether the money was taken")

    def find(self, message: Message) -> str | None:
        """The id of the capture under the message's key, None when the API has none.

        Raises PayloadMismatchError when it is of another amount, UnknownOutcomeError when the API does not
        say.
        """
        try:
            status, answer = self._request("GET", f"/captures/{message.idempotency_key}", message)
        except TransientError as error:
            raise UnknownOutcomeError("payment: the API cannot be asked for the capture") from error
        if status == http.client.OK:
            return self._capture_id(message, answer)
        if status == _NOT_FOUND:
            return None
        raise UnknownOutcomeError(f"payment: HTTP {status} does not say whether there is a capture")

    def _request(self, method: str, path: str, message: Message) -> tuple[int, bytes]:
        headers = {"Idempotency-Key": message.idempotency_key, "Content-Type": "application/json"}
        body = json.dumps(dict(message.content)) if method == "POST" else None
        answer = self._api.request(method, path, headers, body)
        return answer.status, answer.body

    def _capture_id(self, message: Message, answer: bytes) -> str:
        try:
            capture = json.loads(answer)
            self._validate(capture)
        except (ValueError, MalformedMessageError) as error:
            raise UnknownOutcomeError("payment: the API's answer is no capture") from error
        if any(capture[name] != message.content[name] for name in ("amount", "currency")):
            raise PayloadMismatchError("payment: the capture under this key is of another amount")
        return str(capture["id"])
