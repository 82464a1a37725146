"""What a dashboard shows for a stretch of time, kept in a file: definition, data, states of alarms."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from local.dashboards.definition import Dashboard, DefinitionError, Widget

if TYPE_CHECKING:
    from mypy_boto3_cloudwatch import CloudWatchClient

Points = dict[datetime, float]

_WHOLE: Final[Mapping[str, Callable[[Iterable[float]], float]]] = {"Sum": sum, "Maximum": max, "Minimum": min}


@dataclass(frozen=True)
class Recording:
    """`series`: by widget and series id, points by time. `alarms`: states by name."""

    name: str
    body: Mapping[str, Any]
    start: datetime
    end: datetime
    alarms: Mapping[str, str]
    series: tuple[Mapping[str, Points], ...]

    @property
    def dashboard(self) -> Dashboard:
        """The definition, read."""
        return Dashboard.read(self.name, self.body)

    @classmethod
    def make(cls, client: "CloudWatchClient", name: str, start: datetime, end: datetime) -> Self:
        """Ask CloudWatch for everything that the dashboard `name` shows from `start` to `end`.

        Raises botocore's errors; DefinitionError when the body has what cannot be drawn.
        """
        body = json.loads(client.get_dashboard(DashboardName=name)["DashboardBody"])
        widgets = Dashboard.read(name, body).widgets
        return cls(
            name=name,
            body=body,
            start=start,
            end=end,
            alarms=_states(client, widgets),
            series=tuple(_data(client, widget, start, end) for widget in widgets),
        )

    @classmethod
    def load(cls, file: Path) -> Self:
        """Read what `save` wrote."""
        document = json.loads(file.read_text(encoding="utf-8"))
        return cls(
            name=document["name"],
            body=document["body"],
            start=datetime.fromisoformat(document["start"]),
            end=datetime.fromisoformat(document["end"]),
            alarms=document["alarms"],
            series=tuple(
                {
                    name: {datetime.fromtimestamp(moment, UTC): value for moment, value in points}
                    for name, points in widget.items()
                }
                for widget in document["series"]
            ),
        )

    def save(self, file: Path) -> None:
        """Write it as JSON."""
        document = {
            "name": self.name,
            "start": self.start.isoformat(),
            "end": self.end.isoformat(),
            "alarms": dict(sorted(self.alarms.items())),
            "body": self.body,
            "series": [
                {
                    name: [[int(moment.timestamp()), value] for moment, value in sorted(points.items())]
                    for name, points in widget.items()
                }
                for widget in self.series
            ],
        }
        file.write_text(
            json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8"
        )


def _data(client: "CloudWatchClient", widget: Widget, start: datetime, end: datetime) -> dict[str, Points]:
    if widget.kind != "metric":
        return {}
    queries = [{**series.query, "ReturnData": series.visible} for series in widget.series()]
    if not queries:
        raise DefinitionError(f"{widget.title}: a metric widget without metrics")
    found: dict[str, Points] = {query["Id"]: {} for query in queries if query["ReturnData"]}
    request: dict[str, Any] = {"MetricDataQueries": queries, "StartTime": start, "EndTime": end}
    for page in client.get_paginator("get_metric_data").paginate(**request):
        for result in page["MetricDataResults"]:
            found[result["Id"]] |= dict(zip(result["Timestamps"], result["Values"], strict=True))
    if not widget.properties.get("setPeriodToTimeRange", False):
        return found
    whole = _whole(widget)
    return {name: {start: whole(points.values())} if points else {} for name, points in found.items()}


def _whole(widget: Widget) -> Callable[[Iterable[float]], float]:
    """What makes one number of a stretch of time, by the widget's statistic."""
    statistic = widget.properties.get("stat", "Average")
    if statistic not in _WHOLE:
        raise DefinitionError(
            f"{widget.title}: one number for the whole time is drawn for {', '.join(_WHOLE)} only"
        )
    return _WHOLE[statistic]


def _states(client: "CloudWatchClient", widgets: tuple[Widget, ...]) -> dict[str, str]:
    wanted = {
        arn.rsplit(":alarm:", 1)[1]
        for widget in widgets
        if widget.kind == "alarm"
        for arn in widget.properties["alarms"]
    }
    found: dict[str, str] = {}
    for names in (sorted(wanted)[place : place + 100] for place in range(0, len(wanted), 100)):
        answer = client.describe_alarms(
            AlarmNames=names, AlarmTypes=["MetricAlarm", "CompositeAlarm"], MaxRecords=100
        )
        found |= {alarm["AlarmName"]: alarm["StateValue"] for alarm in answer["MetricAlarms"]}
        found |= {alarm["AlarmName"]: alarm["StateValue"] for alarm in answer["CompositeAlarms"]}
    missing = wanted - set(found)
    if missing:
        raise DefinitionError(f"alarms that do not exist are shown: {', '.join(sorted(missing))}")
    return found
