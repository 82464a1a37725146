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

    Raises botocore's errors.
    """
    receipts: list[str] = []
    try:
        while len(receipts) < most and (letters := queue.receive(HOLD_SECONDS)):
            receipts += [letter.receipt_handle for letter in letters]
            yield from letters[: most - len(receipts) + len(letters)]
    finally:
        queue.show_again(receipts)
