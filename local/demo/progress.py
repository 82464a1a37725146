"""Show how far the run is: live bars on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

_PLAIN_EVERY = 5.0  # seconds between two lines of the same phase


class Phase:
    """One step of the run: a name, what is done of it, what there is to do."""

    def __init__(self, stage: Stage, name: str, total: int | None) -> None:
        self._stage = stage
        self.name = name
        self.total = total
        self.done = 0
        self._spoke = time.monotonic()
        self._task = stage.bars.add_task(name, total=total) if stage.live else None

    def reach(self, done: int, total: int | None = None) -> None:
        """Set what is done, and TOTAL if it has become known; never goes back."""
        self.done = max(self.done, done)
        self.total = total or self.total
        if self._task is not None:
            self._stage.bars.update(self._task, completed=self.done, total=self.total)
        elif time.monotonic() - self._spoke >= _PLAIN_EVERY:
            self._spoke = time.monotonic()
            self._stage.console.print(
                f"  {self.name}: {self.done:,}{f' of {self.total:,}' if self.total else ''}"
            )

    def advance(self, more: int = 1) -> None:
        """Add to what is done."""
        self.reach(self.done + more)

    def end(self, seconds: float) -> None:
        """Mark the step as finished."""
        if self._task is not None:
            total = self.total or self.done or 1
            self._stage.bars.update(self._task, completed=total, total=total)
        else:
            self._stage.console.print(f"{self.name}: done in {seconds:.1f} s")


class Stage:
    """All steps of a run and how long each took (`seconds` by name)."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.live = console.is_terminal
        self.seconds: dict[str, float] = {}
        self.bars = Progress(
            SpinnerColumn(finished_text="[green]✓"),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
        )

    def __enter__(self) -> Stage:
        if self.live:
            self.bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.live:
            self.bars.stop()

    @contextmanager
    def phase(self, key: str, name: str, total: int | None = None) -> Iterator[Phase]:
        """Run one step: shown as NAME, timed under KEY."""
        started = time.monotonic()
        phase = Phase(self, name, total)
        yield phase
        self.seconds[key] = round(time.monotonic() - started, 2)
        phase.end(self.seconds[key])

    def say(self, text: str) -> None:
        """Print one line above the bars."""
        self.console.print(text)
