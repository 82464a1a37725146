"""`purge`: takes messages away for good, once they are in an archive, with a reason that the audit shows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from job_runtime.dead_letters import DeadLetter, DeadLetterQueue
from job_runtime.halt import Halts
from job_runtime.write_offs import WriteOff, WriteOffs
from operations.dlq.archive import Archive

_HOLD_SECONDS = 600


@dataclass
class Purged:
    """`kept`: seen and not meant. `undeleted`: archived and written off, but still in the queue."""

    purged: int = 0
    kept: int = 0
    waiting: int = 0
    """Meant, but behind a message of their halted group that is not."""
    undeleted: int = 0


@dataclass
class Purge:
    """One purge. `halts`: None where groups do not halt; in a halted group only a message that none stands
    before is taken, and it then counts as resolved. `tell` is called for each that is purged."""

    queue: DeadLetterQueue
    meant: Callable[[DeadLetter], bool]
    archive: Archive
    write_offs: WriteOffs
    write_off: WriteOff
    halts: Halts | None
    tell: Callable[[DeadLetter], None] = lambda _letter: None
    report: Purged = field(default_factory=Purged, init=False)

    def __call__(self) -> Purged:
        """Purge what can be reached; the rest is visible again at the end.

        Raises botocore's errors, and OSError when the archive cannot be written.
        """
        held: dict[str, None] = {}
        try:
            while letters := self.queue.receive(_HOLD_SECONDS):
                held |= dict.fromkeys(letter.receipt_handle for letter in letters)
                chosen = self._chosen(letters)
                self._take(chosen)
                for letter in chosen:
                    del held[letter.receipt_handle]
        finally:
            self.queue.show_again(held)
        return self.report

    def _chosen(self, letters: Sequence[DeadLetter]) -> list[DeadLetter]:
        chosen = []
        blocked: set[str | None] = set()
        for letter in letters:
            if not self.meant(letter):
                blocked.add(letter.group)
                self.report.kept += 1
            elif self.halts and letter.group in blocked:
                self.report.waiting += 1
            else:
                chosen.append(letter)
        return chosen

    def _take(self, letters: Sequence[DeadLetter]) -> None:
        if not letters:
            return
        self.archive.keep(letters)
        for letter in letters:
            self.write_offs.enter(letter, self.write_off)
            self._settle(letter)
        undeleted = self.queue.delete([letter.receipt_handle for letter in letters])
        self.report.undeleted += undeleted
        self.report.purged += len(letters) - undeleted
        for letter in letters[undeleted:]:
            self.tell(letter)

    def _settle(self, letter: DeadLetter) -> None:
        if self.halts is None or letter.group is None:
            return
        halt = self.halts.read(letter.group)
        if halt and (sequence := halt.sequence_of(letter)) is not None:
            self.halts.settle(letter.group, sequence)
