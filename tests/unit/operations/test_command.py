"""How a command ends when something goes wrong: one line on standard error, and a status."""

import os
import signal
from collections.abc import Iterator

import pytest
from botocore.exceptions import ClientError, NoCredentialsError, ParamValidationError
from rich.console import Console

from operations.command import carry_out, end_as_interrupted
from operations.outcome import Exit, RefusedError

DENIED = ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, "ReceiveMessage")


@pytest.mark.parametrize(
    ("error", "status", "says"),
    [
        (RefusedError("write\nsomething else"), Exit.REFUSED, "dlq: write something else\n"),
        (DENIED, Exit.AWS, "dlq: ReceiveMessage: AccessDenied: "),
        (NoCredentialsError(), Exit.AWS, "dlq: no answer from AWS: "),
        (ParamValidationError(report="bad"), Exit.REFUSED, "dlq: AWS takes no such names: "),
        (OSError(28, "No space left on device", "archive"), Exit.PART, "dlq: archive: No space left"),
        (KeyboardInterrupt(), Exit.INTERRUPTED, "dlq: interrupted; nothing is lost"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_goes_wrong_is_one_line_and_a_status(
    error: BaseException, status: Exit, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing(_console: Console) -> Exit:
        raise error

    assert carry_out("dlq", failing) == status
    printed = capsys.readouterr()
    assert printed.err.startswith(says)
    assert printed.err.count("\n") == 1
    assert printed.out == ""


def test_a_reader_that_has_gone_away_is_not_told_of_files(capfd: pytest.CaptureFixture[str]) -> None:
    def failing(_console: Console) -> Exit:
        raise BrokenPipeError(32, "Broken pipe")

    assert carry_out("dlq", failing) == Exit.PART
    assert capfd.readouterr().err == ""


@pytest.fixture
def handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.usefixtures("handlers")
def test_a_connection_that_breaks_ends_a_command_as_ctrl_c_does(number: signal.Signals) -> None:
    def command(_console: Console) -> Exit:
        os.kill(os.getpid(), number)
        return Exit.DONE

    end_as_interrupted()
    assert carry_out("dlq", command) == Exit.INTERRUPTED
