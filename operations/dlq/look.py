"""A bounded look into a dead-letter queue: every message is visible again at its end, none is deleted.

On a FIFO queue a look reaches the first messages of each group, ten at most, and no further: SQS hands out
nothing behind a message that is hidden (docs/decisions/0010).
"""

from collections.abc import Generator
from typing import Final

from job_runtime.dead_letters import DeadLetter, DeadLetterQueue

HOLD_SECONDS: Final = 120
"""How long a message stays hidden should the process die; a look shows it again by itself."""


def look(queue: DeadLetterQueue, most: int) -> Generator[DeadLetter]:
    """Yield up to `most` messages, each once; show them again when the iterator ends or is closed.

    To be closed by whoever leaves it early. Raises botocore's errors.
    """
    receipts: dict[str, str] = {}
    yielded = 0
    try:
        while yielded < most and (letters := queue.receive(HOLD_SECONDS)):
            # In a look that lasts longer than it holds, the first messages come round again.
            new = [letter for letter in letters if letter.message_id not in receipts]
            receipts |= {letter.message_id: letter.receipt_handle for letter in letters}
            if not new:
                return
            for letter in new[: most - yielded]:
                yielded += 1
                yield letter
    finally:
        queue.show_again(receipts.values())
