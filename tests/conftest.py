"""What holds for every test."""

from __future__ import annotations

import signal

import pytest


def pytest_configure() -> None:
    """Take SIGINT, where it was ignored: processes that tests start would ignore it as well.

    A shell starts a background job like that.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the long ones, so that two workers end at about the same time."""
    items.sort(key=lambda item: item.get_closest_marker("end_to_end") is None)
