"""What holds for every test."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the long ones, so that two workers end at about the same time."""
    items.sort(key=lambda item: item.get_closest_marker("end_to_end") is None)
