"""What the sender puts into the queue, in which order, and what it says of the rest."""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from botocore.exceptions import ClientError
from hypothesis import given, settings
from hypothesis import strategies as st

from job_runtime import aws
from job_runtime.sender import BATCH_BYTES, BATCH_ENTRIES, Outgoing, Sender, SendReport, Unsent
from tests.support.clock import FakeClock
from tests.support.job import Job
from tests.support.limits import HANG_SECONDS

Verdict = Callable[[dict[str, Any], int], str | None]
"""From an entry and how often its key was offered before, to a code it is refused with; None accepts."""


class Queue:
    """A FIFO queue that refuses what `verdict` says and holds the rest, in order."""

    def __init__(
        self, verdict: Verdict = lambda _entry, _offered: None, *, faults: Sequence[str] = ()
    ) -> None:
        self.calls: list[list[dict[str, Any]]] = []
        self.accepted: list[dict[str, Any]] = []
        self.offered: dict[str, int] = defaultdict(int)
        self._verdict = verdict
        self._faults = faults
        self._lock = threading.Lock()

    def send_message_batch(self, *, QueueUrl: str, Entries: list[dict[str, Any]]) -> dict[str, Any]:  # noqa: N803
        assert QueueUrl == "url"
        with self._lock:
            self.calls.append(Entries)
            answer: dict[str, Any] = {"Successful": [], "Failed": []}
            for entry in Entries:
                key = entry["MessageDeduplicationId"]
                code = self._verdict(entry, self.offered[key])
                self.offered[key] += 1
                if code is None:
                    self.accepted.append(entry)
                    answer["Successful"].append(
                        {"Id": entry["Id"], "MessageId": "m", "MD5OfMessageBody": "d"}
                    )
                elif code != "silent":
                    fault = code in self._faults
                    answer["Failed"].append({"Id": entry["Id"], "Code": code, "SenderFault": fault})
            return answer

    def keys(self, group: str | None = None) -> list[str]:
        return [
            entry["MessageDeduplicationId"]
            for entry in self.accepted
            if group is None or entry["MessageGroupId"] == group
        ]


def messages(count: int, *, groups: int = 1, body: str = "{}") -> list[Outgoing]:
    return [Outgoing(key=f"k{n:05}", group=f"g{n % groups}", body=body) for n in range(count)]


def send(
    queue: Queue, given: Sequence[Outgoing], clock: FakeClock | None = None, **options: Any
) -> SendReport:
    sqs: Any = queue
    with Sender(sqs, "url", clock=clock or FakeClock(), **options) as sender:
        return sender.send(given)


def test_every_message_is_sent_with_its_group_key_and_body() -> None:
    queue = Queue()
    report = send(queue, [Outgoing("key", "group", "body")])
    assert report == SendReport(sent=1)
    assert queue.calls == [
        [{"Id": "0", "MessageBody": "body", "MessageGroupId": "group", "MessageDeduplicationId": "key"}]
    ]


def test_calls_are_full() -> None:
    queue = Queue()
    send(queue, messages(95, groups=95), threads=1)
    assert sorted(map(len, queue.calls)) == [5] + [BATCH_ENTRIES] * 9


def test_calls_are_filled_across_groups_of_any_length() -> None:
    lengths = (30, 30, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3)
    given = [
        Outgoing(f"k{group}-{n}", f"g{group}", "{}")
        for group, size in enumerate(lengths)
        for n in range(size)
    ]
    queue = Queue()
    send(queue, given, threads=1)
    assert len(queue.calls) == max(lengths)


def test_little_to_send_is_not_spread_over_half_empty_calls() -> None:
    queue = Queue()
    send(queue, messages(20, groups=20), threads=16)
    assert [len(call) for call in queue.calls] == [10, 10]


def test_nothing_to_send_costs_no_call() -> None:
    queue = Queue()
    assert send(queue, []) == SendReport()
    assert queue.calls == []


def test_a_call_stays_within_a_mebibyte_counted_in_utf8() -> None:
    body = "円" * 60_000
    queue = Queue()
    assert send(queue, messages(30, groups=30, body=body), threads=1).sent == 30
    sizes = [sum(len(entry["MessageBody"].encode()) for entry in call) for call in queue.calls]
    assert max(sizes) <= BATCH_BYTES
    assert [len(call) for call in queue.calls] == [5] * 6


