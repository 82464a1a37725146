"""A message kept hidden while it is worked on."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from aws_lambda_powertools.logging import Logger

from job_runtime.heartbeat import LONGEST_SECONDS, Heartbeat
from tests.support.faulty import client_error, timeout
from tests.support.limits import HANG_SECONDS
from tests.support.output import Output


class Sqs:
    """Remembers each extension; meets `faults` first."""

    def __init__(self, *faults: Exception) -> None:
        self.extensions: list[int] = []
        self.faults = list(faults)
        self.beaten = threading.Event()

    def change_message_visibility(self, *, QueueUrl: str, ReceiptHandle: str, VisibilityTimeout: int) -> None:  # noqa: N803
        assert (QueueUrl, ReceiptHandle) == ("https://queue", "receipt")
        self.extensions.append(VisibilityTimeout)
        self.beaten.set()
        if self.faults:
            raise self.faults.pop(0)


def heartbeat(sqs: Sqs, seconds: int = 30) -> Heartbeat:
    client: Any = sqs
    return Heartbeat(client, "https://queue", "receipt", seconds=seconds, logger=Logger(service="charge"))


def beats(count: int) -> Callable[[float], bool]:
    """A wait that ends the work after `count` beats."""
    waits: list[float] = []

    def wait(seconds: float) -> bool:
        waits.append(seconds)
        assert seconds == waits[0]
        return len(waits) > count

    return wait


def test_the_message_is_extended_thrice_in_its_timeout() -> None:
    sqs = Sqs()
    waited: list[float] = []
    heartbeat(sqs).run(lambda seconds: waited.append(seconds) or len(waited) > 3)  # type: ignore[func-returns-value]
    assert waited == [10.0] * 4
    assert sqs.extensions == [30, 30, 30]


def test_work_that_ends_before_the_first_beat_asks_nothing() -> None:
    sqs = Sqs()
    heartbeat(sqs).run(beats(0))
    assert sqs.extensions == []


def test_a_passing_fault_is_tried_again_at_the_next_beat() -> None:
    sqs = Sqs(timeout(), client_error("ThrottlingException"))
    beating = heartbeat(sqs)
    beating.run(beats(3))
    assert sqs.extensions == [30, 30, 30]
    assert not beating.lost


@pytest.mark.parametrize("code", ["ReceiptHandleIsInvalid", "MessageNotInflight", "AccessDenied"])
def test_a_message_that_is_no_longer_ours_is_lost(code: str) -> None:
    sqs = Sqs(client_error(code))
    beating = heartbeat(sqs)
    beating.run(beats(100))
    assert beating.lost
    assert sqs.extensions == [30]


def test_no_extension_passes_twelve_hours_from_the_receipt() -> None:
    sqs = Sqs()
    beating = heartbeat(sqs, LONGEST_SECONDS // 2)
    beating.run(beats(100))
    assert beating.lost
    third = LONGEST_SECONDS // 6
    assert sqs.extensions == [third * 3, third * 3, third * 3, third * 2, third]
    assert all(third * place + seconds <= LONGEST_SECONDS for place, seconds in enumerate(sqs.extensions, 1))


def test_the_last_second_of_the_twelve_hours_is_used() -> None:
    sqs = Sqs()
    heartbeat(sqs, 3).run(beats(LONGEST_SECONDS + 1))
    assert (len(sqs.extensions), sqs.extensions[-2:]) == (LONGEST_SECONDS - 1, [2, 1])


def test_a_missed_beat_is_logged(output: Callable[[], Output]) -> None:
    heartbeat(Sqs(timeout(), client_error("MessageNotInflight", "Change"))).run(beats(2))
    first, second = output().lines
    assert [line["message"] for line in (first, second)] == ["heartbeat missed"] * 2
    assert first["summary"].startswith("no answer from AWS (ReadTimeoutError)")
    assert second["summary"] == "Change: MessageNotInflight"
    assert (first["lost"], second["lost"]) == (False, True)


@pytest.mark.parametrize("seconds", [3, LONGEST_SECONDS])
def test_the_bounds_of_a_timeout_are_taken(seconds: int) -> None:
    assert heartbeat(Sqs(), seconds).lost is False


@pytest.mark.parametrize("seconds", [2, 0, -1, LONGEST_SECONDS + 1])
def test_a_timeout_out_of_range_is_refused(seconds: int) -> None:
    with pytest.raises(ValueError, match="seconds: must be from 3"):
        heartbeat(Sqs(), seconds)


class Hasty(threading.Event):
    """An event on which nobody waits longer than a millisecond."""

    def wait(self, timeout: float | None = None) -> bool:
        return super().wait(timeout and 0.001)


def beating_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "heartbeat"]


def test_it_beats_beside_the_work_and_ends_with_it() -> None:
    sqs = Sqs()
    beating = heartbeat(sqs)
    beating._ended = Hasty()
    with beating as entered:
        assert entered is beating
        assert sqs.beaten.wait(HANG_SECONDS)
        assert [thread.daemon for thread in beating_threads()] == [True]
    assert beating_threads() == []


def test_it_ends_when_the_work_fails() -> None:
    with pytest.raises(ZeroDivisionError), heartbeat(Sqs()):
        _ = 1 / 0
    assert beating_threads() == []
