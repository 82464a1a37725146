"""A request that CloudWatch refuses."""

from __future__ import annotations


class RefusedError(ValueError):
    """What CloudWatch would not take: `code` is the API's error code, the text says what and why."""

    def __init__(self, message: str, code: str = "ValidationError") -> None:
        super().__init__(message)
        self.code = code
