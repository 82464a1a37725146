"""SQS in memory, as strict as the service where the jobs depend on it, and copyable: for tests that try every
interleaving, and that need what moto does not do."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.support.clock import FakeClock

DEDUPLICATED_SECONDS = 300


@dataclass
class Stored:
    """One message of a queue."""

    message_id: str
    body: str
    group: str | None
    sequence: str | None
    sent_ms: int
    attributes: dict[str, Any]
    system: dict[str, str]
    visible_at: float = 0.0
    receives: int = 0
    receipt: str | None = None


@dataclass
class Queue:
    """One queue. `messages`: oldest first; `recent`: deduplication ids with the time they count until.

    `redrive`: the name of its dead-letter queue, and how often a message is received before it goes there.
    """

    name: str
    redrive: tuple[str, int] | None = None
    messages: list[Stored] = field(default_factory=list)
    recent: dict[str, tuple[float, str]] = field(default_factory=dict)

    @property
    def fifo(self) -> bool:
        return self.name.endswith(".fifo")

    def bodies(self, group: str | None = None) -> list[str]:
        return [message.body for message in self.messages if group in {None, message.group}]


class Sqs:
    """A client. `refusing`: bodies whose batch entries are refused, with how often."""

    def __init__(self, clock: FakeClock, *names: str) -> None:
        self.clock = clock
        self.queues = {f"https://sqs/1/{name}": Queue(name) for name in names}
        self.refusing: dict[str, int] = {}
        self.calls: list[str] = []
        self._numbers = itertools.count(1)

    def named(self, name: str) -> Queue:
        return self.queues[f"https://sqs/1/{name}"]

    def send_message(self, *, QueueUrl: str, **entry: Any) -> dict[str, Any]:  # noqa: N803 - boto3's names
        self.calls.append("send_message")
        return self._send(self.queues[QueueUrl], entry)

    def send_message_batch(self, *, QueueUrl: str, Entries: list[Mapping[str, Any]]) -> dict[str, Any]:  # noqa: N803
        self.calls.append("send_message_batch")
        assert 0 < len(Entries) <= 10
        answer: dict[str, Any] = {"Successful": [], "Failed": []}
        for entry in Entries:
            if self.refusing.get(entry["MessageBody"], 0) > 0:
                self.refusing[entry["MessageBody"]] -= 1
                answer["Failed"].append({"Id": entry["Id"], "Code": "InternalError", "SenderFault": False})
                continue
            sent = self._send(self.queues[QueueUrl], entry)
            answer["Successful"].append({"Id": entry["Id"], **sent})
        return answer

    def _send(self, queue: Queue, entry: Mapping[str, Any]) -> dict[str, Any]:
        now = self.clock.monotonic()
        deduplication = entry.get("MessageDeduplicationId")
        assert (deduplication is not None) == queue.fifo
        assert len(entry.get("MessageAttributes", {})) <= 10
        if deduplication is not None:
            until, known = queue.recent.get(deduplication, (0.0, ""))
            if until > now:
                return {"MessageId": known}
        number = next(self._numbers)
        message = Stored(
            message_id=f"id-{number:06}",
            body=entry["MessageBody"],
            group=entry.get("MessageGroupId"),
            sequence=f"{number:020}" if queue.fifo else None,
            sent_ms=int(self.clock.now().timestamp() * 1000),
            attributes=dict(entry.get("MessageAttributes", {})),
            system={
                name: value["StringValue"] for name, value in entry.get("MessageSystemAttributes", {}).items()
            },
        )
        queue.messages.append(message)
        if deduplication is not None:
            queue.recent[deduplication] = (now + DEDUPLICATED_SECONDS, message.message_id)
        return {"MessageId": message.message_id}

    def receive_message(
        self,
        *,
        QueueUrl: str,  # noqa: N803
        VisibilityTimeout: int = 30,  # noqa: N803
        MaxNumberOfMessages: int = 1,  # noqa: N803
        **_: Any,
    ) -> dict[str, Any]:
        self.calls.append("receive_message")
        queue, now = self.queues[QueueUrl], self.clock.monotonic()
        self._move_exhausted(queue, now)
        blocked = {m.group for m in queue.messages if queue.fifo and m.visible_at > now}
        free = [m for m in queue.messages if m.visible_at <= now and m.group not in blocked - {None}]
        taken = free[:MaxNumberOfMessages]
        for message in taken:
            message.visible_at = now + VisibilityTimeout
            message.receives += 1
            message.receipt = f"{message.message_id}/{message.receives}"
        return {"Messages": [_received(message) for message in taken]} if taken else {}

    def _move_exhausted(self, queue: Queue, now: float) -> None:
        """SQS moves a message instead of delivering it once more; it keeps its id and gets a new number."""
        if queue.redrive is None:
            return
        name, most = queue.redrive
        for message in [m for m in queue.messages if m.visible_at <= now and m.receives >= most]:
            queue.messages.remove(message)
            number = next(self._numbers)
            message.sequence = f"{number:020}" if queue.fifo else None
            message.receives, message.receipt = 0, None
            self.named(name).messages.append(message)

    def delete_message_batch(self, *, QueueUrl: str, Entries: list[Mapping[str, str]]) -> dict[str, Any]:  # noqa: N803
        self.calls.append("delete_message_batch")
        return self._each(QueueUrl, Entries, lambda queue, message, _entry: queue.messages.remove(message))

    def change_message_visibility_batch(
        self,
        *,
        QueueUrl: str,  # noqa: N803
        Entries: list[Mapping[str, Any]],  # noqa: N803
    ) -> dict[str, Any]:
        self.calls.append("change_message_visibility_batch")

        def show(_queue: Queue, message: Stored, entry: Mapping[str, Any]) -> None:
            message.visible_at = self.clock.monotonic() + entry["VisibilityTimeout"]

        return self._each(QueueUrl, Entries, show)

    def _each(self, url: str, entries: list[Mapping[str, Any]], act: Any) -> dict[str, Any]:
        queue, now = self.queues[url], self.clock.monotonic()
        answer: dict[str, Any] = {"Successful": [], "Failed": []}
        for entry in entries:
            receipt = entry["ReceiptHandle"]
            found = [m for m in queue.messages if m.receipt == receipt and m.visible_at > now]
            for message in found:
                act(queue, message, entry)
            answer["Successful" if found else "Failed"].append({"Id": entry["Id"], "SenderFault": True})
        return answer

    def get_queue_attributes(self, *, QueueUrl: str, **_: Any) -> dict[str, Any]:  # noqa: N803
        messages, now = self.queues[QueueUrl].messages, self.clock.monotonic()
        hidden = sum(message.visible_at > now for message in messages)
        return {
            "Attributes": {
                "ApproximateNumberOfMessages": str(len(messages) - hidden),
                "ApproximateNumberOfMessagesNotVisible": str(hidden),
                "ApproximateNumberOfMessagesDelayed": "0",
            }
        }


def _received(message: Stored) -> dict[str, Any]:
    ordered = {"SequenceNumber": message.sequence} if message.sequence else {}
    grouped = {"MessageGroupId": message.group} if message.group else {}
    return {
        "MessageId": message.message_id,
        "ReceiptHandle": message.receipt,
        "Body": message.body,
        "Attributes": {
            "SentTimestamp": str(message.sent_ms),
            "ApproximateReceiveCount": str(message.receives),
            **ordered,
            **grouped,
            **message.system,
        },
        "MessageAttributes": message.attributes,
    }
