"""AWS/SQS: what queues report.

Source: Amazon SQS Developer Guide, "Available CloudWatch metrics for Amazon SQS". A move to a dead-letter
queue is not counted as sent. A queue reports for six hours after it was last used, or while it holds
messages. What a mapping polls in vain is not counted: MiniStack's poller is woken up, it does not ask.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from ministack.core.responses import request_scope
from ministack.services import sqs

from local.emulator.server.monitoring import clock
from local.emulator.server.monitoring.runner import gauges
from local.emulator.server.monitoring.state import count, here
from local.emulator.server.replacing import replace

_ACTIVE_SECONDS = 6 * 3600.0
# Looking through a long queue takes time: never more than this share of it.
_SHARE = 0.02
_used: dict[str, float] = {}
_due: dict[str, float] = {}
"""Both by the queue's ARN."""


def _arn(queue: dict[str, Any]) -> str:
    return str(queue["attributes"]["QueueArn"])


def counted(queue: dict[str, Any], name: str, value: float = 1.0, unit: str = "Count") -> None:
    """Add to a metric of a queue: in its own account and region, whoever uses it."""
    _, _, _, region, account, _ = _arn(queue).split(":")
    with request_scope(account, region):
        count("AWS/SQS", name, {"QueueName": queue["name"]}, value, unit)


def sent(queue: dict[str, Any], body: str, attributes: dict[str, Any] | None = None) -> None:
    """Count a message that was added to a queue; its size is that of body and attributes."""
    size = len(body.encode())
    for name, value in (attributes or {}).items():
        size += len(name.encode()) + sum(len(str(part).encode()) for part in value.values())
    counted(queue, "NumberOfMessagesSent")
    counted(queue, "SentMessageSize", size, "Bytes")
    _used[_arn(queue)] = clock.now()


def _sending(send: Any) -> Any:
    @wraps(send)
    def send_message(data: dict[str, Any], url: str) -> Any:
        with sqs._queues_lock:
            queue = sqs._get_q(data.get("QueueUrl", url))
            before = len(queue["messages"])
            answer = send(data, url)
            if len(queue["messages"]) > before:
                sent(queue, data.get("MessageBody", ""), data.get("MessageAttributes"))
            else:
                counted(queue, "NumberOfDeduplicatedSentMessages")
            return answer

    return send_message


def _collecting(collect: Any) -> Any:
    @wraps(collect)
    def collect_messages(queue: dict[str, Any], *rest: Any) -> Any:
        found = collect(queue, *rest)
        if found:
            counted(queue, "NumberOfMessagesReceived", len(found))
        return found

    return collect_messages


def _receiving(receive: Any) -> Any:
    @wraps(receive)
    async def receive_message(data: dict[str, Any], url: str) -> Any:
        answer = await receive(data, url)
        if not answer.get("Messages"):
            counted(sqs._get_q(data.get("QueueUrl", url)), "NumberOfEmptyReceives")
        return answer

    return receive_message


def _deleting(delete: Any) -> Any:
    @wraps(delete)
    def delete_message(data: dict[str, Any], url: str) -> Any:
        with sqs._queues_lock:
            queue = sqs._get_q(data.get("QueueUrl", url))
            before = len(queue["messages"])
            answer = delete(data, url)
            if gone := before - len(queue["messages"]):
                counted(queue, "NumberOfMessagesDeleted", gone)
            return answer

    return delete_message


def _deleting_for_mapping(delete: Callable[[str, set[str]], None]) -> Callable[[str, set[str]], None]:
    @wraps(delete)
    def delete_messages(url: str, handles: set[str]) -> None:
        with sqs._queues_lock:
            queue = sqs._get_q(url)
            before = len(queue["messages"])
            delete(url, handles)
            if gone := before - len(queue["messages"]):
                counted(queue, "NumberOfMessagesDeleted", gone)

    return delete_messages


def _noticing(get: Any) -> Any:
    @wraps(get)
    def get_queue(*arguments: Any) -> Any:
        queue = get(*arguments)
        _used[_arn(queue)] = clock.now()
        return queue

    return get_queue


def _creating(create: Any) -> Any:
    @wraps(create)
    def create_queue(data: dict[str, Any], url: str) -> Any:
        answer = create(data, url)
        here()  # from now on its levels are asked for
        sqs._get_q(answer["QueueUrl"])
        return answer

    return create_queue


def _gauge(force: bool) -> None:
    """Publish each active queue's levels, here; if not FORCE, only as often as its length allows."""
    now, real = clock.now(), time.time()
    for queue in sqs._queues.values():
        name = _arn(queue)
        if now - _used.get(name, 0.0) > _ACTIVE_SECONDS and not queue["messages"]:
            continue
        if real < _due.get(name, 0.0) and not force:
            continue
        started = time.perf_counter()
        _publish(queue, now, real)
        _due[name] = real + (time.perf_counter() - started) / _SHARE


def _publish(queue: dict[str, Any], now: float, real: float) -> None:
    visible = delayed = hidden = 0
    oldest = now
    with sqs._queues_lock:
        sqs._expire_retained(queue)
        for message in queue["messages"]:
            if message["visible_at"] <= real:
                visible += 1
            elif message["receive_count"] == 0:
                delayed += 1
            else:
                hidden += 1
            oldest = min(oldest, message.get("enqueued_at", message["sent_at"]))
    age = now - clock.at(oldest) if visible or hidden or delayed else 0.0
    counted(queue, "ApproximateNumberOfMessagesVisible", visible)
    counted(queue, "ApproximateNumberOfMessagesNotVisible", hidden)
    counted(queue, "ApproximateNumberOfMessagesDelayed", delayed)
    counted(queue, "ApproximateAgeOfOldestMessage", int(age), "Seconds")


def install() -> None:
    """Count what the queue service does; before anything that makes faults, which are not its doing."""
    replace(sqs, "_get_q", _noticing)
    replace(sqs, "_act_send_message", _sending)
    sqs._HANDLERS["SendMessage"] = sqs._act_send_message
    replace(sqs, "_collect_msgs", _collecting)
    sqs._HANDLERS["ReceiveMessage"] = _receiving(sqs._HANDLERS["ReceiveMessage"])
    sqs._HANDLERS["CreateQueue"] = _creating(sqs._HANDLERS["CreateQueue"])
    for action in ("DeleteMessage", "DeleteMessageBatch"):
        sqs._HANDLERS[action] = _deleting(sqs._HANDLERS[action])
    replace(sqs, "_delete_messages_for_esm", _deleting_for_mapping)
    gauges.append(_gauge)
