"""Sends messages to a queue: full batches, several threads, what SQS refuses offered again or named.

Order. SQS accepts or refuses each entry of a call by itself, so a call carries one message of a group at
most: an entry that is refused then has nothing of its group behind it. The messages of a group go through one
thread, in the order given; calls are filled across groups. When a message is still refused at the end of its
attempts, the later ones of its group are held back and reported with it.
"""

import re
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from heapq import nlargest
from types import TracebackType
from typing import TYPE_CHECKING, Final, NamedTuple, Self, cast

from job_runtime.clock import Clock
from job_runtime.identity import entry_id, is_sqs_id
from job_runtime.observe import trace_attributes
from job_runtime.retry import Retry

if TYPE_CHECKING:
    from typing import Literal

    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import (
        MessageAttributeValueTypeDef,
        MessageSystemAttributeValueTypeDef,
        SendMessageBatchRequestEntryTypeDef,
        SendMessageBatchResultTypeDef,
    )

BATCH_ENTRIES: Final = 10
BATCH_BYTES: Final = 1_048_576
"""Limits of one SendMessageBatch call and, for the bytes, of one message too (SQS API reference)."""

_MOST_ATTRIBUTES: Final = 10
"""Attributes of one message (SQS developer guide, message metadata)."""

# Refusals that AWS blames on the sender and that end once a right, a key or a quota is mended: the message is
# sent then, and nothing of its group must have passed it.
_MENDABLE: Final = re.compile("kms|throttl|accessdenied", re.IGNORECASE)

_HELD_BACK: Final = "not offered: an earlier message of its group was refused"

