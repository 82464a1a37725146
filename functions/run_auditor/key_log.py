"""Keys in the log: hashes, so no personal data; many a line; and not without end."""

from typing import Final

from aws_lambda_powertools.logging import Logger

KEYS_A_LINE: Final = 100
LINES: Final = 100


class KeyLog:
    """Collects the keys of one kind and writes them a hundred a line, ten thousand at most."""

    def __init__(self, logger: Logger, text: str, run_id: str) -> None:
        """`text` is what the lines say of their keys."""
        self._logger = logger
        self._text = text
        self._run_id = run_id
        self._keys: list[str] = []
        self.count = 0
        """How many keys were added, written or not."""

    def add(self, key: str) -> None:
        """Take a key; write a line when one is full."""
        self.count += 1
        if self.count <= KEYS_A_LINE * LINES:
            self._keys.append(key)
        if len(self._keys) == KEYS_A_LINE:
            self._write()

    def close(self) -> None:
        """Write what is left, and how many keys were too many to write."""
        if self._keys:
            self._write()
        if self.count > KEYS_A_LINE * LINES:
            self._logger.error(
                f"{self._text}: more than are listed",
                extra={"run_id": self._run_id, "not_listed": self.count - KEYS_A_LINE * LINES},
            )

    def _write(self) -> None:
        self._logger.error(self._text, extra={"run_id": self._run_id, "idempotency_keys": self._keys})
        self._keys = []
