"""HTTP to an outside API, one try a call: nothing underneath retries, so the caller knows of every try."""

import http.client
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from job_runtime.failures import TransientError, UnknownOutcomeError

TIMEOUT_SECONDS: Final = 10.0
"""For connecting and for each read."""

_LARGEST_ANSWER: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the status, the headers by lower-case name, and the body's first 256 KiB."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class OutsideApi:
    """One API at one address. Its errors name the API, never the address, which may be a secret itself."""

    def __init__(self, name: str, address: str, timeout: float = TIMEOUT_SECONDS) -> None:
        """`name`: how errors call it; `address`: an absolute http(s) URL without a trailing slash."""
        parts = urlsplit(address)
        self._name = name
        self._netloc = parts.netloc
        self._path = parts.path
        self._connection = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        self._timeout = timeout

    def request(
        self, method: str, path: str, headers: Mapping[str, str], body: str | bytes | None = None
    ) -> Answer:
        """Send one request to `path` below the address.

        Raises TransientError when nothing was sent, UnknownOutcomeError when it was and no answer came.
        """
        connection = self._connection(self._netloc, timeout=self._timeout)
        try:
            try:
                connection.connect()
            except OSError as error:
                raise TransientError(f"{self._name}: the API cannot be reached; nothing was sent") from error
            try:
                connection.request(method, self._path + path, body, dict(headers))
                response = connection.getresponse()
                names = {name.lower(): value for name, value in response.getheaders()}
                return Answer(response.status, names, response.read(_LARGEST_ANSWER))
            except (OSError, http.client.HTTPException) as error:
                raise UnknownOutcomeError(f"{self._name}: no answer from the API") from error
        finally:
            connection.close()
