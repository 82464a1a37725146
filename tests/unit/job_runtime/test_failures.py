"""Which class a failure is of, and what is said of it."""

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError, ConnectTimeoutError, EndpointConnectionError, NoCredentialsError

from job_runtime.envelope import MalformedMessageError
from job_runtime.failures import (
    FailureClass,
    HaltedGroupError,
    PayloadMismatchError,
    RejectedError,
    TransientError,
    UnknownOutcomeError,
    cancellation_codes,
    classify,
    summarize,
)
from tests.support.faulty import cancelled, client_error, timeout


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MalformedMessageError("period: wrong"), FailureClass.MALFORMED),
        (RejectedError("no"), FailureClass.REJECTED),
        (PayloadMismatchError("other"), FailureClass.REJECTED),
        (HaltedGroupError("halted"), FailureClass.HALTED),
        (TransientError("later"), FailureClass.TRANSIENT),
        (UnknownOutcomeError("who knows"), FailureClass.UNKNOWN),
        (ValueError("bug"), FailureClass.UNKNOWN),
        (timeout(), FailureClass.TRANSIENT),
        (ConnectTimeoutError(endpoint_url="u"), FailureClass.TRANSIENT),
        (EndpointConnectionError(endpoint_url="u"), FailureClass.TRANSIENT),
        (NoCredentialsError(), FailureClass.UNKNOWN),
        (client_error("ThrottlingException"), FailureClass.TRANSIENT),
        (client_error("ProvisionedThroughputExceededException"), FailureClass.TRANSIENT),
        (client_error("TransactionConflictException"), FailureClass.TRANSIENT),
        (client_error("TransactionInProgressException"), FailureClass.TRANSIENT),
        (client_error("SomethingNew", status=500), FailureClass.TRANSIENT),
        (client_error("SomethingNew", status=503), FailureClass.TRANSIENT),
        (client_error("SomethingNew", status=499), FailureClass.UNKNOWN),
        (client_error("AccessDeniedException"), FailureClass.UNKNOWN),
        (client_error("ValidationException"), FailureClass.UNKNOWN),
        (client_error("TransactionConflict"), FailureClass.UNKNOWN),
        (client_error("TransactionCanceledException"), FailureClass.UNKNOWN),
        (cancelled("None", "TransactionConflict"), FailureClass.TRANSIENT),
        (cancelled("ThrottlingError", "TransactionConflict"), FailureClass.TRANSIENT),
        (cancelled("ProvisionedThroughputExceeded", "None"), FailureClass.TRANSIENT),
        (
            cancelled("ProvisionedThroughputExceeded", "ThrottlingError", "TransactionConflict"),
            FailureClass.TRANSIENT,
        ),
        (cancelled("ConditionalCheckFailed", "TransactionConflict"), FailureClass.UNKNOWN),
        (cancelled("ValidationError", "None"), FailureClass.UNKNOWN),
        (cancelled("None", "None"), FailureClass.UNKNOWN),
    ],
)
def test_the_class_of_a_failure(error: Exception, expected: FailureClass) -> None:
    assert classify(error) is expected


def test_a_service_error_is_told_by_operation_and_codes_alone() -> None:
    said = summarize(cancelled("None", "TransactionConflict"))
    assert said == "TransactWriteItems: TransactionCanceledException [None, TransactionConflict]"
    assert summarize(client_error("ValidationException", "PutItem")) == "PutItem: ValidationException"


def test_a_foreign_exception_is_told_by_its_place_and_never_by_its_text() -> None:
    def parse_amount(text: str) -> int:
        return int(text)

    with pytest.raises(ValueError, match="Taro") as caught:
        parse_amount("Taro Yamada")
    said = summarize(caught.value)
    assert "Taro" not in said
    assert "test_failures.py" in said
    assert said.endswith("parse_amount")


def test_a_place_is_the_last_three_frames() -> None:
    def one() -> None:
        two()

    def two() -> None:
        three()

    def three() -> None:
        raise KeyError

    with pytest.raises(KeyError) as caught:
        one()
    places = summarize(caught.value).removeprefix("at ").split(" > ")
    assert [place.split()[-1] for place in places] == ["one", "two", "three"]


def test_an_answer_without_codes_is_still_told_and_classified() -> None:
    empty = ClientError({}, "Operation")
    assert summarize(empty) == "Operation: Unknown"
    assert classify(empty) is FailureClass.UNKNOWN
    reasons: Any = {
        "Error": {"Code": "TransactionCanceledException"},
        "CancellationReasons": [{}, {"Code": "X"}],
    }
    assert cancellation_codes(ClientError(reasons, "Operation")) == ["None", "X"]


def test_an_exception_without_a_trace_is_still_told() -> None:
    assert summarize(KeyError("Taro")) == "raised outside the function's own code"
    assert summarize(timeout()) == "no answer from AWS (ReadTimeoutError)"


@pytest.mark.parametrize("kind", [RejectedError, TransientError, UnknownOutcomeError, HaltedGroupError])
def test_an_error_of_ours_speaks_for_itself(kind: type[Exception]) -> None:
    assert summarize(kind("the rule")) == "the rule"


def test_only_a_cancelled_transaction_has_reasons() -> None:
    assert cancellation_codes(client_error("ThrottlingException")) == []
    assert cancellation_codes(cancelled("None")) == ["None"]
    assert json.dumps(cancellation_codes(cancelled("ConditionalCheckFailed"))) == '["ConditionalCheckFailed"]'
