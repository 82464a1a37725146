"""A recording as a picture, laid out and coloured as CloudWatch does it."""

import re
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, DateFormatter
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle
from PIL import Image

from local.dashboards.definition import COLUMNS, DefinitionError, Series, Widget
from local.dashboards.recording import Points, Recording

_INCHES_WIDE: Final = 16.0
_UNIT: Final = 0.36
"""Inches a grid unit is high."""
_GAP: Final = 0.06
_FEW: Final = 3
_STATES: Final = {"OK": "#1d8102", "ALARM": "#d13212", "INSUFFICIENT_DATA": "#879596"}
_COLOURS: Final = (
    "#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd",
    "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf",
)  # fmt: skip
_INK, _FAINT, _LINE, _PAGE = "#16191f", "#687078", "#d5dbdb", "#f2f3f3"
_STYLE: Final = {
    "font.family": "DejaVu Sans",
    "font.size": 7.5,
    "svg.fonttype": "none",
    "text.color": _INK,
    "axes.edgecolor": _LINE,
    "axes.labelcolor": _FAINT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#eaeded",
    "xtick.color": _FAINT,
    "ytick.color": _FAINT,
    "lines.linewidth": 1.6,
}


class Picture:
    """The page: cards on a grid."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.height = recording.dashboard.height * _UNIT
        self.figure = Figure(figsize=(_INCHES_WIDE, self.height), facecolor=_PAGE)

    def draw(self) -> Figure:
        """Draw every widget. Raises DefinitionError for a type or view that is not known."""
        draw = {"text": self._text, "alarm": self._alarms, "metric": self._metric}
        for number, widget in enumerate(self.recording.dashboard.widgets):
            if widget.kind not in draw:
                raise DefinitionError(
                    f"{widget.title or number}: widgets of type {widget.kind} are not drawn"
                )
            draw[widget.kind](widget, self.recording.series[number])
        return self.figure

    def _box(self, widget: Widget) -> tuple[float, float, float, float]:
        """Left, bottom, width, height in inches, without the gap."""
        column = _INCHES_WIDE / COLUMNS
        return (
            widget.x * column + _GAP,
            self.height - (widget.y + widget.height) * _UNIT + _GAP,
            widget.width * column - 2 * _GAP,
            widget.height * _UNIT - 2 * _GAP,
        )

    def _axes(self, left: float, bottom: float, width: float, height: float) -> Axes:
        return self.figure.add_axes(
            (left / _INCHES_WIDE, bottom / self.height, width / _INCHES_WIDE, height / self.height)
        )

    def _blank(self, left: float, bottom: float, width: float, height: float) -> Axes:
        """Axes in inches, without a frame."""
        axes = self._axes(left, bottom, width, height)
        axes.set_xlim(0, width)
        axes.set_ylim(0, height)
        axes.axis("off")
        return axes

    def _card(self, widget: Widget) -> tuple[float, float, float, float]:
        """Draw the card and its title; what is left for the content, in inches."""
        left, bottom, width, height = self._box(widget)
        card = self._blank(left, bottom, width, height)
        card.add_patch(
            FancyBboxPatch(
                (0.01, 0.01),
                width - 0.02,
                height - 0.02,
                boxstyle="round,pad=0,rounding_size=0.05",
                facecolor="white",
                edgecolor=_LINE,
                linewidth=0.8,
            )
        )
        if not widget.title:
            return left, bottom, width, height
        card.text(0.12, height - 0.17, widget.title, fontsize=9, fontweight="bold", va="center")
        return left, bottom, width, height - 0.32

    def _text(self, widget: Widget, _data: Mapping[str, Points]) -> None:
        left, bottom, width, height = self._card(widget)
        axes = self._blank(left, bottom, width, height)
        y = height - 0.08
        for line in widget.properties["markdown"].splitlines():
            plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", line)
            level = len(plain) - len(plain.lstrip("#"))
            size = {0: 8.5, 1: 15, 2: 12}.get(level, 10)
            step = size / 72 * 1.45
            axes.text(
                0.14, y - step / 2, plain.lstrip("# "),
                fontsize=size, fontweight="bold" if level else "normal",
                color=_INK if level else _FAINT, va="center",
            )  # fmt: skip
            y -= step

    def _alarms(self, widget: Widget, _data: Mapping[str, Points]) -> None:
        left, bottom, width, height = self._card(widget)
        axes = self._blank(left, bottom, width, height)
        names = [arn.rsplit(":alarm:", 1)[1] for arn in widget.properties["alarms"]]
        states = [self.recording.alarms[name] for name in names]
        shared = f"{self.recording.name}-"
        rows = max(1, int(height / 0.24))
        columns = -(-len(names) // rows)
        wide, high = (width - 0.2) / columns, (height - 0.1) / rows
        for number, (name, state) in enumerate(zip(names, states, strict=True)):
            column, row = number % columns, number // columns
            x, y = 0.1 + column * wide, height - 0.04 - (row + 1) * high
            loud = state == "ALARM"
            axes.add_patch(
                Rectangle(
                    (x + 0.02, y + 0.02), wide - 0.04, high - 0.04,
                    facecolor=_STATES[state] if loud else "white",
                    edgecolor=_STATES[state], linewidth=0.7,
                )
            )  # fmt: skip
            axes.add_patch(
                Rectangle((x + 0.02, y + 0.02), 0.06, high - 0.04, facecolor=_STATES[state], linewidth=0)
            )
            axes.text(
                x + 0.13, y + high / 2, name.removeprefix(shared),
                fontsize=min(6.6, 72 * (wide - 0.17) / (0.56 * len(name.removeprefix(shared)))),
                color="white" if loud else _INK, fontweight="bold" if loud else "normal", va="center",
            )  # fmt: skip

    def _metric(self, widget: Widget, data: Mapping[str, Points]) -> None:
        views = {"singleValue": self._numbers, "timeSeries": self._lines}
        view = widget.properties.get("view", "timeSeries")
        if view not in views:
            raise DefinitionError(f"{widget.title}: the view {view} is not drawn")
        views[view](widget, [series for series in widget.series() if series.visible], data)

    def _numbers(self, widget: Widget, shown: list[Series], data: Mapping[str, Points]) -> None:
        left, bottom, width, height = self._card(widget)
        axes = self._blank(left, bottom, width, height)
        wide = width / len(shown)
        for number, series in enumerate(shown):
            points = data[series.id]
            value = points[max(points)] if points else None
            x = number * wide + 0.14
            axes.text(
                x, height * 0.60, "-" if value is None else f"{value:,.0f}",
                fontsize=21, color=series.colour or _COLOURS[number % len(_COLOURS)], va="center",
            )  # fmt: skip
            axes.text(x, height * 0.20, series.label, fontsize=8, color=_FAINT, va="center")

    def _lines(self, widget: Widget, shown: list[Series], data: Mapping[str, Points]) -> None:
        left, bottom, width, height = self._card(widget)
        rows = self._legend(widget, shown, data)
        floor = 0.30 + 0.17 * rows
        axes = self._axes(left + 0.62, bottom + floor, width - 0.82, height - floor - 0.06)
        axes.set_xlim(self.recording.start, self.recording.end)
        colours = [series.colour or _COLOURS[n % len(_COLOURS)] for n, series in enumerate(shown)]
        full = [(series, colour) for series, colour in zip(shown, colours, strict=True) if data[series.id]]
        if widget.properties.get("stacked"):
            moments = sorted({moment for series, _ in full for moment in data[series.id]})
            axes.stackplot(
                moments,
                *[[data[series.id].get(moment, 0.0) for moment in moments] for series, _ in full],
                colors=[colour for _, colour in full],
                alpha=0.75,
                linewidth=0,
            )
        else:
            for series, colour in full:
                points = sorted(data[series.id].items())
                # A line needs two points.
                marker = "o" if len(points) <= _FEW else None
                axes.plot(*zip(*points, strict=True), color=colour, marker=marker, markersize=3.5)
        self._frame(widget, axes, data)
        if not full:
            axes.text(0.5, 0.5, "no data", transform=axes.transAxes, ha="center", va="center", color=_FAINT)

    def _frame(self, widget: Widget, axes: Axes, data: Mapping[str, Points]) -> None:
        """Ticks, limits, and the lines at which alarms ring."""
        locator = AutoDateLocator(minticks=4, maxticks=9)
        axes.xaxis.set_major_locator(locator)
        axes.xaxis.set_major_formatter(DateFormatter("%H:%M"))
        axes.tick_params(length=0, labelsize=7)
        side = widget.properties.get("yAxis", {}).get("left", {})
        highest = max((value for points in data.values() for value in points.values()), default=0.0)
        # Of nothing but zeros, a scale of hundredths would be drawn.
        top = axes.get_ylim()[1] if highest else 1.0
        for line in widget.properties.get("annotations", {}).get("horizontal", ()):
            # A limit far above everything that happens would flatten all of it.
            if line["value"] <= max(4 * top, 1):
                axes.axhline(line["value"], color=line.get("color", _FAINT), linestyle="--", linewidth=1)
                axes.annotate(
                    line.get("label", ""), (0.995, line["value"]), xycoords=("axes fraction", "data"),
                    xytext=(0, 2), textcoords="offset points", ha="right", va="bottom",
                    fontsize=6.5, color=line.get("color", _FAINT),
                )  # fmt: skip
                top = max(top, 1.15 * line["value"])
        axes.set_ylim(side.get("min", axes.get_ylim()[0]), side.get("max", top))
        axes.set_ylabel(side.get("label", ""), fontsize=7)
        axes.yaxis.set_major_formatter(lambda value, _place: f"{value:,.10g}")

    def _legend(self, widget: Widget, shown: list[Series], data: Mapping[str, Points]) -> int:
        """Draw the legend at the foot of the card; how many rows it takes."""
        left, bottom, width, _ = self._box(widget)
        inch = 0.062
        rows: list[list[tuple[str, str, bool]]] = [[]]
        used = 0.0
        for number, series in enumerate(shown):
            colour = series.colour or _COLOURS[number % len(_COLOURS)]
            need = 0.34 + inch * len(series.label)
            if used + need > width - 0.3 and rows[-1]:
                rows.append([])
                used = 0.0
            rows[-1].append((series.label, colour, bool(data[series.id])))
            used += need
        axes = self._blank(left, bottom, width, 0.08 + 0.17 * len(rows))
        for place, row in enumerate(rows):
            x, y = 0.16, 0.04 + 0.17 * (len(rows) - place - 0.5)
            for label, colour, has_data in row:
                axes.add_patch(Rectangle((x, y - 0.035), 0.12, 0.07, facecolor=colour, linewidth=0))
                axes.text(x + 0.17, y, label, fontsize=7, color=_INK if has_data else "#aab7b8", va="center")
                x += 0.34 + inch * len(label)
        return len(rows)


def draw(recording: Recording, file: Path) -> None:
    """Write the picture of a recording; the type is the file's suffix. Raises DefinitionError, OSError."""
    settings: dict[str, Any] = dict(_STYLE)
    with mpl.rc_context(settings):
        figure = Picture(recording).draw()
        if file.suffix != ".png":
            figure.savefig(file)
            return
        drawn = BytesIO()
        figure.savefig(drawn, dpi=110, format="png")
    # Few colours: a third of the size, and nobody sees it.
    Image.open(drawn).convert("RGB").quantize(128).save(file, optimize=True)
