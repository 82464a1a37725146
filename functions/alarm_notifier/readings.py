"""The value of an alarm's metric against its threshold, in words."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

_SIGNS: Final = {
    "GreaterThanOrEqualToThreshold": "≥",
    "GreaterThanThreshold": ">",
    "LessThanThreshold": "<",
    "LessThanOrEqualToThreshold": "≤",
}
# "Threshold Crossed: 2 out of the last 2 datapoints [5.0 (30/11/26 18:00:00), 4.0 (…)] were …", newest first.
_DATAPOINTS: Final = re.compile(r"\[(?P<value>-?\d+(?:\.\d+)?(?:[Ee][+-]?\d+)?) \(")


def from_message(message: Mapping[str, Any]) -> str:
    """The reading that a metric alarm's notification holds, such as `5 ≥ 1`; empty when it holds none."""
    trigger = message.get("Trigger")
    if not isinstance(trigger, Mapping):
        return ""
    found = _DATAPOINTS.search(str(message.get("NewStateReason", "")))
    value = float(found["value"]) if found else _newest(message.get("NewStateReasonData"))
    return _words(value, trigger.get("ComparisonOperator"), trigger.get("Threshold"))


def from_description(alarm: Mapping[str, Any]) -> str:
    """The same of a metric alarm as DescribeAlarms tells it; empty for a composite."""
    value = _newest(alarm.get("StateReasonData"))
    if value is None and (found := _DATAPOINTS.search(str(alarm.get("StateReason", "")))):
        value = float(found["value"])
    return _words(value, alarm.get("ComparisonOperator"), alarm.get("Threshold"))


def _newest(reason_data: Any) -> float | None:
    """The newest datapoint of a state's reason data, which is JSON text."""
    try:
        points = json.loads(reason_data)["recentDatapoints"]
        return next((float(point) for point in reversed(points) if point is not None), None)
    except (TypeError, ValueError, KeyError):
        return None  # the reason data is for people first; a reading without a value says so


def _words(value: float | None, operator: Any, threshold: Any) -> str:
    if not isinstance(threshold, int | float) or isinstance(threshold, bool):
        return ""
    sign = _SIGNS.get(str(operator), "against")
    return (
        f"{_number(value)} {sign} {_number(threshold)}"
        if value is not None
        else f"no value {sign} {_number(threshold)}"
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"
