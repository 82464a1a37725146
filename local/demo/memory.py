"""Peak memory of the project's own processes: the demo and the functions, not the emulator."""

from __future__ import annotations

import psutil

_MIB = 1024 * 1024


class Memory:
    """The highest resident size seen of each kind of process, in MiB."""

    def __init__(self) -> None:
        self.peak: dict[str, int] = {}
        self._self = psutil.Process()

    def sample(self, functions: list[dict[str, object]]) -> None:
        """Look at this process and at each function process (`Emulator.state()["processes"]`)."""
        self._note("demo", self._self)
        for process in functions:
            try:
                self._note(str(process["function"]), psutil.Process(int(str(process["pid"]))))
            except psutil.NoSuchProcess:
                continue  # it ended since it was listed

    def _note(self, name: str, process: psutil.Process) -> None:
        self.peak[name] = max(self.peak.get(name, 0), round(process.memory_info().rss / _MIB))
