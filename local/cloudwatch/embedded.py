"""Metrics embedded in log lines.

Source: Amazon CloudWatch User Guide, "Specification: Embedded metric format".
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from local.cloudwatch.metrics import Metric, Point

_MAXIMUM_VALUES = 100


def points_of(line: str) -> Iterator[tuple[Metric, Point]]:
    """Yield every metric with its points in a log line; nothing for a line that embeds none.

    A metric or dimension that the line announces and does not hold is left out, as CloudWatch does.
    """
    if '"_aws"' not in line or not line.lstrip().startswith("{"):
        return
    try:
        document = json.loads(line)
    except json.JSONDecodeError:
        return  # an ordinary line that happens to look like one
    metadata = document.get("_aws") if isinstance(document, dict) else None
    if isinstance(metadata, dict) and isinstance(metadata.get("Timestamp"), (int, float)):
        for directive in metadata.get("CloudWatchMetrics") or []:
            yield from _directive(document, directive, metadata["Timestamp"] / 1000)


def _directive(
    document: dict[str, Any], directive: dict[str, Any], time: float
) -> Iterator[tuple[Metric, Point]]:
    sets = [names for names in directive.get("Dimensions") or [[]] if all(name in document for name in names)]
    for definition in directive.get("Metrics") or []:
        values = document.get(definition["Name"])
        listed = values if isinstance(values, list) else [values]
        for value in listed[:_MAXIMUM_VALUES]:
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                continue
            point = Point(
                time,
                float(value),
                unit=definition.get("Unit") or "None",
                high_resolution=definition.get("StorageResolution") == 1,
            )
            for names in sets:
                dimensions = {name: str(document[name]) for name in names}
                yield Metric.of(directive["Namespace"], definition["Name"], dimensions), point
