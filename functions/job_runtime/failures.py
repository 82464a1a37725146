"""What a failure of one message means, so that each kind has one outcome.

A summary of a failure is made of names, codes and places in the code, never of the text of a foreign
exception: that text may repeat the body.
"""

import traceback
from enum import StrEnum
from pathlib import PurePath

from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as BotoConnectionError

from job_runtime.envelope import MalformedMessageError


class FailureClass(StrEnum):
    """The classes of failure of one message.

    `halted` is a sound message behind a failed one of its group; `exhausted` one that was begun as often as
    is allowed and never came to an end, which is also what SQS moves away by itself; `superseded` a copy,
    sent by the release of a group, whose turn it is not: its original is still in the dead-letter queue, or
    settled.
    """

    TRANSIENT = "transient"
    REJECTED = "rejected"
    MALFORMED = "malformed"
    UNKNOWN = "unknown"
    HALTED = "halted"
    EXHAUSTED = "exhausted"
    SUPERSEDED = "superseded"


class RejectedError(Exception):
    """A business rule says no and will say no again. The text names the rule, never a value."""


class PayloadMismatchError(RejectedError):
    """The key has taken effect already, with another payload. What is stored stays as it is."""


class TransientError(Exception):
    """The same attempt can succeed later. The text names what was in the way, never a value."""


class WaitingError(TransientError):
    """Another delivery of the message has its effect in hand. To meet it is no attempt."""

    def __init__(self, text: str, seconds: float) -> None:
        """`seconds`: until the other one has ended or is known to be gone."""
        super().__init__(text)
        self.seconds = seconds


class UnknownOutcomeError(Exception):
    """An outside effect may or may not have happened, and asking did not tell. Its lease stays."""


class HaltedGroupError(Exception):
    """The message's group is halted: an earlier message of it was quarantined and not yet dealt with."""


class DeliveriesExhaustedError(Exception):
    """The message was begun as often as is allowed, and never came to an end."""


class SupersededCopyError(Exception):
    """A copy from the release of a group whose turn it is not; dropping it loses nothing."""


_TRANSIENT_CODES = frozenset(
    {
        "InternalServerError",
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestThrottled",
        "RequestThrottledException",
        "RequestTimeout",
        "ServiceUnavailable",
        "SlowDown",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
        "TransactionConflictException",
        "TransactionInProgressException",
    }
)
PASSING_REASONS = frozenset({"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"})
"""Reasons in a cancelled transaction that pass by themselves (AWS: TransactWriteItems)."""
_SERVER_ERROR = 500


def error_code(error: ClientError) -> str:
    """The service's code of the error, `Unknown` when the answer had none."""
    return str(error.response.get("Error", {}).get("Code") or "Unknown")


def cancellation_codes(error: ClientError) -> list[str]:
    """Why a transaction was cancelled: one code an action, in request order, `None` where nothing was wrong.

    Empty for any other error. boto3 puts the reasons at the top level of the response.
    """
    reasons = error.response.get("CancellationReasons") or []
    return [str(reason.get("Code") or "None") for reason in reasons]


def is_cancelled_for_now(error: ClientError) -> bool:
    """Whether a transaction was cancelled for nothing but reasons that pass by themselves."""
    faults = {code for code in cancellation_codes(error) if code != "None"}
    return error_code(error) == "TransactionCanceledException" and bool(faults) and faults <= PASSING_REASONS


_CLASSES: tuple[tuple[type[BaseException], FailureClass], ...] = (
    (MalformedMessageError, FailureClass.MALFORMED),
    (RejectedError, FailureClass.REJECTED),
    (HaltedGroupError, FailureClass.HALTED),
    (DeliveriesExhaustedError, FailureClass.EXHAUSTED),
    (SupersededCopyError, FailureClass.SUPERSEDED),
    (TransientError, FailureClass.TRANSIENT),
    (HTTPClientError, FailureClass.TRANSIENT),
    (BotoConnectionError, FailureClass.TRANSIENT),
)


def classify(error: BaseException) -> FailureClass:
    """The class of a failure; whatever is not known to be something else is `unknown`."""
    for kind, failure in _CLASSES:
        if isinstance(error, kind):
            return failure
    if isinstance(error, ClientError) and _is_transient(error):
        return FailureClass.TRANSIENT
    return FailureClass.UNKNOWN


def _is_transient(error: ClientError) -> bool:
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return error_code(error) in _TRANSIENT_CODES or status >= _SERVER_ERROR or is_cancelled_for_now(error)


_WORDED_HERE = (
    MalformedMessageError,
    RejectedError,
    TransientError,
    UnknownOutcomeError,
    HaltedGroupError,
    DeliveriesExhaustedError,
    SupersededCopyError,
)
"""Errors whose text this project writes, and which names no value."""


def summarize(error: BaseException) -> str:
    """One line on a failure for a person, free of anything that came with the message."""
    if isinstance(error, ClientError):
        reasons = cancellation_codes(error)
        return f"{error.operation_name}: {error_code(error)}" + (
            f" [{', '.join(reasons)}]" if reasons else ""
        )
    if isinstance(error, BotoCoreError):
        return f"no answer from AWS ({type(error).__name__}) {_place(error)}".rstrip()
    if isinstance(error, _WORDED_HERE):
        return str(error)
    return _place(error) or "raised outside the function's own code"


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{PurePath(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames[-3:]]
    return f"at {' > '.join(places)}" if places else ""
