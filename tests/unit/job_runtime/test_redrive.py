"""Redriving dead letters: what goes, in which order, and what a kill in between leaves."""

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest

from job_runtime.dead_letters import DeadLetter, DeadLetterQueue, depth_of
from job_runtime.redrive import Order, Pace, Redrive, Report
from job_runtime.sender import Sender
from job_runtime.trip import Trip, texts
from tests.support.clock import FakeClock
from tests.support.queues import Sqs

_runs = itertools.count(1)


class Killed(BaseException):
    """The process is gone: nothing of it runs any more."""


class Bench:
    """A queue with its dead-letter queue, and redrives over them."""

    def __init__(self, clock: FakeClock, suffix: str = ".fifo") -> None:
        self.clock = clock
        self.sqs = Sqs(clock, f"charge{suffix}", f"charge-dlq{suffix}")
        self.queue, self.dlq = self.sqs.named(f"charge{suffix}"), self.sqs.named(f"charge-dlq{suffix}")
        self._suffix = suffix

    def bury(self, name: str, failure: str | None = "unknown", group: str = "g", **more: str) -> None:
        """Put a dead letter with the body NAME at the end; without a failure, as SQS moves one."""
        attributes = {"failure_class": failure, **more} if failure else more
        fifo = {"MessageGroupId": group, "MessageDeduplicationId": f"{name}-{next(_runs)}"}
        self.sqs.send_message(
            QueueUrl=f"https://sqs/1/{self.dlq.name}",
            MessageBody=name,
            MessageAttributes={
                key: {"DataType": "String", "StringValue": value} for key, value in attributes.items()
            },
            **(fifo if self._suffix else {}),
        )

    def redrive(self, *classes: str, client: Any = None, **order: Any) -> Report:
        """One run; without classes everything is meant."""

        def meant(letter: DeadLetter) -> bool:
            return not classes or letter.failure_class in classes

        client = client or self.sqs
        urls = [f"https://sqs/1/{queue.name}" for queue in (self.queue, self.dlq)]
        with (
            Sender(client, urls[0], clock=self.clock, threads=1) as forward,
            Sender(client, urls[1], clock=self.clock, threads=1) as aside,
        ):
            return Redrive(
                queue=DeadLetterQueue(client, urls[1], wait_seconds=0),
                order=Order(meant=meant, behind_others=bool(classes), **order),
                run=f"run-{next(_runs)}",
                forward=forward,
                aside=aside,
                clock=self.clock,
            )()


@pytest.fixture
def bench(clock: FakeClock) -> Bench:
    return Bench(clock)


def visible(bench: Bench) -> int:
    return sum(message.visible_at <= bench.clock.monotonic() for message in bench.dlq.messages)


def test_everything_goes_back_oldest_first_in_each_group(bench: Bench) -> None:
    for number in range(25):
        for group in "abc":
            bench.bury(f"{group}{number:02}", group=group)
    assert bench.redrive().total == 75
    assert bench.dlq.messages == []
    for group in "abc":
        assert bench.queue.bodies(group) == [f"{group}{number:02}" for number in range(25)]


def test_a_copy_has_its_body_group_and_trace_a_count_and_no_reason(bench: Bench) -> None:
    header = "Root=1-5759e988-bd862e3fe1be46a994272793"
    bench.bury("m", "transient", summary="busy", colour="blue", redrives="2")
    bench.dlq.messages[0].system["AWSTraceHeader"] = header
    bench.redrive()
    (copy,) = bench.queue.messages
    assert (copy.body, copy.group, copy.system) == ("m", "g", {"AWSTraceHeader": header})
    texts = {name: value["StringValue"] for name, value in copy.attributes.items()}
    assert texts.keys() == {"colour", "redrives", "redrive_run"}
    assert Trip.read(texts).redrives == 3


def test_a_redrive_within_five_minutes_of_the_last_is_not_swallowed(bench: Bench) -> None:
    for _ in range(3):
        bench.bury("m")
        assert bench.redrive().total == 1
    assert bench.queue.bodies() == ["m", "m", "m"]


def test_what_is_chosen_goes_and_the_rest_stays_in_order_and_visible(bench: Bench) -> None:
    for number in range(40):
        bench.bury(f"{number:02}", "transient" if number % 2 else "rejected", group=f"g{number % 4 // 2}")
    report = bench.redrive("transient")
    assert report.redriven == {"transient": 20}
    for group in ("g0", "g1"):
        assert all(int(body) % 2 for body in bench.queue.bodies(group))
        assert bench.queue.bodies(group) == sorted(bench.queue.bodies(group))
        assert all(int(body) % 2 == 0 for body in bench.dlq.bodies(group))
        assert bench.dlq.bodies(group) == sorted(bench.dlq.bodies(group))
    assert visible(bench) == len(bench.dlq.messages) == 20


def test_letters_behind_more_of_another_class_than_a_receive_holds_are_reached(bench: Bench) -> None:
    for number in range(30):
        bench.bury(f"r{number:02}", "rejected")
    bench.bury("t", "transient")
    assert bench.redrive("transient").total == 1
    assert bench.dlq.bodies() == [f"r{number:02}" for number in range(30)]