# A body may hold the characters of XML 1.0; with any other SQS refuses the message (SQS API reference).
_FORBIDDEN: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message to send: `key` is its deduplication id and the name it is reported by, `group` its message
    group.

    `trace_header`: the message's own X-Ray header, in place of the sender's. A standard queue (`fifo` False)
    takes no deduplication id, and a group only to share capacity: it may be empty.
    """

    key: str
    group: str
    body: str
    attributes: "Mapping[str, MessageAttributeValueTypeDef]" = field(default_factory=dict)
    trace_header: str | None = None
    fifo: bool = True

    @property
    def size(self) -> int:
        """Bytes that count towards the limits: UTF-8 of the body and of each attribute's name, type and
        value."""
        texts = [self.body]
        binary = 0
        for name, attribute in self.attributes.items():
            texts += [name, attribute["DataType"], attribute.get("StringValue", "")]
            binary += len(cast("bytes", attribute.get("BinaryValue", b"")))
        return sum(len(text.encode()) for text in texts) + binary

    @property
    def order_scope(self) -> str:
        """What it must stay in order with: its group, or on a standard queue itself alone."""
        return f"group:{self.group}" if self.fifo else f"message:{self.key}"


@dataclass(frozen=True, slots=True)
class Unsent:
    """A message that is not in the queue: its key, and the reason, which never repeats a value of the body.

    `for_now`: SQS may take it later, and what is behind it in its group has to wait for that.
    """

    key: str
    reason: str
    for_now: bool = False


@dataclass(frozen=True, slots=True)
class SendReport:
    """What became of the messages given; `sent + len(failed) + len(skipped)` is their number.

    `failed` were refused by SQS or held back behind one that was; `skipped` were not offered, since SQS would
    have refused them.
    """

    sent: int = 0
    failed: tuple[Unsent, ...] = ()
    skipped: tuple[Unsent, ...] = ()

    def __add__(self, other: "SendReport") -> "SendReport":
        """Both reports as one."""
        return SendReport(
            self.sent + other.sent,
            self.failed + other.failed,
            self.skipped + other.skipped,
        )


class Sender:
    """Sends to one queue, up to `threads` calls at a time. A context manager: it owns its threads.

    A call that fails as a whole is botocore's to retry. What is left after that (access denied, no such
    queue, SQS away) is raised by `send`; some of the messages given may then be in the queue, and sending
    them again is harmless.
    """

    ATTEMPTS: Final = 5
    """How often, in all, an entry is offered that SQS refused without blaming the sender."""

    def __init__(
        self,
        sqs: "SQSClient",
        queue_url: str,
        *,
        clock: Clock,
        threads: int = 4,
        trace_header: str | None = None,
    ) -> None:
        """`clock` passes the pauses between attempts; `trace_header` travels with every message (X-Ray)."""
        self._sqs = sqs
        self._queue_url = queue_url
        self._retry = Retry(clock, attempts=self.ATTEMPTS, base_seconds=0.1)
        self._threads = threads
        self._trace_header = trace_header
        self._pool = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="sender")

    def __enter__(self) -> Self:
        """The sender itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wait for the calls on their way and end the threads."""
        self._pool.shutdown()

    def send(self, messages: Sequence[Outgoing]) -> SendReport:
        """Send `messages`, in the order given inside each group; return when each has its outcome.

        Raises botocore's error when a whole call failed, after the other threads have come to their end.
        """
        objections = [_objection(message) for message in messages]
        pairs = list(zip(messages, objections, strict=True))
        fit = [message for message, objection in pairs if objection is None]
        lanes = [self._pool.submit(self._send_lane, lane) for lane in _lanes(fit, self._threads)]
        wait(lanes)
        skipped = tuple(Unsent(message.key, objection) for message, objection in pairs if objection)
        return sum((lane.result() for lane in lanes), start=SendReport(skipped=skipped))

    def _send_lane(self, groups: "Sequence[deque[Outgoing]]") -> SendReport:
        report, waiting = SendReport(), list(groups)
        while waiting:
            chosen = _choose(waiting)
            delivery = self._deliver([group[0] for group in chosen])
            report += delivery.report
            for group in chosen:
                if group.popleft() in delivery.pending:
                    report += SendReport(
                        failed=tuple(Unsent(later.key, _HELD_BACK, for_now=True) for later in group)
                    )
                    group.clear()
            waiting = [group for group in waiting if group]
        return report

    def _deliver(self, batch: Sequence[Outgoing]) -> "_Delivery":
        delivery = _Delivery(batch)

        def offer() -> None:
            entries = self._entries(delivery.pending)
            delivery.record(self._sqs.send_message_batch(QueueUrl=self._queue_url, Entries=entries))

        try:
            self._retry(offer, when=lambda error: isinstance(error, _RefusedError))
        except _RefusedError as refused:
            delivery.give_up(refused.reasons)
        return delivery

    def _entries(self, batch: Sequence[Outgoing]) -> "list[SendMessageBatchRequestEntryTypeDef]":
        entries: list[SendMessageBatchRequestEntryTypeDef] = []
        for index, message in enumerate(batch):
            entry: SendMessageBatchRequestEntryTypeDef = {
                "Id": entry_id(index),
                "MessageBody": message.body,
            }
            if message.group:
                entry["MessageGroupId"] = message.group
            if message.fifo:
                entry["MessageDeduplicationId"] = message.key
            if message.attributes:
                entry["MessageAttributes"] = message.attributes
            trace = trace_attributes(message.trace_header or self._trace_header)
            if trace:
                entry["MessageSystemAttributes"] = cast(
                    "Mapping[Literal['AWSTraceHeader'], MessageSystemAttributeValueTypeDef]", trace
                )
            entries.append(entry)
        return entries


class _Refusal(NamedTuple):
    reason: str
    for_good: bool


class _RefusedError(Exception):
    """SQS refused entries that it may take later; `reasons` has one for each pending message."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__(f"{len(reasons)} entries refused")
        self.reasons = reasons


