"""The last line of a run says how many verdicts were equal, and which are exceptions."""

from __future__ import annotations

from collections import defaultdict

import pytest

from tests.local.probes.table import PROBES

_passed: set[str] = set()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remember which probes had the verdict that they should have."""
    if report.when == "call" and report.passed and "test_a_verdict[" in report.nodeid:
        _passed.add(report.nodeid)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Print the line, when the whole table was run."""
    if not _passed:
        return
    reasons: dict[str, int] = defaultdict(int)
    for probe in PROBES:
        if probe.now is not None:
            reasons[probe.because] += 1
    exceptions = "; ".join(f"{count}: {reason}" for reason, count in sorted(reasons.items()))
    config.get_terminal_writer().line(
        f"{len(PROBES)} probes: {len(_passed)} verdicts equal; "
        f"{sum(reasons.values())} exceptions to 5.46: {exceptions}"
    )