def test_what_is_set_aside_keeps_its_reason_its_place_and_its_age(bench: Bench, clock: FakeClock) -> None:
    for number in range(11):
        bench.bury(f"r{number:02}", "rejected", summary="rule")
    bench.bury("t", "transient")
    arrived = clock.now()
    clock.advance(3600)
    bench.redrive("transient")
    letters = DeadLetterQueue(bench.sqs, f"https://sqs/1/{bench.dlq.name}").receive(1)  # type: ignore[arg-type]
    assert {letter.reason["summary"] for letter in letters} == {"rule"}
    assert {letter.dead_since for letter in letters} == {arrived}
    assert [letter.rank for letter in letters] == list(range(1, 11))


def test_nothing_is_set_aside_when_nothing_can_stand_behind(bench: Bench) -> None:
    for number in range(5):
        bench.bury(f"{number}", "rejected", group=f"g{number}")
    before = [message.message_id for message in bench.dlq.messages]
    assert bench.redrive("transient").set_aside == 0
    assert [message.message_id for message in bench.dlq.messages] == before
    assert visible(bench) == 5


@pytest.mark.parametrize("limit", [1, 7, 20])
def test_no_more_than_the_limit_go_and_the_rest_stays_in_order(bench: Bench, limit: int) -> None:
    for number in range(30):
        bench.bury(f"{number:02}", "rejected" if number < 12 else "transient")
    assert bench.redrive("transient", limit=limit).total == min(limit, 18)
    assert bench.queue.bodies() == [f"{number:02}" for number in range(12, 12 + min(limit, 18))]
    left = bench.dlq.bodies()
    assert left == sorted(left)
    assert len(left) + len(bench.queue.messages) == 30


def test_a_refused_copy_stops_its_group_and_no_other(bench: Bench) -> None:
    for number in range(4):
        for group in "ab":
            bench.bury(f"{group}{number}", group=group)
    bench.sqs.refusing["a1"] = 5
    report = bench.redrive()
    assert bench.queue.bodies("a") == ["a0"]
    assert bench.dlq.bodies() == ["a1", "a2", "a3"]
    assert list(report.failed.values()) == ["SQS: InternalError"]
    assert bench.redrive().total == 3
    assert bench.queue.bodies("a") == ["a0", "a1", "a2", "a3"]


def test_what_fails_again_meanwhile_is_not_sent_a_second_time(bench: Bench) -> None:
    bench.bury("m")

    class FailingConsumer:
        def __getattr__(self, name: str) -> Any:
            return getattr(bench.sqs, name)

        def receive_message(self, **request: Any) -> Any:
            for message in bench.queue.messages:
                again = {name: value["StringValue"] for name, value in message.attributes.items()}
                bench.bury(message.body, "unknown", **again)
            bench.queue.messages.clear()
            return bench.sqs.receive_message(**request)

    assert bench.redrive("unknown", client=FailingConsumer()).total == 1
    assert bench.dlq.bodies() == ["m"]
    assert visible(bench) == 1


def test_the_rate_is_kept(bench: Bench, clock: FakeClock) -> None:
    for number in range(300):
        bench.bury(f"{number}", group=f"g{number % 20}")
    bench.redrive(rate=5.0, hold_seconds=3600)
    assert 300 / clock.monotonic() == pytest.approx(5.0, rel=0.1)


def test_a_pace_without_a_rate_waits_for_nothing(clock: FakeClock) -> None:
    pace = Pace(clock, None)
    pace.wait(10)
    pace.wait(10)
    assert clock.pauses == []


def test_what_a_killed_run_still_hides_is_waited_for(bench: Bench) -> None:
    bench.bury("m")
    DeadLetterQueue(bench.sqs, f"https://sqs/1/{bench.dlq.name}").receive(30)  # type: ignore[arg-type]
    assert bench.redrive(patience_seconds=10).total == 0
    assert bench.redrive(patience_seconds=60).total == 1


def test_a_standard_queue_keeps_what_is_not_meant_as_it_is(clock: FakeClock) -> None:
    bench = Bench(clock, "")
    for number in range(30):
        bench.bury(f"{number:02}", "transient" if number % 3 else None)
    before = {message.message_id for message in bench.dlq.messages if not message.attributes}
    report = bench.redrive("transient")
    assert (report.total, report.set_aside) == (20, 0)
    assert {message.message_id for message in bench.dlq.messages} == before
    assert visible(bench) == 10
    assert all("MessageDeduplicationId" not in message.attributes for message in bench.queue.messages)