class _Delivery:
    """One batch on its way: what is still `pending`, at its end what SQS did not take, and the report so
    far."""

    def __init__(self, batch: Sequence[Outgoing]) -> None:
        self.pending = list(batch)
        self.report = SendReport()

    def record(self, answer: "SendMessageBatchResultTypeDef") -> None:
        """Take over the outcome of one call; raise _RefusedError when some of the batch is still pending."""
        refusals = _refusals(answer, len(self.pending))
        failed = tuple(
            Unsent(self.pending[index].key, refusal.reason)
            for index, refusal in refusals.items()
            if refusal.for_good
        )
        self.report += SendReport(sent=len(self.pending) - len(refusals), failed=failed)
        again = {index: refusal.reason for index, refusal in refusals.items() if not refusal.for_good}
        self.pending = [self.pending[index] for index in again]
        if again:
            raise _RefusedError(list(again.values()))

    def give_up(self, reasons: Sequence[str]) -> None:
        """Count what is pending as failed, for these reasons."""
        pending = zip(self.pending, reasons, strict=True)
        self.report += SendReport(
            failed=tuple(Unsent(message.key, reason, for_now=True) for message, reason in pending)
        )


def _refusals(answer: "SendMessageBatchResultTypeDef", size: int) -> dict[int, _Refusal]:
    """The entries of a call that are not known to be in the queue, by their place, in order.

    One that the answer does not name counts as refused: a message is sent when SQS says so, not otherwise.
    """
    named = {
        entry["Id"]: _Refusal(
            f"SQS: {entry['Code']}", entry["SenderFault"] and not _MENDABLE.search(entry["Code"])
        )
        for entry in answer.get("Failed", ())
    }
    accepted = {entry["Id"] for entry in answer.get("Successful", ())}
    silent = _Refusal("SQS: no outcome was given for the entry", for_good=False)
    return {
        index: named.get(entry_id(index), silent) for index in range(size) if entry_id(index) not in accepted
    }


def _objection(message: Outgoing) -> str | None:
    """Why SQS would refuse `message`, and with it perhaps the whole call; None when it would not."""
    if not is_sqs_id(message.key) or not (is_sqs_id(message.group) or _needs_no_group(message)):
        return "key and group: must be 1 to 128 ASCII letters, digits and punctuation"
    if not message.body:
        return "body: must not be empty"
    if _FORBIDDEN.search(message.body):
        return "body: must not hold control characters, surrogates, U+FFFE or U+FFFF; SQS refuses them"
    if len(message.attributes) > _MOST_ATTRIBUTES:
        return f"attributes: must be at most {_MOST_ATTRIBUTES}, those of this project included"
    if message.size > BATCH_BYTES:
        return f"body and attributes: must be at most {BATCH_BYTES} bytes; send the payload by reference"
    return None


def _needs_no_group(message: Outgoing) -> bool:
    return not message.fifo and not message.group


def _lanes(messages: Sequence[Outgoing], most: int) -> "list[list[deque[Outgoing]]]":
    """The groups of `messages`, spread over at most `most` lanes of about equal length.

    A call takes a message of each of ten groups, so there are as many lanes as ten groups each can fill.
    """
    groups: dict[str, deque[Outgoing]] = {}
    for message in messages:
        groups.setdefault(message.order_scope, deque()).append(message)
    lanes: list[list[deque[Outgoing]]] = [[] for _ in range(min(most, -(-len(groups) // BATCH_ENTRIES)))]
    for group in sorted(groups.values(), key=len, reverse=True):
        min(lanes, key=lambda lane: sum(map(len, lane))).append(group)
    return lanes


def _choose(groups: "Sequence[deque[Outgoing]]") -> "list[deque[Outgoing]]":
    """The groups whose first messages make up one call, within its limits of entries and bytes.

    The longest groups come first, so that the calls at the end are not left to one group.
    """
    chosen: list[deque[Outgoing]] = []
    size = 0
    for group in nlargest(BATCH_ENTRIES, groups, key=len):
        if not chosen or size + group[0].size <= BATCH_BYTES:
            chosen.append(group)
            size += group[0].size
    return chosen
