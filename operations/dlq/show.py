"""`show`: one message, why it is here, and what the job table knows of its key."""

from contextlib import closing
from typing import Any

from job_runtime.clock import timestamp
from job_runtime.dead_letters import DeadLetter, DeadLetterQueue
from operations.dlq.look import look
from operations.outcome import RefusedError

_PERSONAL = ("tenant_id", "employee_id")
_MOST = 100_000


def find(queue: DeadLetterQueue, name: str) -> DeadLetter:
    """The message by its id here, its id in the queue it failed in, or its idempotency key.

    Raises RefusedError when it is not among those that can be seen, botocore's errors.
    """
    with closing(look(queue, _MOST)) as letters:
        for letter in letters:
            if name in {letter.message_id, letter.source_message_id, letter.key}:
                return letter
    raise RefusedError(
        f"{name}: not among the messages that can be seen (of a FIFO group the first ten); "
        "write a message id or an idempotency key as the log has it"
    )


def describe(letter: DeadLetter, ledger: dict[str, Any], *, personal: bool) -> dict[str, Any]:
    """Everything about the message; who it is about, and the body, only when `personal`."""
    found: dict[str, Any] = {
        "message_id": letter.message_id,
        "source_message_id": letter.source_message_id,
        "idempotency_key": letter.key,
        "failure_class": letter.failure_class,
        "exception": letter.exception or None,
        "summary": letter.reason.get("summary"),
        "attempts": letter.reason.get("attempts"),
        "receives": letter.receive_count,
        "redrives": letter.trip.redrives,
        "dead_since": timestamp(letter.dead_since),
        "job": letter.field("job"),
        "period": letter.field("period"),
        "run_id": letter.field("run_id"),
        "bytes": len(letter.body.encode()),
        "ledger": ledger,
    }
    if personal:
        found |= {name: letter.field(name) for name in _PERSONAL}
        found |= {"group": letter.group, "body": letter.body}
    return found
