"""Sends what an audit finds missing, with the keys the dispatcher gave it."""

from job_runtime.directory import Row
from job_runtime.outbox import NotTakenError, Outbox
from job_runtime.runs import Counts


class Redispatch:
    """Collects rows and sends them a batch of calls at a time; `counts` says what became of them.

    Once SQS has not taken a message, nothing later is sent, so that no group gets out of order; it counts as
    failed.

    The consumer makes a message that was only late harmless. SQS drops one that it took less than five
    minutes ago.
    """

    def __init__(self, outbox: Outbox, *, period: str, scheduled_time: str, at_once: int) -> None:
        """`at_once`: how many rows are held before they are sent."""
        self._outbox = outbox
        self._period = period
        self._scheduled_time = scheduled_time
        self._at_once = at_once
        self._rows: list[Row] = []
        self.counts = Counts()

    def add(self, row: Row) -> None:
        """Send `row`, now or with later ones."""
        self._rows.append(row)
        if len(self._rows) == self._at_once:
            self.flush()

    def flush(self) -> None:
        """Send what was collected."""
        rows, self._rows = self._rows, []
        if self.counts.failed:
            self.counts += Counts(failed=len(rows))
            return
        try:
            self.counts += self._outbox.send(rows, self._period, self._scheduled_time)
        except NotTakenError as error:
            self.counts += error.counts
