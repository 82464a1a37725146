"""What a function printed: its log lines, and its metrics as CloudWatch would read them."""

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Output:
    """`lines`: the log; `metrics`: sums by name; `dimensions`: every set of dimensions that was published."""

    text: str
    lines: list[dict[str, Any]] = field(default_factory=list)
    metrics: Counter[str] = field(default_factory=Counter)
    dimensions: set[tuple[tuple[str, str], ...]] = field(default_factory=set)
    namespaces: set[str] = field(default_factory=set)

    @classmethod
    def read(cls, text: str) -> "Output":
        output = cls(text)
        for line in text.splitlines():
            record = json.loads(line)
            if "_aws" not in record:
                output.lines.append(record)
                continue
            for directive in record["_aws"]["CloudWatchMetrics"]:
                output.namespaces.add(directive["Namespace"])
                for names in directive["Dimensions"]:
                    output.dimensions.add(tuple((name, record[name]) for name in sorted(names)))
                for metric in directive["Metrics"]:
                    output.metrics[metric["Name"]] += int(sum(record[metric["Name"]]))
        return output

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The one line of each message."""
        return [line for line in self.lines if line["message"] == "message"]
