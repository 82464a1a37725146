"""AWS clients that fail when and how a test says, and remember what they were asked."""

from collections.abc import Sequence
from typing import Any

from botocore.exceptions import ClientError, ReadTimeoutError


def client_error(
    code: str, operation: str = "Operation", *, status: int = 400, reasons: Sequence[str] | None = None
) -> ClientError:
    """An error as botocore raises it; its text repeats a value, as the services' texts do."""
    response: Any = {
        "Error": {"Code": code, "Message": "the value 'Taro Yamada' is in the way"},
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
    if reasons is not None:
        response["CancellationReasons"] = [{"Code": reason} for reason in reasons]
    return ClientError(response, operation)


def cancelled(*reasons: str) -> ClientError:
    """A cancelled transaction."""
    return client_error("TransactionCanceledException", "TransactWriteItems", reasons=reasons)


def timeout() -> ReadTimeoutError:
    """No answer in time."""
    return ReadTimeoutError(endpoint_url="https://service")


class Lost:
    """The call takes effect and its answer is lost: `error` is raised afterwards."""

    def __init__(self, error: Exception) -> None:
        self.error = error


class Faulty:
    """Stands before a client. `faults`: by operation, what the next calls meet: an error, `Lost` or None.

    When a list is used up, calls go through. `calls` lists every operation asked for.
    """

    def __init__(self, client: Any, **faults: list[BaseException | Lost | None]) -> None:
        self._client = client
        self.faults = faults
        self.calls: list[str] = []

    def __getattr__(self, operation: str) -> Any:
        real = getattr(self._client, operation)
        if not callable(real):
            return real

        def call(**arguments: Any) -> Any:
            self.calls.append(operation)
            pending = self.faults.get(operation)
            fault = pending.pop(0) if pending else None
            if isinstance(fault, BaseException):
                raise fault
            answer = real(**arguments)
            if fault is not None:
                raise fault.error
            return answer

        return call
