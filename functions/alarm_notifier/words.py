"""How an alarm is called: by its label, or by what it says of its service."""

from typing import Final

_CONDITIONS: Final = frozenset({"broken", "slow"})
"""Labels of the composites of alarm-pack, which say what a service is."""


def is_condition(label: str) -> bool:
    """Whether the label says what its service is."""
    return label in _CONDITIONS


def raised(service: str, label: str, reading: str) -> str:
    """That an alarm is on. `reading`: value against threshold, may be empty."""
    if is_condition(label):
        return f"{service} is {label}"
    return f"raised: {label}" + (f" ({reading})" if reading else "")


def over(service: str, label: str) -> str:
    """That an alarm is on no more."""
    return f"{service} is no longer {label}" if is_condition(label) else f"over: {label}"


def listed(names: list[str], at_most: int = 3) -> str:
    """Some names in a row, and how many more there are."""
    more = len(names) - at_most
    return ", ".join(names[:at_most]) + (f" and {more} more" if more > 0 else "")