def test_a_call_that_fills_the_mebibyte_to_the_last_byte_is_one_call() -> None:
    queue = Queue()
    send(queue, messages(4, groups=4, body="x" * (BATCH_BYTES // 4)), threads=1)
    assert [len(call) for call in queue.calls] == [4]


def test_attributes_count_towards_the_size_with_name_type_and_value() -> None:
    attributes: Any = {"why": {"DataType": "String", "StringValue": "円"}}
    message = Outgoing("k", "g", "body", attributes)
    assert message.size == len(b"body") + len(b"why") + len(b"String") + 3
    queue = Queue()
    send(queue, [message])
    assert queue.calls[0][0]["MessageAttributes"] == attributes


def test_a_message_above_a_mebibyte_is_skipped_by_name_and_the_others_go_out() -> None:
    attributes: Any = {"why": {"DataType": "String", "StringValue": "x"}}
    exact = Outgoing("exact", "g", "x" * BATCH_BYTES)
    larger = Outgoing("larger", "g", "x" * BATCH_BYTES, attributes)
    queue = Queue()
    report = send(queue, [larger, exact, Outgoing("small", "g", "{}")], threads=1)
    assert report.sent == 2
    assert [unsent.key for unsent in report.skipped] == ["larger"]
    assert "at most 1048576 bytes" in report.skipped[0].reason
    assert queue.keys() == ["exact", "small"]


@pytest.mark.parametrize("character", ["\uffff", "\ufffe", "\a", "\0", "\x1f", "\ud800"])
def test_a_character_that_sqs_forbids_skips_its_own_message_only(character: str) -> None:
    given = messages(1000, groups=7)
    given[700] = Outgoing("k00700", "g0", f'{{"name":"{character}"}}')
    queue = Queue()
    report = send(queue, given)
    assert report.sent == 999
    assert [unsent.key for unsent in report.skipped] == ["k00700"]
    assert character not in report.skipped[0].reason
    assert len(queue.accepted) == 999


@pytest.mark.parametrize("body", ["\t\r\n", "\ud7ff\ue000\ufffd", "\U00010000\U0010ffff", "東京"])
def test_every_other_character_is_sent_as_it_is(body: str) -> None:
    queue = Queue()
    assert send(queue, [Outgoing("k", "g", body)]).sent == 1
    assert queue.accepted[0]["MessageBody"] == body


def test_an_empty_body_is_skipped() -> None:
    report = send(Queue(), [Outgoing("k", "g", "")])
    assert report == SendReport(skipped=(Unsent("k", "body: must not be empty"),))


@pytest.mark.parametrize("wrong", ["", "x" * 129, "東京支店", "a b", "🍣", "tab\t"])
def test_ids_outside_the_alphabet_or_length_of_sqs_are_skipped(wrong: str) -> None:
    queue = Queue()
    report = send(
        queue, [Outgoing(wrong, "g", "{}"), Outgoing("k", wrong, "{}"), Outgoing("fine", "g", "{}")]
    )
    assert (report.sent, len(report.skipped)) == (1, 2)
    assert queue.keys() == ["fine"]


def test_what_sqs_refuses_for_now_is_offered_again_alone_under_the_same_key() -> None:
    clock = FakeClock()
    queue = Queue(lambda entry, offered: "InternalError" if entry["Id"] == "3" and not offered else None)
    report = send(queue, messages(10, groups=10), clock, threads=1)
    assert report == SendReport(sent=10)
    assert [[entry["MessageDeduplicationId"] for entry in call] for call in queue.calls[1:]] == [["k00003"]]
    assert len(clock.pauses) == 1


def test_what_is_blamed_on_the_sender_is_reported_and_not_offered_again() -> None:
    queue = Queue(
        lambda entry, _offered: "InvalidMessageContents" if entry["Id"] == "7" else None,
        faults=["InvalidMessageContents"],
    )
    report = send(queue, messages(10, groups=10), threads=1)
    assert report == SendReport(sent=9, failed=(Unsent("k00007", "SQS: InvalidMessageContents"),))
    assert queue.offered["k00007"] == 1


def test_an_entry_that_is_refused_to_the_end_is_reported_after_its_attempts() -> None:
    clock = FakeClock()
    queue = Queue(lambda entry, _offered: "InternalError" if entry["Id"] == "0" else None)
    report = send(queue, messages(1), clock, threads=1)
    assert report == SendReport(failed=(Unsent("k00000", "SQS: InternalError", for_now=True),))
    assert queue.offered["k00000"] == Sender.ATTEMPTS
    assert len(clock.pauses) == Sender.ATTEMPTS - 1
    for retry, pause in enumerate(clock.pauses):
        assert 0.5 <= pause / (0.1 * 2**retry) <= 1.5


def test_an_entry_that_the_answer_does_not_name_is_not_taken_for_sent() -> None:
    queue = Queue(lambda _entry, offered: "silent" if not offered else None)
    assert send(queue, messages(10)).sent == 10
    never = Queue(lambda _entry, _offered: "silent")
    report = send(never, messages(1))
    assert report == SendReport(
        failed=(Unsent("k00000", "SQS: no outcome was given for the entry", for_now=True),)
    )


@pytest.mark.parametrize("refused", range(10))
@pytest.mark.parametrize("code", ["InternalError", "silent"])
def test_no_later_message_passes_a_refused_one_of_its_group_at_any_place(refused: int, code: str) -> None:
    def verdict(entry: dict[str, Any], offered: int) -> str | None:
        return code if entry["MessageDeduplicationId"] == f"k{refused:05}" and offered < 3 else None

    queue = Queue(verdict)
    assert send(queue, messages(10)) == SendReport(sent=10)
    assert queue.keys() == [f"k{n:05}" for n in range(10)]


@pytest.mark.parametrize(
    "code", ["KMS.AccessDeniedException", "KmsThrottled", "AccessDenied", "ThrottlingException"]
)
def test_a_refusal_that_ends_once_it_is_mended_lets_nothing_of_its_group_pass(code: str) -> None:
    queue = Queue(
        lambda entry, _: code if entry["MessageDeduplicationId"] == "k00002" else None, faults=[code]
    )
    report = send(queue, messages(5))
    assert queue.keys() == ["k00000", "k00001"]
    assert [(unsent.key, unsent.for_now) for unsent in report.failed] == [
        ("k00002", True),
        ("k00003", True),
        ("k00004", True),
    ]


@pytest.mark.parametrize(("attributes", "sent"), [(10, 2), (11, 1)])
def test_a_message_with_more_attributes_than_sqs_takes_is_skipped_alone(attributes: int, sent: int) -> None:
    value: Any = {"DataType": "String", "StringValue": "v"}
    many = Outgoing("many", "g1", "{}", {f"a{n}": value for n in range(attributes)})
    report = send(Queue(), [many, Outgoing("few", "g2", "{}")])
    assert (report.sent, len(report.skipped)) == (sent, 2 - sent)


def test_what_is_behind_a_message_that_stays_refused_is_held_back_and_named() -> None:
    queue = Queue(lambda entry, _: "InternalError" if entry["MessageDeduplicationId"] == "k00004" else None)
    report = send(queue, messages(10, groups=2))
    assert queue.keys("g0") == ["k00000", "k00002"]
    assert queue.keys("g1") == [f"k{n:05}" for n in range(1, 10, 2)]
    assert [unsent.key for unsent in report.failed] == ["k00004", "k00006", "k00008"]
    assert report.failed[1].reason == "not offered: an earlier message of its group was refused"


def test_a_group_never_has_two_calls_on_their_way() -> None:
    class Watching(Queue):
        def __init__(self) -> None:
            super().__init__()
            self.busy: set[str] = set()
            self.guard = threading.Lock()
            self.together = threading.Barrier(4, timeout=HANG_SECONDS)

        def send_message_batch(self, **call: Any) -> dict[str, Any]:
            groups = {entry["MessageGroupId"] for entry in call["Entries"]}
            with self.guard:
                assert not groups & self.busy
                self.busy |= groups
            # Each of the four threads waits here for the three others, so the calls do overlap.
            self.together.wait()
            with self.guard:
                self.busy -= groups
            return super().send_message_batch(**call)

    queue = Watching()
    assert send(queue, messages(160, groups=40), threads=4).sent == 160
    for group in range(40):
        assert queue.keys(f"g{group}") == [f"k{n:05}" for n in range(group, 160, 40)]


def test_threads_have_about_the_same_to_do_whatever_the_groups_order() -> None:
    class InPairs(Queue):
        def __init__(self) -> None:
            super().__init__()
            self.together = threading.Barrier(2, timeout=HANG_SECONDS)

        def send_message_batch(self, **call: Any) -> dict[str, Any]:
            # A thread with more calls than the other waits in vain at its end.
            self.together.wait()
            return super().send_message_batch(**call)

    sizes = (1,) * 16 + (8,) * 4
    small_groups_first = [
        Outgoing(f"k{g}-{n}", f"g{g}", "{}") for g, size in enumerate(sizes) for n in range(size)
    ]
    assert send(InPairs(), small_groups_first, threads=2).sent == sum(sizes)


def test_a_call_that_fails_as_a_whole_is_raised_after_the_other_threads_are_done() -> None:
    class Denying(Queue):
        def __init__(self) -> None:
            super().__init__()
            self.denied = threading.Event()

        def send_message_batch(self, **call: Any) -> dict[str, Any]:
            if any(entry["MessageGroupId"] == "g0" for entry in call["Entries"]):
                self.denied.set()
                raise ClientError({"Error": {"Code": "AccessDenied"}}, "SendMessageBatch")
            assert self.denied.wait(HANG_SECONDS)
            return super().send_message_batch(**call)

    queue: Any = Denying()
    with Sender(queue, "url", clock=FakeClock(), threads=2) as sender:
        with pytest.raises(ClientError, match="AccessDenied"):
            sender.send(messages(2000, groups=20))
        assert len(queue.keys()) == 1000


def test_the_trace_travels_with_every_message() -> None:
    queue = Queue()
    send(queue, messages(2), trace_header="Root=1-67891233-abcdef012345678912345678")
    for entry in queue.accepted:
        assert entry["MessageSystemAttributes"] == {
            "AWSTraceHeader": {
                "DataType": "String",
                "StringValue": "Root=1-67891233-abcdef012345678912345678",
            }
        }


def test_a_message_of_a_standard_queue_has_no_deduplication_id_and_needs_no_group() -> None:
    answered: dict[str, Any] = {}

    class Standard:
        def send_message_batch(self, **request: Any) -> dict[str, Any]:
            answered.update(request)
            return {"Successful": [{"Id": entry["Id"]} for entry in request["Entries"]]}

    client: Any = Standard()
    fair = Outgoing(key="k1", group="tenant", body="{}", fifo=False)
    plain = Outgoing(key="k2", group="", body="{}", fifo=False)
    with Sender(client, "url", clock=FakeClock()) as sender:
        assert sender.send([fair, plain]).sent == 2
    assert answered["Entries"] == [
        {"Id": "0", "MessageBody": "{}", "MessageGroupId": "tenant"},
        {"Id": "1", "MessageBody": "{}"},
    ]


def test_a_message_keeps_the_trace_that_it_came_with() -> None:
    queue, header = Queue(), "Root=1-5759e988-bd862e3fe1be46a994272793"
    client: Any = queue
    with Sender(client, "url", clock=FakeClock(), trace_header="Root=1-00000000-" + "0" * 24) as sender:
        sender.send([Outgoing(key="k", group="g", body="{}", trace_header=header)])
    (entry,) = queue.accepted
    assert entry["MessageSystemAttributes"]["AWSTraceHeader"]["StringValue"] == header


def test_two_tenants_with_one_employee_id_are_two_messages_in_the_queue(job: Job, clock: FakeClock) -> None:
    with Sender(aws.sqs(), job.queue_url, clock=clock) as sender:
        report = sender.send(
            [Outgoing("key-of-t1-e1", "t1#2026-06", "1"), Outgoing("key-of-t2-e1", "t2#2026-06", "2")]
        )
    assert report.sent == 2
    bodies = {
        message["Body"]
        for message in aws.sqs().receive_message(QueueUrl=job.queue_url, MaxNumberOfMessages=10)["Messages"]
    }
    assert bodies == {"1", "2"}


def outcomes() -> Iterator[str | None]:
    yield from (None, None, None, "InternalError", "silent", "InvalidMessageContents")


@settings(max_examples=60, deadline=None)
@given(
    groups=st.lists(st.integers(0, 5), max_size=60),
    script=st.lists(st.sampled_from(list(outcomes())), min_size=1, max_size=40),
    threads=st.integers(1, 6),
)
def test_whatever_sqs_answers_each_message_has_exactly_one_outcome(
    groups: list[int], script: list[str | None], threads: int
) -> None:
    given_messages = [Outgoing(f"k{n:05}", f"g{group}", "{}") for n, group in enumerate(groups)]

    def verdict(entry: dict[str, Any], offered: int) -> str | None:
        return script[(int(entry["MessageDeduplicationId"][1:]) + 7 * offered) % len(script)]

    queue = Queue(verdict, faults=["InvalidMessageContents"])
    report = send(queue, given_messages, threads=threads)
    failed = [unsent.key for unsent in report.failed]
    assert report.sent == len(queue.keys()) == len(set(queue.keys()))
    assert sorted(queue.keys() + failed) == [message.key for message in given_messages]
    for group in {message.group for message in given_messages}:
        assert queue.keys(group) == sorted(queue.keys(group))