class Killing:
    """A client whose process dies at a call: before it takes effect, or after."""

    def __init__(self, sqs: Sqs, at: int, *, after: bool) -> None:
        self._sqs = sqs
        self._at = at
        self._after = after
        self._calls = 0

    def __getattr__(self, name: str) -> Callable[..., Any]:
        real = getattr(self._sqs, name)

        def call(**request: Any) -> Any:
            self._calls += 1
            if self._calls > self._at:
                raise Killed
            if self._calls == self._at:
                if self._after:
                    real(**request)
                raise Killed
            return real(**request)

        return call


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("at", range(1, 60))
def test_killed_at_any_call_a_second_run_finishes_in_order(clock: FakeClock, at: int, after: bool) -> None:
    bench = Bench(clock)
    for number in range(26):
        bench.bury(f"{number:02}", "rejected" if number % 2 else "transient", group=f"g{number % 4 // 2}")
    try:
        bench.redrive("transient", client=Killing(bench.sqs, at, after=after), hold_seconds=10)
    except Killed:
        clock.advance(11)
    bench.redrive("transient")
    for group in ("g0", "g1"):
        mine = [f"{number:02}" for number in range(26) if f"g{number % 4 // 2}" == group]
        assert bench.queue.bodies(group) == [body for body in mine if int(body) % 2 == 0]
        assert bench.dlq.bodies(group) == [body for body in mine if int(body) % 2]
    assert visible(bench) == len(bench.dlq.messages)


def test_a_letter_reads_what_it_can_of_any_body(bench: Bench) -> None:
    body = json.dumps({"tenant_id": "t1", "idempotency_key": "k", "period": 5})
    for text in (body, "{not json", "[1]", "[" * 100_000):
        bench.bury(text, None)
    letters = DeadLetterQueue(bench.sqs, f"https://sqs/1/{bench.dlq.name}").receive(1)  # type: ignore[arg-type]
    assert [(letter.field("tenant_id"), letter.key, letter.field("period")) for letter in letters] == [
        ("t1", "k", None),
        (None, None, None),
        (None, None, None),
        (None, None, None),
    ]
    assert {letter.failure_class for letter in letters} == {"exhausted"}


@pytest.mark.parametrize(
    "origin",
    ["x", "[]", '{"sequence":"1","sent":1}', '{"sequence":1,"sent":1e400}', '{"sequence":-1,"sent":-1}'],
)
def test_a_foreign_senders_attribute_is_no_place_in_the_order(clock: FakeClock, origin: str) -> None:
    bench = Bench(clock)
    bench.bury("k", redrive_origin=origin)
    (letter,) = DeadLetterQueue(bench.sqs, f"https://sqs/1/{bench.dlq.name}").receive(1)  # type: ignore[arg-type]
    assert (letter.rank, letter.dead_since) == (letter.sequence, letter.sent_at)


def first_letter(bench: Bench) -> DeadLetter:
    queue = DeadLetterQueue(bench.sqs, f"https://sqs/1/{bench.dlq.name}")  # type: ignore[arg-type]
    return queue.receive(1)[0]


def test_a_released_copy_says_of_which_letter_it_is_behind_which_and_in_which_window(
    clock: FakeClock,
) -> None:
    bench = Bench(clock)
    bench.bury("k", redrives="2", source="intake")
    letter = first_letter(bench)
    copy = letter.released("w1", "before")
    assert Trip.read(texts(copy.attributes)) == Trip(3, "w1", copy_of=letter.message_id, after="before")
    assert texts(copy.attributes)["source"] == "intake"
    assert "failure_class" not in copy.attributes
    keys = {letter.released(window, "before").key for window in ("w1", "w2")}
    assert len(keys | {letter.redriven("w1").key, letter.set_aside("w1").key}) == 4


def test_depth_is_all_that_sqs_counts() -> None:
    class Counting:
        def get_queue_attributes(self, *, QueueUrl: str, AttributeNames: list[str]) -> dict[str, Any]:  # noqa: N803
            assert QueueUrl == "https://sqs/1/q"
            known = {
                "ApproximateNumberOfMessages": "1",
                "ApproximateNumberOfMessagesNotVisible": "20",
                "ApproximateNumberOfMessagesDelayed": "300",
            }
            return {"Attributes": {name: known[name] for name in AttributeNames}}

    client: Any = Counting()
    depth = depth_of(client, "https://sqs/1/q")
    assert (depth.visible, depth.hidden, depth.delayed, depth.total) == (1, 20, 300, 321)


@pytest.mark.parametrize(("letters", "rate", "hold"), [(10, None, 60), (50, 1.0, 150), (40, 0.01, 3600)])
def test_what_is_in_hand_is_hidden_three_times_as_long_as_the_whole_takes(
    clock: FakeClock, letters: int, rate: float | None, hold: int
) -> None:
    bench = Bench(clock)
    for number in range(letters):
        bench.bury(f"k{number:02}")
    asked: list[int] = []
    receive = bench.sqs.receive_message

    def watched(**request: Any) -> dict[str, Any]:
        asked.append(request["VisibilityTimeout"])
        return receive(**request)

    bench.sqs.receive_message = watched  # type: ignore[method-assign]
    with Sender(bench.sqs, f"https://sqs/1/{bench.queue.name}", clock=clock) as sender:  # type: ignore[arg-type]
        queue = DeadLetterQueue(bench.sqs, f"https://sqs/1/{bench.dlq.name}")  # type: ignore[arg-type]
        order = Order(meant=lambda _letter: True, rate=rate, limit=1)
        Redrive(queue, order, "run", sender, sender, clock)()
    assert set(asked) == {hold}
