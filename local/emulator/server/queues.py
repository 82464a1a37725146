"""SQS: what MiniStack leaves out of queues.

- Its event loop and its mapping thread change a queue's list without a common lock, which can lose a message.
- A FIFO dead-letter copy keeps its deduplication id; AWS replaces it by the message id.
- Each message sent rebuilds the list of deduplication ids, which makes a fan-out take quadratic time.
- Ids outside SQS's alphabet or longer than 128 characters are accepted; AWS refuses them.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from ministack.services import sqs

from local.emulator.server.replacing import replace

# Letters, digits and punctuation of ASCII, at most 128 (SendMessage, API reference).
_ID = re.compile(r"[!-~]{1,128}")


def _under_lock(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def locked(*args: Any) -> Any:
        with sqs._queues_lock:
            return function(*args)

    return locked


def _with_fresh_deduplication_ids(
    sweep: Callable[[dict[str, Any]], None],
) -> Callable[[dict[str, Any]], None]:
    @wraps(sweep)
    def swept(queue: dict[str, Any]) -> None:
        policy = json.loads(queue["attributes"].get("RedrivePolicy") or "{}")
        target = sqs._queue_by_arn(policy["deadLetterTargetArn"]) if policy else None
        before = len(target["messages"]) if target else 0
        sweep(queue)
        if target and target.get("is_fifo"):
            for message in target["messages"][before:]:
                message["dedup_id"] = message["id"]

    return swept


def _refusing_bad_ids(send: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(send)
    def checked(data: dict[str, Any], url: str) -> Any:
        for name in ("MessageGroupId", "MessageDeduplicationId"):
            value = data.get(name)
            if value and not _ID.fullmatch(value):
                raise sqs._Err(
                    "InvalidParameterValue",
                    f"Value for parameter {name} is invalid. Reason: {name} can only include alphanumeric "
                    "and punctuation characters. 1 to 128 in length.",
                )
        return send(data, url)

    return checked


def _forget_expired(queue: dict[str, Any]) -> None:
    """Drop the deduplication ids whose five minutes are over; the oldest come first."""
    remembered, now = queue["dedup_cache"], time.time()
    while remembered and remembered[oldest := next(iter(remembered))]["expire"] <= now:
        del remembered[oldest]


def peek(name: str) -> list[dict[str, Any]]:
    """Return what queue NAME holds, oldest first, without receiving it: counts and locks stay as they are.

    Raises LookupError if there is no such queue.
    """
    with sqs._queues_lock:
        found = [queue for queue in sqs._queues._data.values() if queue["name"] == name]
        if not found:
            raise LookupError(f"no queue {name}")
        return [
            {
                "group": message["group_id"],
                "sequence_number": message["seq"],
                "receive_count": message["receive_count"],
                "sent_at": message["sent_at"],
                "body": message["body"],
                "attributes": {
                    key: value.get("StringValue") for key, value in message["message_attributes"].items()
                },
            }
            for message in found[0]["messages"]
        ]


def install() -> None:
    """Patch the queue service in this process."""
    replace(sqs, "_queues_lock", lambda _: threading.RLock())
    replace(sqs, "_act_send_message", _refusing_bad_ids)
    sqs._HANDLERS["SendMessage"] = sqs._act_send_message
    for action, handler in sqs._HANDLERS.items():
        if action != "ReceiveMessage":  # a coroutine that waits: its two steps are locked below
            sqs._HANDLERS[action] = _under_lock(handler)
    replace(sqs, "_prune_dedup", lambda _: _forget_expired)
    replace(sqs, "_dlq_sweep", lambda sweep: _under_lock(_with_fresh_deduplication_ids(sweep)))
    replace(sqs, "_collect_msgs", _under_lock)
