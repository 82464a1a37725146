"""A dashboard's body, as CloudWatch documents it ("Dashboard body structure and syntax"), as data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

COLUMNS: Final = 24
"""The width of CloudWatch's grid."""


class DefinitionError(Exception):
    """The body uses something that cannot be drawn; the text names the widget and what to write."""


@dataclass(frozen=True)
class Series:
    """One line of a metric widget. `query`: as GetMetricData takes it."""

    id: str
    label: str
    colour: str | None
    visible: bool
    query: Mapping[str, Any]


@dataclass(frozen=True)
class Widget:
    """A rectangle of the grid, in grid units, with the properties of its type."""

    kind: str
    x: int
    y: int
    width: int
    height: int
    properties: Mapping[str, Any]

    @property
    def title(self) -> str:
        """What stands above it."""
        return str(self.properties.get("title", ""))

    def series(self) -> list[Series]:
        """The series of a metric widget, in order. Raises DefinitionError for a form that is not known."""
        found: list[Series] = []
        before: Sequence[Any] = ()
        for number, entry in enumerate(self.properties.get("metrics", ())):
            options: Mapping[str, Any] = entry[-1] if isinstance(entry[-1], Mapping) else {}
            words = _repeated(entry[: len(entry) - bool(options)], before)
            before = words or before
            found.append(self._series(number, words, options))
        return found

    def _series(self, number: int, words: Sequence[str], options: Mapping[str, Any]) -> Series:
        name = str(options.get("id", f"series{number}"))
        if not words and "expression" not in options:
            raise DefinitionError(f"{self.title}: metrics[{number}] is neither a metric nor an expression")
        query: dict[str, Any] = {"Id": name, "Label": str(options.get("label", words[1] if words else name))}
        if "expression" in options:
            query |= {"Expression": options["expression"], "Period": self.period(options)}
        else:
            pairs = list(words[2:])
            if len(pairs) % 2:
                raise DefinitionError(f"{self.title}: metrics[{number}] has a dimension without a value")
            query["MetricStat"] = {
                "Metric": {
                    "Namespace": words[0],
                    "MetricName": words[1],
                    "Dimensions": [
                        {"Name": pairs[place], "Value": pairs[place + 1]} for place in range(0, len(pairs), 2)
                    ],
                },
                "Period": self.period(options),
                "Stat": str(options.get("stat", self.properties.get("stat", "Average"))),
            }
        return Series(
            id=name,
            label=query["Label"],
            colour=options.get("color"),
            visible=bool(options.get("visible", True)),
            query=query,
        )

    def period(self, options: Mapping[str, Any]) -> int:
        """The period of a series in seconds."""
        return int(options.get("period", self.properties.get("period", 300)))


@dataclass(frozen=True)
class Dashboard:
    """A dashboard: its name and widgets."""

    name: str
    widgets: tuple[Widget, ...]

    @classmethod
    def read(cls, name: str, body: Mapping[str, Any]) -> Self:
        """The dashboard of a body."""
        return cls(
            name,
            tuple(
                Widget(
                    kind=widget["type"],
                    x=widget.get("x", 0),
                    y=widget.get("y", 0),
                    width=widget.get("width", 6),
                    height=widget.get("height", 6),
                    properties=widget["properties"],
                )
                for widget in body["widgets"]
            ),
        )

    @property
    def height(self) -> int:
        """How many grid units it is high."""
        return max((widget.y + widget.height for widget in self.widgets), default=0)


def _repeated(words: Sequence[Any], before: Sequence[Any]) -> Sequence[Any]:
    """`words` with CloudWatch's short forms written out: `.` is the word above, `...` all words above but as
    many as follow."""
    if words and words[0] == "...":
        rest = list(words[1:])
        return [*before[: len(before) - len(rest)], *rest]
    return [before[place] if word == "." else word for place, word in enumerate(words)]
